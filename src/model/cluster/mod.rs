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
    /// Of which kind that is.
    pub kind: IssuerKind,
}

/// Where an issuer works.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IssuerKind {
    /// In its own namespace.
    Issuer,
    /// Everywhere.
    Cluster,
    /// Not one of cert-manager's own.
    Other,
}

/// Who makes certificates.
#[derive(Debug, Clone)]
pub struct Issuer {
    /// Where it works.
    pub kind: IssuerKind,
    /// How an ACME issuer proves that a name is its owner's; none for another.
    pub solvers: Vec<Solver>,
}

/// A way to prove that a name is its owner's.
#[derive(Debug, Clone)]
pub struct Solver {
    /// Its place.
    pub at: Span,
    /// Whether it answers at the address that DNS names (HTTP-01), and in no record.
    pub by_http: bool,
    /// The names that it is for; for all where it has neither names nor zones.
    pub names: Vec<String>,
    /// The zones that it is for.
    pub zones: Vec<String>,
    /// Whether it is for certificates with certain labels alone.
    pub by_labels: bool,
}

/// A port at which a gateway takes connections.
#[derive(Debug, Clone)]
pub struct Listener {
    /// Its name, to which a route may be tied.
    pub name: Option<Text>,
    /// Hosts that it takes.
    pub hosts: Names,
    /// How it speaks TLS.
    pub tls: Tls,
    /// The port, where it is not that of HTTPS.
    pub other_port: Option<Text>,
    /// The secrets with the certificates that it shows; none where others show theirs.
    pub secrets: Vec<Secret>,
    /// Whether what stands before a host is the namespace whose routes it takes for it, as Istio has it.
    pub by_namespace: bool,
    /// Whether routes of its own namespace alone may use it, as the Gateway API has it where nothing is said.
    pub same_namespace: bool,
}

/// How a port speaks TLS.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tls {
    /// Not at all.
    Plain,
    /// It shows a certificate.
    Shown,
    /// It hands it on: what stands behind it shows one.
    Through,
    /// No visitor gets in; why.
    Refused(&'static str),
}

/// A secret with a certificate, as a gateway names it.
#[derive(Debug, Clone)]
pub struct Secret {
    /// Its name.
    pub name: Text,
    /// Its namespace, where it is named.
    pub namespace: Option<String>,
    /// Whether it is read where the gateway's pods run, which the gateway does not say.
    pub of_pods: bool,
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
