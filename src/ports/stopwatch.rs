//! Measuring how long something took.

use std::time::Duration;

/// A clock that only measures. Figures depend on it, results never do.
pub trait Stopwatch {
    /// How long `work` took.
    fn time(&self, work: &mut dyn FnMut()) -> Duration;
}
