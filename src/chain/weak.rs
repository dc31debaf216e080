//! What weakens a link: a finding or an open question, with its place.

use crate::check::Checked;
use crate::diag::{Finding, Severity, Undecided, Unread};
use crate::text::Span;

use super::duties::Duty;

/// One fault of a link, or one question that is open there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Weak {
    /// File and line.
    pub place: String,
    /// What is wrong, or what is not known.
    pub what: String,
    /// Whether it is only not known.
    pub open: bool,
    /// Whether the forecast and the matrix count its effect, so that the link still does its work.
    pub counted: bool,
    /// The duty that it is about.
    pub(super) duty: Option<Duty>,
}

impl Weak {
    /// A finding; `None` for one that breaks nothing.
    pub(super) fn found(finding: &Finding, checked: &Checked, duty: Option<Duty>) -> Option<Self> {
        (finding.severity == Severity::Error).then(|| Self {
            place: place(checked, finding.primary.at),
            what: finding.message.clone(),
            open: false,
            counted: false,
            duty,
        })
    }

    /// What could not be decided.
    pub(super) fn undecided(open: &Undecided, checked: &Checked, duty: Option<Duty>) -> Self {
        Self {
            place: place(checked, open.at),
            what: format!("{}: {}", open.what, open.why),
            open: true,
            counted: false,
            duty,
        }
    }

    /// What could not be read.
    pub(super) fn unread(unread: &Unread, duty: Option<Duty>) -> Self {
        Self {
            place: unread.path.clone(),
            what: format!("not read: {}", unread.reason),
            open: true,
            counted: false,
            duty,
        }
    }
}

/// File and line of a place.
pub(super) fn place(checked: &Checked, at: Span) -> String {
    let line = checked
        .sources
        .positions(at)
        .map_or(1, |(start, _)| start.line);
    format!("{}:{line}", checked.sources.path(at.file))
}
