//! The one clock of a rehearsal. Work takes the time that it takes; waits are shorter than they are said to be, by a factor,
//! and what is left out counts as passed for everybody at once: the executor, the services, the caches, the monitors.

use std::time::Duration;

use crate::adapters::{Runtime, Skipped};
use crate::ports::{Cancelled, Clock as _};

/// The clock.
#[derive(Debug)]
pub(super) struct Time {
    runtime: Runtime,
    skipped: Skipped,
    speed: f64,
}

impl Time {
    /// A clock that begins now; a wait of `speed` seconds takes one.
    #[must_use]
    pub(super) fn new(runtime: Runtime, skipped: Skipped, speed: f64) -> Self {
        Self {
            runtime,
            skipped,
            speed: speed.max(1.0),
        }
    }

    /// Since it began.
    #[must_use]
    pub(super) fn now(&self) -> Duration {
        Duration::from_millis(self.runtime.now().millis())
    }

    /// What time is skipped by, for whoever shares it.
    #[must_use]
    pub(super) fn skipped(&self) -> &Skipped {
        &self.skipped
    }

    /// That nobody has ended the program: a run that somebody else waits for may have heard of it first.
    ///
    /// # Errors
    /// When somebody has.
    pub(super) fn goes_on(&self) -> Result<(), Cancelled> {
        if self.runtime.is_over() {
            return Err(Cancelled);
        }
        Ok(())
    }

    /// Comes back at `until`.
    ///
    /// # Errors
    /// When the program is ended before.
    pub(super) fn wait(&mut self, until: Duration) -> Result<(), Cancelled> {
        let rest = until.saturating_sub(self.now());
        if rest.is_zero() {
            // Somebody may have sent a signal all the same.
            return self.runtime.run(std::future::ready(()));
        }
        let short = rest.div_f64(self.speed);
        let until = self.runtime.now().after(short);
        self.runtime.wait(until)?;
        self.skipped.more(rest.saturating_sub(short));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_wait_is_short_and_counts_whole() {
        let skipped = Skipped::default();
        let runtime = Runtime::skipping(skipped.clone()).unwrap();
        let mut time = Time::new(runtime, skipped, 100_000.0);
        time.wait(Duration::from_secs(1000)).unwrap();
        assert!(time.now() >= Duration::from_secs(999));
        assert!(time.skipped().so_far() >= Duration::from_secs(999));
    }
}
