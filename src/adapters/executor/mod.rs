//! What the executor asks: sites over TLS, Route 53 and STS, name servers, GitHub's token; and its journal. Commands that ask
//! GitHub or IAM stand on the same connections.

pub mod aws;
mod github_token;
pub(super) mod https;
mod journal;
mod output;
mod probe;
mod resolve;
mod servers;
mod system_resolvers;
mod together;
mod world;

pub use github_token::{GitHubToken, Token};
pub use https::{Trust, TrustFault};
pub use journal::{JournalFile, NoJournal, add_to_file, read_file, read_plain_file};
pub use output::own_output;
pub use probe::{HttpsProber, SITE_HEADER};
pub use servers::{DnsClient, DnsServers, ServerNames};
pub use world::{Detour, World};
