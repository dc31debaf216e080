//! The system's monotonic clock, to measure with.
#![expect(
    clippy::disallowed_methods,
    reason = "this is the adapter of the clock that figures are measured with"
)]

use std::time::{Duration, Instant};

use crate::ports::Stopwatch;

/// Measures with the system's monotonic clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemStopwatch;

impl Stopwatch for SystemStopwatch {
    fn time(&self, work: &mut dyn FnMut()) -> Duration {
        let start = Instant::now();
        work();
        start.elapsed()
    }
}
