//! Floor 3: the spec as files: policies, Terraform, the workflow, the monitors.
//!
//! Invariants: pure and deterministic, nothing here reads or writes. What comes out, read back, says what the spec says.

mod cases;
mod error;
mod kuma;
#[cfg(test)]
mod laws;
mod lock;
mod monitors;
mod policies;
mod terraform;
mod workflow;
mod yaml;

use crate::model::spec::Spec;

pub use error::GenerateError;
pub use kuma::kuma_json;
pub use lock::{LOCK_FILE, Lock, sha256};
pub use monitors::{API_VERSION, dispatch_config, monitor_configs};
pub use policies::{change_records, read_zone, trust};
pub use workflow::RUNNER;

/// The first line of every generated file whose language has comments that begin with `#`.
pub const HEADER: &str =
    "# Written by `pointsman generate` from pointsman.toml; change that file, not this one.\n";

/// A file that follows from the spec.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Artefact {
    /// Its path, relative to the spec's folder.
    pub path: String,
    /// Its whole text.
    pub text: String,
}

/// Every file that follows from the spec, sorted by path.
///
/// # Errors
/// When the spec asks for what AWS would not take, such as a policy that is too long.
pub fn all(spec: &Spec) -> Result<Vec<Artefact>, GenerateError> {
    let mut made = policies::files(spec)?;
    made.extend(terraform::files(spec)?);
    made.push(cases::file(spec));
    made.push(workflow::file(spec)?);
    made.extend(monitors::files(spec));
    made.sort();
    Ok(made)
}
