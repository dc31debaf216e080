//! Floor 6: rehearsals on loopback. A Route 53, an STS and GitHub's token endpoint that answer as the real ones do, so that
//! the executor's own program and the real SDK can be run against them.
//!
//! The core is pure and knows no socket and no clock ([`Cloud`]); [`Endpoint`] serves it. What no stand-in does and this
//! one must: octal names, atomic batches with the exact messages, tokens whose claims are looked at, every call decided by
//! whoever asks to decide it, and faults by script.

mod batch;
mod call;
mod changes;
mod cloud;
mod endpoint;
mod refusal;
mod script;
mod sts;
mod time;
mod token;
mod xml;
mod zone;

pub use call::{Call, Logged, Now, Reply, Scope};
pub use changes::Sync;
pub use cloud::{Asked, Authoriser, Cloud, Verdict};
pub use endpoint::Endpoint;
pub use refusal::Refusal;
pub use script::{Times, Trouble, What};
pub use sts::{Borrowed, Trust};
pub use token::Issuer;
pub use zone::{Action, Alias, Edit, HostedZone, PAGE, Page, Set, Start};
