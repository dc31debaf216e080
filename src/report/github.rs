//! Workflow commands of GitHub Actions (GitHub docs, "Workflow commands for GitHub Actions"): one annotation a finding.

use std::io::{self, Write};

use crate::diag::{Finding, Outcome, Severity};
use crate::text::{SourceMap, Span};

use super::summary_line;
use crate::text::command::{message, property};

pub(super) fn render(
    outcome: &Outcome,
    sources: &SourceMap,
    out: &mut dyn Write,
) -> io::Result<()> {
    for unread in &outcome.unread {
        let place = unread
            .at
            .map_or_else(|| property("file", &unread.path), |at| place(at, sources));
        writeln!(
            out,
            "::error {place},title=unread::{}",
            message(&unread.reason)
        )?;
    }
    for finding in &outcome.findings {
        let command = match finding.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "notice",
        };
        let place = place(finding.primary.at, sources);
        let title = property("title", finding.rule);
        writeln!(
            out,
            "::{command} {place},{title}::{}",
            message(&text_of(finding, sources))
        )?;
    }
    for undecided in &outcome.undecided {
        let place = place(undecided.at, sources);
        let mut text = format!("{}: {}", undecided.what, undecided.why);
        if !undecided.missing.is_empty() {
            let missing = undecided.missing.join("`, `");
            text.push_str(&format!("\nwhat would decide it: `{missing}`"));
        }
        writeln!(out, "::warning {place},title=undecided::{}", message(&text))?;
    }
    writeln!(out, "{}", summary_line(outcome))
}

/// The message with the places that belong to it, since an annotation has one place only.
fn text_of(finding: &Finding, sources: &SourceMap) -> String {
    let mut text = finding.message.clone();
    for label in &finding.related {
        if let Some((start, _)) = sources.positions(label.at) {
            let path = sources.path(label.at.file);
            text.push_str(&format!(
                "\n{path}:{}:{}: {}",
                start.line, start.column, label.text
            ));
        }
    }
    if let Some(help) = &finding.help {
        text.push_str(&format!("\nhelp: {help}"));
    }
    text
}

/// File, lines and, when start and end are on one line, columns.
fn place(span: Span, sources: &SourceMap) -> String {
    let file = property("file", sources.path(span.file));
    let Some((start, end)) = sources.positions(span) else {
        return file;
    };
    if start.line == end.line {
        let last = end.column.max(start.column + 1);
        format!(
            "{file},line={},endLine={},col={},endColumn={last}",
            start.line, end.line, start.column
        )
    } else {
        format!("{file},line={},endLine={}", start.line, end.line)
    }
}
