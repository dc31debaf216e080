//! Floor 5: an outcome as text. One renderer a file; none of them knows a rule.

mod chain;
mod chart;
mod closed;
#[cfg(feature = "drill")]
pub mod drill;
mod exercise;
mod explained;
mod forecast;
mod github;
mod human;
mod inspection;
mod json;
mod junit;
pub mod module;
mod page;
mod proof;
mod propagation;
mod rehearsal;
mod sarif;
mod simulation;

use std::io::{self, Write};

use crate::diag::{Outcome, Severity};
use crate::text::SourceMap;

pub use chain::{render_chain, render_mermaid, render_survival};
pub use exercise::{
    Exercised, HostSeen, JournalSeen, Leg, RecordMeasured, RunSeen, render_exercise,
};
pub use explained::{Edited, Explained, render_explained};
pub use forecast::{Forecasted, forecast_html, forecast_svg, render_forecast};
pub use inspection::{Inspection, render_inspection};
pub use proof::{CasesFile, Claim, CounterExample, Proof, Standing, render_proof, request_json};
pub use propagation::{Propagation, SiteNames, render_propagation};
pub use rehearsal::{Rehearsed, render_rehearsal};
pub use simulation::{Simulation, Tried, render_simulation};

/// The form of the output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// For a person, with excerpts.
    Human {
        /// Whether to colour.
        colour: bool,
    },
    /// The stable JSON form.
    Json,
    /// Annotations of GitHub Actions.
    GitHub,
    /// SARIF 2.1.0.
    Sarif,
    /// JUnit XML.
    JUnit {
        /// From which severity on a finding is a failure.
        fail_on: Severity,
    },
}

/// How many there are of each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub struct Summary {
    /// Files read.
    pub files: usize,
    /// Findings that are errors.
    pub errors: usize,
    /// Findings that are warnings.
    pub warnings: usize,
    /// Findings that are notes.
    pub notes: usize,
    /// Checks that could not be decided.
    pub undecided: usize,
    /// Files or parts that could not be read.
    pub unread: usize,
}

impl Summary {
    /// Counts an outcome.
    #[must_use]
    pub fn of(outcome: &Outcome) -> Self {
        let count = |severity| {
            outcome
                .findings
                .iter()
                .filter(|finding| finding.severity == severity)
                .count()
        };
        Self {
            files: outcome.files,
            errors: count(Severity::Error),
            warnings: count(Severity::Warning),
            notes: count(Severity::Note),
            undecided: outcome.undecided.len(),
            unread: outcome.unread.len(),
        }
    }
}

/// The counts in one sentence.
fn summary_line(outcome: &Outcome) -> String {
    let Summary {
        files,
        errors,
        warnings,
        notes,
        undecided,
        unread,
    } = Summary::of(outcome);
    let count = |number: usize, one: &str, many: &str| {
        format!("{number} {}", if number == 1 { one } else { many })
    };
    let nothing = if files + unread == 0 {
        "; nothing here is a policy, Terraform, a workflow or a monitor"
    } else {
        ""
    };
    format!(
        "{} checked: {}, {}, {}, {undecided} undecided, {unread} unread{nothing}",
        count(files, "file", "files"),
        count(errors, "error", "errors"),
        count(warnings, "warning", "warnings"),
        count(notes, "note", "notes"),
    )
}

/// Writes `outcome` in the given form.
///
/// # Errors
/// When `out` cannot be written to.
pub fn render(
    format: Format,
    outcome: &Outcome,
    sources: &SourceMap,
    out: &mut dyn Write,
) -> io::Result<()> {
    match format {
        Format::Human { colour } => human::render(outcome, sources, colour, out),
        Format::Json => json::render(outcome, sources, out),
        Format::GitHub => github::render(outcome, sources, out),
        Format::Sarif => sarif::render(outcome, sources, out),
        Format::JUnit { fail_on } => junit::render(outcome, sources, fail_on, out),
    }
}
