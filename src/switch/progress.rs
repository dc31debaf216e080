//! What happens in a run, told line by line to whoever looks on, on standard error.

use std::time::Duration;

use crate::execution::Onlooker;
use crate::execution::report::{Row, Timeline};
use crate::failover::journal::Entry;
use crate::failover::{Effect, Topology};
use crate::ports::FileFault;

use super::voice::say;

/// Waits that are shorter are not worth a line.
const WORTH: Duration = Duration::from_secs(2);

/// Prints a run's time line as it comes about.
#[derive(Debug)]
pub(super) struct Progress<'a> {
    line: Timeline<'a>,
    /// What was said last: a call that fails over and over is told once.
    last: Option<Row>,
}

impl<'a> Progress<'a> {
    pub(super) fn of(topology: &'a Topology) -> Self {
        Self {
            line: Timeline::new(topology),
            last: None,
        }
    }
}

impl Onlooker for Progress<'_> {
    fn sees(&mut self, entry: &Entry) {
        if let Entry::Effect(at, Effect::Wait(until)) = entry
            && until.since(*at) >= WORTH
        {
            say(&format!("waits for {} s", until.since(*at).as_secs()));
        }
        let Some(row) = self.line.row(entry) else {
            return;
        };
        let same = |last: &Row| last.what == row.what && last.result == row.result;
        if !self.last.as_ref().is_some_and(same) {
            say(&row.line());
        }
        self.last = Some(row);
    }

    fn misses_journal(&mut self, fault: &FileFault) {
        say(&format!(
            "warning: the journal cannot be written: {fault}; the run goes on"
        ));
    }
}
