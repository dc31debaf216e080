//! Floor 5: the outside world. Only here are files, clocks and sockets known.

#[cfg(feature = "switch")]
pub mod aws;
#[cfg(feature = "lint")]
mod calendar;
#[cfg(feature = "lint")]
mod fs;
#[cfg(feature = "lint")]
mod git;
#[cfg(feature = "online")]
mod github;
#[cfg(all(feature = "lint", feature = "switch"))]
mod github_runs;
#[cfg(feature = "switch")]
mod github_token;
#[cfg(feature = "switch")]
mod https;
#[cfg(feature = "switch")]
mod journal;
#[cfg(feature = "serve")]
mod loopback;
#[cfg(feature = "switch")]
mod output;
#[cfg(feature = "switch")]
mod probe;
#[cfg(feature = "switch")]
mod resolve;
#[cfg(any(feature = "switch", feature = "serve"))]
mod runtime;
#[cfg(feature = "switch")]
mod servers;
#[cfg(feature = "lint")]
mod stopwatch;
#[cfg(feature = "switch")]
mod system_resolvers;
#[cfg(feature = "switch")]
mod together;
#[cfg(feature = "switch")]
mod world;

#[cfg(feature = "aws")]
pub use aws::AwsSimulator;
#[cfg(feature = "lint")]
pub use calendar::{now_millis, today};
#[cfg(feature = "lint")]
pub use fs::DiskFiles;
#[cfg(feature = "lint")]
pub use git::BareClones;
#[cfg(feature = "online")]
pub use github::GitHubApi;
#[cfg(all(feature = "lint", feature = "switch"))]
pub use github_runs::GitHubRuns;
#[cfg(feature = "switch")]
pub use github_token::{GitHubToken, Token};
#[cfg(feature = "switch")]
pub use https::{Trust, TrustFault};
#[cfg(feature = "switch")]
pub use journal::{JournalFile, NoJournal, add_to_file, read_file, read_plain_file};
#[cfg(feature = "serve")]
pub use loopback::Loopback;
#[cfg(feature = "switch")]
pub use output::own_output;
#[cfg(feature = "switch")]
pub use probe::{HttpsProber, SITE_HEADER};
#[cfg(any(feature = "switch", feature = "serve"))]
pub use runtime::{Runtime, Skipped};
#[cfg(feature = "switch")]
pub use servers::{DnsClient, DnsServers, ServerNames};
#[cfg(feature = "lint")]
pub use stopwatch::SystemStopwatch;
#[cfg(feature = "switch")]
pub use world::{Detour, World};
