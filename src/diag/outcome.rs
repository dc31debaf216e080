//! What a run of checks ends with: findings, and what could not be read or decided.

use crate::text::Span;

use super::Finding;

/// A check that could not be made because a value is not known here.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Undecided {
    /// What could not be decided.
    pub what: String,
    /// Why.
    pub why: String,
    /// Where.
    pub at: Span,
    /// Addresses or facts that would decide it.
    pub missing: Vec<String>,
}

/// A file, or a part of one, that was recognised but could not be read.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Unread {
    /// The path as shown.
    pub path: String,
    /// Why, and what to do.
    pub reason: String,
    /// Where reading stopped.
    pub at: Option<Span>,
}

/// Everything a run has to say. Nothing that was recognised is left out: it was checked, or it stands in `undecided` or `unread`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Number of files that were read.
    pub files: usize,
    /// Faults, sorted by path, place and rule.
    pub findings: Vec<Finding>,
    /// Checks that could not be made.
    pub undecided: Vec<Undecided>,
    /// Files that could not be read.
    pub unread: Vec<Unread>,
}
