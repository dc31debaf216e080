//! What a site's cluster serves: certificates of cert-manager, gateways and routes of Istio or of the Gateway API,
//! and an `Ingress`, which is both.
//!
//! Sources: networking.k8s.io/v1 `Ingress`, cert-manager.io/v1 `Certificate` and `Issuer`, networking.istio.io/v1 `Gateway` and `VirtualService`,
//! gateway.networking.k8s.io/v1 `Gateway` and `HTTPRoute`, their API references.

mod names;
mod read;

use crate::text::{Span, Text};

pub use names::Names;

/// One resource of a cluster.
#[derive(Debug, Clone)]
pub struct Manifest {
    /// The path of the file, as it is shown.
    pub path: String,
    /// `metadata.name`.
    pub name: String,
    /// `metadata.namespace`; empty where it is left to whoever applies it.
    pub namespace: String,
    /// Where it is declared: its name.
    pub at: Span,
    /// Whether its file was named by itself: then what is not in it may lie beside it.
    pub alone: bool,
    /// What it is.
    pub part: Part,
}

/// What a resource does for a host.
#[derive(Debug, Clone)]
pub enum Part {
    /// Has a certificate made, and keeps it in a secret.
    Certificate(Certificate),
    /// Makes certificates.
    Issuer(Issuer),
    /// Takes connections.
    Gateway(Vec<Listener>),
    /// Sends requests on.
    Route(Route),
}

/// A certificate that cert-manager makes and renews.
#[derive(Debug, Clone)]
pub struct Certificate {
    /// The names in it.
    pub names: Names,
    /// The secret that it is kept in.
    pub secret: Option<Text>,
    /// Who makes it.
    pub issuer: Option<Text>,
}

/// Who makes certificates.
#[derive(Debug, Clone)]
pub struct Issuer {
    /// Its solvers, where each of them answers at the address that DNS names (HTTP-01).
    pub only_http01: Option<Span>,
}

/// A port at which a gateway takes connections.
#[derive(Debug, Clone)]
pub struct Listener {
    /// Its name, to which a route may be tied.
    pub name: Option<Text>,
    /// Hosts that it takes.
    pub hosts: Names,
    /// Whether it speaks TLS.
    pub secure: bool,
    /// The secrets with the certificates that it shows; none where others show theirs.
    pub secrets: Vec<Text>,
    /// Whether routes of its own namespace alone may use it, as the Gateway API has it where nothing is said.
    pub same_namespace: bool,
}

/// Where requests for hosts go.
#[derive(Debug, Clone)]
pub struct Route {
    /// Hosts that it is for.
    pub hosts: Names,
    /// The gateways that it is tied to; a `VirtualService` without any is for the mesh alone.
    pub gateways: Vec<Tie>,
    /// Whether a request goes anywhere.
    pub sends: bool,
}

/// A gateway as a route names it.
#[derive(Debug, Clone)]
pub struct Tie {
    /// Its namespace; empty for the route's own.
    pub namespace: String,
    /// Its name, with its place.
    pub name: Text,
    /// The listener, where one is named.
    pub listener: Option<String>,
}

impl Manifest {
    /// Whether a text may hold such a resource.
    #[must_use]
    pub fn looks_alike(text: &str) -> bool {
        [
            "cert-manager.io/",
            "networking.istio.io/",
            "gateway.networking.k8s.io/",
            "networking.k8s.io/",
        ]
        .iter()
        .any(|group| text.contains(group))
    }
}
