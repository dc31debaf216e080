//! Floor 5: the outside world. Only here are files, clocks and sockets known.

#[cfg(feature = "switch")]
mod executor;
#[cfg(feature = "online")]
mod github;
#[cfg(all(feature = "lint", feature = "switch"))]
mod github_runs;
#[cfg(feature = "lint")]
mod local;
#[cfg(feature = "serve")]
mod loopback;
#[cfg(any(feature = "switch", feature = "serve"))]
mod runtime;

#[cfg(feature = "aws")]
pub use executor::aws::AwsSimulator;
#[cfg(feature = "switch")]
pub use executor::{
    Detour, DnsClient, DnsServers, GitHubToken, HttpsProber, JournalFile, NoJournal, SITE_HEADER,
    ServerNames, Token, Trust, TrustFault, World, add_to_file, aws, own_output, read_file,
    read_plain_file,
};
#[cfg(feature = "online")]
pub use github::GitHubApi;
#[cfg(all(feature = "lint", feature = "switch"))]
pub use github_runs::GitHubRuns;
#[cfg(feature = "lint")]
pub use local::{BareClones, DiskFiles, SystemStopwatch, now_millis, today};
#[cfg(feature = "serve")]
pub use loopback::Loopback;
#[cfg(any(feature = "switch", feature = "serve"))]
pub use runtime::{Runtime, Skipped};
