//! What came of an exercise: both ways with their phases, for people and as JSON.

mod human;
mod json;

use std::io::{self, Write};
use std::time::Duration;

use serde_json::{Map, Value, json};

use crate::model::dns::RecordType;
use crate::propagation::{Measured, Phases};

use super::Format;

/// An exercise that is over.
#[derive(Debug)]
pub struct Exercised {
    /// There, and back if it came so far.
    pub legs: Vec<Leg>,
    /// Why it failed; `None` when it passed.
    pub failed: Option<String>,
    /// The file of the evidence; `None` where it was ended by hand before anything had happened.
    pub evidence: Option<String>,
}

/// One way. All times are since the person was told what to do.
#[derive(Debug)]
pub struct Leg {
    /// Where the records were to go.
    pub site: String,
    /// Whether that is home.
    pub home: bool,
    /// Each record.
    pub records: Vec<RecordMeasured>,
    /// Runs that began meanwhile.
    pub runs: Vec<RunSeen>,
    /// Why nothing is known of runs.
    pub runs_unknown: Option<String>,
    /// The hosts of both sites.
    pub hosts: Vec<HostSeen>,
    /// Why it failed.
    pub failed: Option<String>,
    /// Whether somebody ended it.
    pub by_hand: bool,
}

/// What was measured of a record.
#[derive(Debug)]
pub struct RecordMeasured {
    /// Its name.
    pub name: String,
    /// Its type.
    pub kind: RecordType,
    /// What was measured.
    pub measured: Measured,
}

/// A run of the workflow, and when it was first seen so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunSeen {
    /// Its id.
    pub id: u64,
    /// How far it is.
    pub status: String,
    /// How it ended.
    pub conclusion: Option<String>,
    /// Where a person sees it.
    pub url: String,
    /// When it was first seen.
    pub seen: Duration,
    /// When it was first seen to be over.
    pub over: Option<Duration>,
    /// Its journal, or why it is not had; `None` while it has not been asked for.
    pub journal: Option<Result<JournalSeen, String>>,
}

/// A journal of a run, read from the log of its job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JournalSeen {
    /// Its lines.
    pub text: String,
    /// Whether this version wants the same, byte for byte, up to the end of the run; else what is to be said of it.
    pub played: Result<(), String>,
    /// How long each part of the run took, in milliseconds, with its word.
    pub phases: Vec<(&'static str, u64)>,
    /// The file that it was written to.
    pub path: Option<String>,
}

/// A host at a site.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostSeen {
    /// The site.
    pub site: String,
    /// The host.
    pub host: String,
    /// How often it was asked.
    pub asked: usize,
    /// How often it served.
    pub good: usize,
    /// Its last answer.
    pub last: String,
    /// Whether that was a good one.
    pub serves: bool,
}

impl JournalSeen {
    /// Its phases in words.
    #[must_use]
    pub fn words(&self) -> String {
        let phases = self.phases.iter();
        let each = phases.map(|(word, millis)| format!("{word} {millis} ms"));
        each.collect::<Vec<String>>().join(", ")
    }

    /// It as JSON: `{"path","lines","same","told","phases"}`.
    #[must_use]
    pub(super) fn value(&self) -> Value {
        let phases = self.phases.iter();
        let phases: Map<String, Value> = phases
            .map(|(word, millis)| ((*word).to_owned(), json!(millis)))
            .collect();
        json!({
            "path": self.path,
            "lines": self.text.lines().count(),
            "same": self.played.is_ok(),
            "told": self.played.as_ref().err(),
            "phases": phases,
        })
    }

    /// A journal, or why it is missing, as JSON.
    #[must_use]
    pub(super) fn of(journal: &Result<Self, String>) -> Value {
        match journal {
            Err(why) => json!({ "missing": why }),
            Ok(journal) => journal.value(),
        }
    }
}

impl Leg {
    /// The phases over all records, in milliseconds, as the ledger has them: `switch_first_authoritative` and so on.
    #[must_use]
    pub fn phases(&self) -> Vec<(String, u64)> {
        let way = if self.home { "return" } else { "switch" };
        let whole = self.whole();
        let run = self.runs.last();
        let all = [
            ("run_seen", run.map(|run| run.seen)),
            ("run_over", run.and_then(|run| run.over)),
            ("first_authoritative", whole.first_authoritative),
            ("all_authoritative", whole.all_authoritative),
            ("first_resolver", whole.first_resolver),
            ("all_resolvers", whole.all_resolvers),
        ];
        let known = all.into_iter().filter_map(|(word, at)| Some((word, at?)));
        let known = known.map(|(word, at)| (format!("{way}_{word}"), millis(at)));
        let journal = run.and_then(|run| run.journal.as_ref()?.as_ref().ok());
        let own = journal.iter().flat_map(|journal| &journal.phases);
        let own = own.map(|(word, millis)| (format!("{way}_run_{word}"), *millis));
        known.chain(own).collect()
    }

    /// Whether anything has happened on it: a run, or a server that shows the site.
    #[must_use]
    pub fn has_moved(&self) -> bool {
        let whole = self.whole();
        !self.runs.is_empty() || whole.first_authoritative.or(whole.first_resolver).is_some()
    }

    /// The first of the firsts, and the last of the lasts where all are known.
    fn whole(&self) -> Phases {
        let all = || self.records.iter().map(|record| record.measured.phases);
        let last = |of: fn(Phases) -> Option<Duration>| {
            let known: Option<Vec<Duration>> = all().map(of).collect();
            known?.into_iter().max()
        };
        Phases {
            first_authoritative: all().filter_map(|it| it.first_authoritative).min(),
            all_authoritative: last(|it| it.all_authoritative),
            first_resolver: all().filter_map(|it| it.first_resolver).min(),
            all_resolvers: last(|it| it.all_resolvers),
        }
    }
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// Writes what came of it; annotations are the lines for people.
///
/// # Errors
/// When `out` cannot be written to.
pub fn render_exercise(format: Format, told: &Exercised, out: &mut dyn Write) -> io::Result<()> {
    match format {
        Format::Json => writeln!(out, "{:#}", json::value(told)),
        Format::Human { .. } | Format::GitHub | Format::Sarif | Format::JUnit { .. } => {
            human::render(told, out)
        }
    }
}
