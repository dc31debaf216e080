//! What has been seen of a rehearsal so far: what its script waits for and what its outcome is judged by.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::execution::report::RunReport;
use crate::report::drill::{DecisionRow, EventRow, Expectation};

use super::watch::Notice;

/// A notice of a monitor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Told {
    /// When.
    pub at: Duration,
    /// The monitor.
    pub monitor: String,
    /// What.
    pub notice: Notice,
}

/// A message that was to start the workflow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Posted {
    /// When.
    pub at: Duration,
    /// The monitor.
    pub monitor: String,
    /// On what notice.
    pub notice: Notice,
    /// The answer's status; `None`: there was none.
    pub http: Option<u16>,
    /// The answer's words.
    pub answer: String,
}

/// A run of the workflow.
#[derive(Debug, Clone, Default)]
pub(super) struct RunFact {
    /// When it was asked for.
    pub asked: Duration,
    /// When its runner began.
    pub begun: Option<Duration>,
    /// When the executor began.
    pub started: Option<Duration>,
    /// When it ended.
    pub ended: Option<Duration>,
    /// What the executor reported.
    pub report: Option<RunReport>,
    /// How it ended, in words.
    pub end: String,
    /// Whether it was cancelled.
    pub cancelled: bool,
    /// Why it was ended from outside.
    pub cut: Option<String>,
    /// How many calls AWS had had when the executor began.
    pub calls_before: usize,
    /// The link at which the executor failed.
    pub failed_at: Option<&'static str>,
}

impl RunFact {
    /// The executor's status.
    #[must_use]
    pub(super) fn status(&self) -> Option<u8> {
        self.report.as_ref().map(|report| report.status)
    }
}

/// Everything.
#[derive(Debug, Default)]
pub(super) struct Facts {
    /// What happened, in order.
    pub events: Vec<EventRow>,
    /// Notices of monitors.
    pub told: Vec<Told>,
    /// Messages to the workflow.
    pub posted: Vec<Posted>,
    /// When the name servers took over a change first.
    pub published: Option<Duration>,
    /// Messages that go elsewhere than to GitHub's API: the notification, and where to.
    pub astray: Vec<(String, String)>,
    /// Messages to the workflow that hang.
    pub hung: usize,
    /// Messages to people, with the monitor.
    pub people: Vec<(Duration, String)>,
    /// Runs, by number.
    pub runs: BTreeMap<usize, RunFact>,
    /// Decisions of AWS.
    pub decisions: Vec<DecisionRow>,
    /// From when on all visitors were at one site, and since when they are no longer.
    pub gathered: Vec<(Duration, Option<usize>)>,
    /// Times at which a site stopped serving (`false`) or served again.
    pub turned: Vec<(Duration, usize, bool)>,
    /// What was looked for.
    pub expected: Vec<Expectation>,
    /// What should be known.
    pub notes: Vec<String>,
    /// What the result has to say beside `passed`.
    pub caveats: Vec<String>,
    /// What was not rehearsed, by its link: whether or what it is, in words.
    pub doubts: Vec<(&'static str, String)>,
    /// What of the deployment was seen to be wrong, by its link.
    pub defects: Vec<(&'static str, String)>,
}

impl Facts {
    /// Where all visitors are now.
    #[must_use]
    pub(super) fn visitors(&self) -> Option<usize> {
        self.gathered.last().and_then(|(_, site)| *site)
    }

    /// Runs that are under way or wait.
    #[must_use]
    pub(super) fn open_runs(&self) -> usize {
        let open = |run: &&RunFact| run.ended.is_none();
        self.runs.values().filter(open).count()
    }

    /// Something of a link is not rehearsed: `whether …`, `what … does`.
    pub(super) fn doubt(&mut self, link: &'static str, told: String) {
        let doubt = (link, told);
        if !self.doubts.contains(&doubt) {
            self.doubts.push(doubt);
        }
    }

    /// Something of the deployment is wrong at a link.
    pub(super) fn defect(&mut self, link: &'static str, told: String) {
        let defect = (link, told);
        if !self.defects.contains(&defect) {
            self.defects.push(defect);
        }
    }

    /// Says something once.
    pub(super) fn note(&mut self, note: String) {
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }
}
