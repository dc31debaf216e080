//! AWS's policy simulator, as far as `simulate` needs it.

use std::net::SocketAddr;

use crate::iam::simulator::{Answer, Query, Refusal, Reply, answer};

/// Answers requests to `SimulateCustomPolicy`, one page a call.
pub trait PolicySimulator {
    /// One page of results.
    ///
    /// # Errors
    /// When this request is refused, or nothing can be asked.
    fn simulate(&mut self, query: &Query) -> Result<Answer, SimulatorFault>;
}

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SimulatorFault {
    /// The request is refused; others may not be.
    #[error("{}: {}", .0.code, .0.message)]
    Refused(Refusal),
    /// The recording has no such request.
    #[error("the recording has no such request; record it again with `--record`")]
    NotRecorded,
    /// Nothing can be asked: no network, no credentials, no right.
    #[error("AWS cannot be asked: {0}")]
    Unreachable(String),
}

/// The local evaluator in the simulator's place, as `serve` has it behind its endpoint.
#[derive(Debug, Clone, Copy, Default)]
pub struct LocalSimulator;

impl PolicySimulator for LocalSimulator {
    fn simulate(&mut self, query: &Query) -> Result<Answer, SimulatorFault> {
        answer(query).map_err(SimulatorFault::Refused)
    }
}

/// What answers the body of a request; the second parameter is the request's id.
pub type Respond = fn(&[u8], &str) -> Reply;

/// An endpoint of HTTP that clients on this machine reach.
pub trait Endpoint {
    /// Where it listens.
    fn address(&self) -> SocketAddr;

    /// Serves until a signal ends it.
    fn serve(&self, respond: Respond);
}
