//! What a run of the executor needs from outside. Each call waits for its answer; a job that is being ended (SIGTERM)
//! breaks off every wait, and every call after it.

use std::time::Duration;

use crate::failover::{
    Answer, ChangeStatus, Fault, Moment, ProbeRules, Record, RecordSet, Request, ServerAnswer,
    Upsert,
};

use super::files::FileFault;

/// The job is being ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the job is being ended")]
pub struct Cancelled;

/// Why a call has no result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stop {
    /// It failed.
    Failed(Fault),
    /// The job is being ended.
    Cancelled,
}

impl From<Cancelled> for Stop {
    fn from(Cancelled: Cancelled) -> Self {
        Self::Cancelled
    }
}

impl From<Fault> for Stop {
    fn from(fault: Fault) -> Self {
        Self::Failed(fault)
    }
}

/// The time, and waiting for it.
pub trait Clock {
    /// Since the run began, on a clock that nobody sets.
    fn now(&self) -> Moment;

    /// What a calendar says, in milliseconds since 1970; for reports alone.
    fn wall_millis(&self) -> u64;

    /// Comes back at `until`, at once if that has passed.
    ///
    /// # Errors
    /// When the job is ended before.
    fn wait(&mut self, until: Moment) -> Result<(), Cancelled>;
}

/// The right to read and write the zone.
pub trait Identity {
    /// Gets what the role is borrowed with: GitHub's token, or whatever else is at hand. It stays inside.
    ///
    /// # Errors
    /// A fault of the endpoint, or the end of the job.
    fn fetch_token(&mut self) -> Result<(), Stop>;

    /// Borrows the role with what was fetched last; gives how long the session lives, if that is known. It stays inside.
    ///
    /// # Errors
    /// A fault of STS, or the end of the job.
    fn assume_role(&mut self) -> Result<Option<Duration>, Stop>;
}

/// The hosted zone.
pub trait Zone {
    /// Every record set of the names of `records`, whatever the number of pages, and nothing else. `within` is the time for
    /// all pages together.
    ///
    /// # Errors
    /// A fault of Route 53, or the end of the job.
    fn list(&mut self, records: &[Record], within: Duration) -> Result<Vec<RecordSet>, Stop>;

    /// Sends one batch of UPSERTs with this comment and gives the id of the change. Nothing is sent twice, and nothing is
    /// sent when `within` has passed.
    ///
    /// # Errors
    /// A fault of Route 53 ([`FaultKind::Lost`](crate::failover::FaultKind) when it may have been carried out), or the end
    /// of the job.
    fn change(
        &mut self,
        upserts: &[Upsert<'_>],
        comment: &str,
        within: Duration,
    ) -> Result<String, Stop>;

    /// How far a change is.
    ///
    /// # Errors
    /// A fault of Route 53, or the end of the job.
    fn change_status(&mut self, change: &str) -> Result<ChangeStatus, Stop>;
}

/// Sites, asked over HTTPS.
pub trait Prober {
    /// Asks all of `requests` at once; one answer for each, in their order.
    ///
    /// # Errors
    /// When the job is ended before all have answered.
    fn ask(
        &mut self,
        requests: &[Request<'_>],
        rules: ProbeRules,
    ) -> Result<Vec<Answer>, Cancelled>;
}

/// The zone's authoritative name servers.
pub trait AuthoritativeServers {
    /// Asks each of them for `records`; a server that does not answer has no values.
    ///
    /// # Errors
    /// When it is not known which servers those are, or the job is ended before.
    fn ask(&mut self, records: &[Record]) -> Result<Vec<ServerAnswer>, Stop>;
}

/// Where the lines of a journal go.
pub trait JournalSink {
    /// Adds one line and its end, so that it is there should the process die at the next moment.
    ///
    /// # Errors
    /// When it cannot be written.
    fn append(&mut self, line: &str) -> Result<(), FileFault>;
}
