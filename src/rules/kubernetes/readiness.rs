//! Whether each site could take each of its hosts: certificate, gateway and route, as far as manifests were given.

use crate::model::spec::Spec;
use crate::rules::Workspace;
use crate::text::Span;

use super::cluster::Cluster;

/// One host at one site.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Readiness {
    /// The site.
    pub site: String,
    /// The host, or a wildcard record, which needs a certificate alone.
    pub host: String,
    /// Whether a certificate is good for it.
    pub certificate: Standing,
    /// Whether a gateway takes it over HTTPS.
    pub gateway: Standing,
    /// Whether a route sends it on.
    pub route: Standing,
}

/// How one part of a host stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Standing {
    /// It is there.
    Good(Span),
    /// It is not, or not as it must be.
    Broken(Fault),
    /// A part of the manifests is filled in elsewhere.
    Undecided(Fault),
    /// No manifest of its kind was given for the site.
    NotGiven,
}

/// What is wrong, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The place.
    pub at: Span,
    /// The reason.
    pub why: String,
}

impl Standing {
    pub(super) fn broken(at: Span, why: impl Into<String>) -> Self {
        let why = why.into();
        Self::Broken(Fault { at, why })
    }

    pub(super) fn undecided(at: Span, why: impl Into<String>) -> Self {
        let why = why.into();
        Self::Undecided(Fault { at, why })
    }
}

/// Every host at every site for which manifests were given, in the spec's order.
#[must_use]
pub fn readiness(spec: &Spec, workspace: &Workspace) -> Vec<Readiness> {
    let mut rows = Vec::new();
    for site in &spec.sites {
        let cluster = Cluster::of(spec, site, workspace);
        if cluster.is_empty() {
            continue;
        }
        let hosts = spec.hosts_at(&site.name).map(|host| &host.name);
        let origin = Some(&spec.origin.name).filter(|_| spec.origin.site == site.name);
        for host in hosts.chain(origin) {
            let (gateway, listeners) = cluster.gateway(host);
            rows.push(Readiness {
                site: site.name.clone(),
                host: host.to_string(),
                certificate: cluster.certificate(host, &listeners),
                route: cluster.route(host, &listeners),
                gateway,
            });
        }
        let wildcards = spec.record_names().iter().filter(|name| name.is_wildcard());
        rows.extend(wildcards.map(|name| Readiness {
            site: site.name.clone(),
            host: name.to_string(),
            certificate: cluster.certificate(name, &[]),
            gateway: Standing::NotGiven,
            route: Standing::NotGiven,
        }));
    }
    rows
}
