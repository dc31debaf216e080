//! Floor 6: a world on loopback for rehearsals and tests: sites over TLS, authoritative servers. Nothing here binds any
//! other address than 127.0.0.1, and everything ends when it is dropped.

mod authority;
mod background;
mod nameserver;
mod records;
mod site;

pub use authority::{Authority, CertificateKind};
pub use nameserver::{NameServer, NameServerConduct, NameServerFault};
pub use records::{Found, Records, SharedRecords, Values};
pub use site::{BodyKind, ConnectionKind, Seen, Site, SiteConduct};
