//! What a run of checks ends with: findings, and what could not be read or decided.

use crate::text::Span;

use super::{Finding, Severity};

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

/// What a trust policy lets in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrustVerdict {
    /// The document.
    pub at: Span,
    /// The statement that decides, from 0.
    pub statement: usize,
    /// `safe`, `weak`, `too_broad`, `never_matches`, `stale_format` or `unresolved`.
    pub verdict: &'static str,
    /// Whether the job's own token is let in.
    pub legit_allowed: bool,
    /// The tokens of others that are let in.
    pub attackers: Vec<Attacker>,
    /// Why, in a sentence.
    pub why: String,
}

/// A token of somebody else that is let in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attacker {
    /// What it takes to get it, in a word.
    pub class: &'static str,
    /// Whose it is.
    pub name: String,
    /// What it carries.
    pub claims: Vec<(&'static str, String)>,
}

/// A finding that is meant as it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suppressed {
    /// The finding.
    pub finding: Finding,
    /// Why it is meant.
    pub reason: String,
    /// Whether a comment in the file itself says so, rather than the spec.
    pub in_source: bool,
}

/// What follows from what somebody wrote down of a failover; no finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decided {
    /// The file from which it follows.
    pub path: String,
    /// By which rule, or from where it is seen.
    pub policy: String,
    /// What is decided.
    pub decision: String,
    /// Why.
    pub why: String,
}

/// What is to be known of a rule whose findings are shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleCard {
    /// The rule's id.
    pub id: &'static str,
    /// What it finds, in one line.
    pub summary: &'static str,
    /// How bad it is, unless a finding says otherwise.
    pub severity: Severity,
    /// What it looks at, in a word.
    pub kind: &'static str,
    /// Its page, in Markdown.
    pub page: String,
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
    /// Verdicts on trust policies, where it is known whose job borrows the role.
    pub verdicts: Vec<TrustVerdict>,
    /// What follows from observations, where there are any.
    pub decisions: Vec<Decided>,
    /// Faults that are meant as they are, sorted as the others.
    pub suppressed: Vec<Suppressed>,
    /// The rules of all findings, suppressed ones among them, by id.
    pub rules: Vec<RuleCard>,
}
