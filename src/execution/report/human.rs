//! What came of a run, for a person.

use std::io::{self, Write};

use super::RunReport;

/// Writes the result in a few lines.
///
/// # Errors
/// When `out` cannot be written to.
pub fn human(report: &RunReport, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{}", report.verdict())?;
    if let Some(way) = report.way() {
        writeln!(out, "{way}")?;
    }
    for lost in &report.lost {
        writeln!(out, "visitors of {}: {}", lost.host, lost.why)?;
    }
    for warning in &report.warnings {
        writeln!(out, "warning: {warning}")?;
    }
    if let Some(change) = &report.change {
        writeln!(out, "change {change}")?;
    }
    let spans = report.phases.words().into_iter();
    let spans: Vec<String> = spans
        .filter_map(|(word, millis)| {
            let millis = millis?;
            Some(format!("{word} {}.{:03} s", millis / 1000, millis % 1000))
        })
        .collect();
    if !spans.is_empty() {
        writeln!(out, "{}", spans.join(", "))?;
    }
    if let Some(journal) = &report.journal {
        writeln!(out, "journal {journal}")?;
    }
    Ok(())
}
