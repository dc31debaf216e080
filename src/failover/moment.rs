//! Time as the executor knows it: milliseconds on the monotonic clock since its run began. The wall clock may jump; this
//! one does not.

use std::time::Duration;

/// A moment of a run, in milliseconds since it began.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Moment(u64);

impl Moment {
    /// The moment so many milliseconds after the run began.
    #[must_use]
    pub fn from_millis(millis: u64) -> Self {
        Self(millis)
    }

    /// Milliseconds since the run began.
    #[must_use]
    pub fn millis(self) -> u64 {
        self.0
    }

    /// The moment `wait` later.
    #[must_use]
    pub fn after(self, wait: Duration) -> Self {
        Self(self.0.saturating_add(millis(wait)))
    }

    /// From `earlier` until this moment; nothing if it is later.
    #[must_use]
    pub fn since(self, earlier: Self) -> Duration {
        Duration::from_millis(self.0.saturating_sub(earlier.0))
    }

    /// This moment on a clock that shows `now` as one millisecond. What has passed is all the same then: 0.
    pub(super) fn seen_from(self, now: Self) -> Self {
        Self((self.0 + 1).saturating_sub(now.0))
    }
}

/// A duration in whole milliseconds.
pub(super) fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
