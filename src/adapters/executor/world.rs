//! Where the outside is: the real one. A build for rehearsals (feature `drill`) can be given another, on loopback; in any
//! other build there is no way to say so, whatever the arguments and the environment.

use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr};

/// Where the outside is; by default the real one.
#[derive(Debug, Clone, Default)]
pub struct World {
    detour: Option<Detour>,
}

/// A world on loopback that stands for the real one.
#[derive(Debug, Clone, PartialEq, Eq, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Detour {
    /// Where connections to an address on port 443 go instead; other addresses cannot be reached.
    pub sockets: BTreeMap<IpAddr, SocketAddr>,
    /// Where the port 443 of a name without a pinned address is (the control target); other names are not found.
    #[serde(default)]
    pub names: BTreeMap<String, SocketAddr>,
    /// The only issuer of certificates that is trusted, in PEM.
    pub authority: String,
    /// Route 53, as `http://127.0.0.1:PORT`.
    pub route53: String,
    /// STS, likewise.
    pub sts: String,
    /// The zone's authoritative servers, by name.
    #[serde(default)]
    pub servers: BTreeMap<String, SocketAddr>,
}

impl World {
    /// A world on loopback.
    #[cfg(feature = "drill")]
    #[must_use]
    pub fn on_loopback(detour: Detour) -> Self {
        Self {
            detour: Some(detour),
        }
    }

    /// What stands for the real world, in a rehearsal.
    #[must_use]
    pub fn detour(&self) -> Option<&Detour> {
        self.detour.as_ref()
    }
}
