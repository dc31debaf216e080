//! Floor 6: rehearsals on loopback: sites over TLS, authoritative servers, and a Route 53, an STS and GitHub's token endpoint
//! that answer as the real ones do, so that the executor's own program and the real SDK can be run against them. Nothing
//! here binds any other address than 127.0.0.1, and everything ends when it is dropped.
//!
//! The core of the endpoint is pure and knows no socket and no clock ([`Cloud`]); [`Endpoint`] serves it. What no stand-in
//! does and this one must: octal names, atomic batches with the exact messages, tokens whose claims are looked at, every
//! call decided by whoever asks to decide it, and faults by script.

mod authority;
mod background;
mod batch;
mod call;
mod changes;
mod cloud;
mod endpoint;
mod github;
mod nameserver;
mod operations;
mod records;
mod refusal;
pub mod rehearsal;
mod script;
mod site;
mod sts;
mod token;
mod xml;
mod zone;

pub use authority::{Authority, CertificateKind};
pub use call::{Call, Logged, Now, Reply, Scope};
pub use changes::{Sync, change_id};
pub use cloud::{Authoriser, Cloud};
pub use endpoint::{Endpoint, Service};
pub use github::{
    Dispatch, DispatchToken, DispatchedWorkflow, GitHub, LOG_HOST, MessageTrouble, RunState,
    TokenRight, WorkflowRun,
};
pub use nameserver::{NameServer, NameServerConduct, NameServerFault};
pub use operations::{Asked, Verdict};
pub use records::{Found, Records, SharedRecords, Values};
pub use refusal::Refusal;
pub use script::{Times, Trouble, What};
pub use site::{BodyKind, ConnectionKind, Seen, Site, SiteConduct};
pub use sts::{Borrowed, Trust};
pub use token::Issuer;
pub use zone::{Action, Alias, Edit, HostedZone, PAGE, Page, Set, Start};
