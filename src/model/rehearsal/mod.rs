//! The ledger: what each drill and each real exercise leaves behind, `rehearsals/DATE-KIND.json`, bound to the bytes that it was
//! made with.
//!
//! `{"version":1,"kind":"drill|exercise","started","finished","outcome":"passed|failed","why"?,"but"?:[…],"tool","phases":{name: milliseconds},
//! "artefacts":{path: SHA-256}}`. Times are UTC, `2026-11-30T19:00:00Z`; paths are counted from the spec's folder, with the spec
//! itself among them. `but` is what is to be said beside the outcome. A key that is not known, or that stands twice, is told: half a proof is none. Version 1 stays readable.

mod read;
mod write;

use std::collections::BTreeMap;

use crate::text::Span;

use super::calendar::{Day, Moment};

/// The folder beside the spec.
pub const FOLDER: &str = "rehearsals";

/// The version of the form.
pub const VERSION: i64 = 1;

/// What was rehearsed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// The whole chain on loopback.
    Drill,
    /// A real switch and its return, by `PIN_SITE`.
    Exercise,
}

impl Kind {
    /// The word for it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Drill => "drill",
            Self::Exercise => "exercise",
        }
    }
}

/// What a rehearsal leaves behind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Evidence {
    /// What was rehearsed.
    pub kind: Kind,
    /// When it began, in milliseconds since 1970.
    pub started_millis: u64,
    /// When it ended.
    pub finished_millis: u64,
    /// Why it failed; `None` when it passed.
    pub failed: Option<String>,
    /// What is to be said beside `passed`: what was left out, what else is wrong.
    pub but: Vec<String>,
    /// Each phase with its milliseconds, in their order.
    pub phases: Vec<(String, u64)>,
    /// The artefacts by path, with their SHA-256 in lower-case hexadecimal digits.
    pub artefacts: BTreeMap<String, String>,
}

/// SHA-256 by path, and where that is written.
pub type Sums = BTreeMap<String, (String, Span)>;

/// One file of the ledger, as it is read.
#[derive(Debug, Clone)]
pub struct Rehearsal {
    /// Its path, as it is shown.
    pub path: String,
    /// What was rehearsed.
    pub kind: Kind,
    /// The day on which it ended, and where that is written.
    pub finished: (Day, Span),
    /// The moment at which it ended, in minutes since 1970.
    pub finished_minutes: i64,
    /// The same to the second, where it is written so.
    pub ended: Moment,
    /// Whether it passed, and where that is written.
    pub passed: (bool, Span),
    /// The artefacts.
    pub artefacts: Sums,
    /// The place of all of them.
    pub artefacts_at: Span,
}

/// The path of the journal of a run, beside the evidence at `path`.
#[must_use]
pub fn journal_beside(path: &str, run: u64) -> String {
    let stem = path.strip_suffix(".json").unwrap_or(path);
    format!("{stem}{RUN}{run}{LINES}")
}

/// Whether a file of this name is such a journal, which is no evidence by itself.
#[must_use]
pub fn is_journal(name: &str) -> bool {
    let stem = name.strip_suffix(LINES);
    let run = stem.and_then(|stem| stem.rsplit_once(RUN));
    run.is_some_and(|(_, id)| !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_digit()))
}

/// What stands before the id of a run, and the end of a journal's name.
const RUN: &str = "-run-";
const LINES: &str = ".jsonl";

/// Whether a file at this path belongs to a ledger.
#[must_use]
pub fn is_of_ledger(path: &str) -> bool {
    let Some((folder, name)) = path.rsplit_once('/') else {
        return false;
    };
    let folder = folder.rsplit('/').next().unwrap_or(folder);
    folder == FOLDER && name.ends_with(".json")
}
