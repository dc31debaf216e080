//! Floor 6: a world on loopback for rehearsals and tests: sites over TLS, authoritative servers. Nothing here binds any
//! other address than 127.0.0.1, and everything ends when it is dropped.

mod authority;
mod background;
mod site;

pub use authority::{Authority, CertificateKind};
pub use site::{BodyKind, ConnectionKind, Seen, Site, SiteConduct};
