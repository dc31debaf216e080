//! What came of a run, for a job of GitHub Actions: annotations, the step's summary, its outputs.
//!
//! Texts from outside (answers of services, values of records, a pin) stand in them, and must start nothing of their own:
//! GitHub docs, "Workflow commands for GitHub Actions"; GitHub Flavored Markdown, sections 2.4 (backslash escapes) and 4.10.

use std::io::{self, Write};

use crate::failover::Why;
use crate::text::command::{message, one_line, property};

use super::timeline::seconds;
use super::{Row, RunReport};

/// How many bytes of the journal a summary carries; GitHub takes 1 MiB for a step and drops what is longer altogether.
const JOURNAL_BYTES: usize = 256 * 1024;

/// How many bytes the time line may bring a summary to.
const TABLE_BYTES: usize = 512 * 1024;

/// How many points a list of a summary has.
const POINTS: usize = 50;

/// How many rows of the time line a summary carries.
const ROWS: usize = 200;

/// Writes an annotation for everything that a person must know, and the result in one line. GitHub shows ten of each kind:
/// the outcome is the first.
///
/// # Errors
/// When `out` cannot be written to.
pub fn annotations(report: &RunReport, out: &mut dyn Write) -> io::Result<()> {
    if report.notify {
        let command = if report.status == 0 {
            "notice"
        } else {
            "error"
        };
        let title = property("title", &format!("failover {}", report.decision));
        writeln!(out, "::{command} {title}::{}", message(&told(report)))?;
    }
    for warning in &report.warnings {
        writeln!(out, "::warning title=failover::{}", message(warning))?;
    }
    writeln!(out, "{}", one_line(&report.verdict()))
}

/// The outcome, with what visitors miss.
fn told(report: &RunReport) -> String {
    let mut text = report.why.clone();
    if let Some(way) = report.way() {
        text.push('\n');
        text.push_str(&way);
    }
    for lost in &report.lost {
        text.push_str(&format!("\nvisitors of {}: {}", lost.host, lost.why));
    }
    text
}

/// The step's summary in Markdown: verdict, what visitors miss, the time line and the journal.
#[must_use]
pub fn step_summary(report: &RunReport) -> String {
    let mut text = format!(
        "## Failover: {}\n\nStatus {}: {}\n",
        escaped(&report.decision),
        report.status,
        escaped(&report.why)
    );
    let facts = [
        ("from", report.from.as_deref()),
        ("to", report.to.as_deref()),
        ("reason", report.reason.map(Why::describe)),
        ("change", report.change.as_deref()),
        ("journal", report.journal.as_deref()),
        ("dry run", report.dry_run.then_some("nothing was written")),
    ];
    let rows: Vec<[String; 2]> = facts
        .into_iter()
        .filter_map(|(what, value)| Some([what.to_owned(), value?.to_owned()]))
        .collect();
    table(&mut text, None, ["what", "value"], &rows);
    list(&mut text, "Warnings", report.warnings.iter().cloned());
    let lost = report
        .lost
        .iter()
        .map(|lost| format!("{}: {}", lost.host, lost.why));
    list(&mut text, "What visitors miss", lost);
    let rows: Vec<[String; 3]> = report.rows.iter().take(ROWS).map(cells).collect();
    let mut room = TABLE_BYTES.saturating_sub(text.len());
    let fitting = rows.iter().take_while(|cells| {
        let long: usize = cells.iter().map(|cell| escaped(cell).len() + 3).sum();
        let fits = long < room;
        room = room.saturating_sub(long);
        fits
    });
    let fitting = fitting.count();
    let header = ["s since start", "what", "result"];
    table(
        &mut text,
        Some("Time line"),
        header,
        rows.get(..fitting).unwrap_or_default(),
    );
    if report.rows.len() > fitting {
        let left = report.rows.len() - fitting;
        text.push_str(&format!("\n{left} more rows are in the journal.\n"));
    }
    journal(&mut text, &report.lines);
    text
}

fn cells(row: &Row) -> [String; 3] {
    let result = if row.times > 1 {
        format!("{} ({} times)", row.result, row.times)
    } else {
        row.result.clone()
    };
    [seconds(row.at), row.what.clone(), result]
}

fn table<const N: usize>(
    text: &mut String,
    title: Option<&str>,
    header: [&str; N],
    rows: &[[String; N]],
) {
    if rows.is_empty() {
        return;
    }
    if let Some(title) = title {
        text.push_str(&format!("\n### {title}\n"));
    }
    text.push_str(&format!(
        "\n| {} |\n|{}\n",
        header.join(" | "),
        "---|".repeat(N)
    ));
    for row in rows {
        let cells: Vec<String> = row.iter().map(|cell| escaped(cell)).collect();
        text.push_str(&format!("| {} |\n", cells.join(" | ")));
    }
}

fn list(text: &mut String, title: &str, items: impl Iterator<Item = String>) {
    for (index, item) in items.enumerate() {
        if index == 0 {
            text.push_str(&format!("\n### {title}\n\n"));
        }
        if index == POINTS {
            text.push_str("- and more, which are in the log\n");
            return;
        }
        text.push_str(&format!("- {}\n", escaped(&item)));
    }
}

/// The journal, folded. Each of its lines begins with `{` and has no line end inside, so none can close the fence.
fn journal(text: &mut String, lines: &[String]) {
    if lines.is_empty() {
        return;
    }
    text.push_str("\n<details><summary>Journal</summary>\n\n````json\n");
    let mut room = JOURNAL_BYTES;
    let fitting = lines.iter().take_while(|line| {
        let fits = line.len() < room;
        room = room.saturating_sub(line.len() + 1);
        fits
    });
    let fitting: Vec<&String> = fitting.collect();
    for line in &fitting {
        text.push_str(line);
        text.push('\n');
    }
    text.push_str("````\n");
    if fitting.len() < lines.len() {
        let left = lines.len() - fitting.len();
        text.push_str(&format!(
            "\n{left} more lines are too long for a summary.\n"
        ));
    }
    text.push_str("\n</details>\n");
}

/// A text from outside in Markdown: every character that could begin something there is escaped, so that it stands as it
/// is written. Also links that nobody wrote, `http://` and `www.`, begin nothing.
fn escaped(text: &str) -> String {
    const BEGIN: &str = "\\`*_[]<>&!|~$@#+";
    let text = one_line(text);
    let mut out = String::with_capacity(text.len());
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        let link = match letter {
            ':' => letters.peek() == Some(&'/'),
            '.' => out
                .get(out.len().saturating_sub(3)..)
                .is_some_and(|before| before.eq_ignore_ascii_case("www")),
            _ => false,
        };
        if link || BEGIN.contains(letter) {
            out.push('\\');
        }
        out.push(letter);
    }
    out
}

/// The step's outputs as GitHub reads them from its file: `decision`, `status`, `from`, `to`, `change_id`, `journal`.
#[must_use]
pub fn outputs(report: &RunReport) -> String {
    let of = |text: &Option<String>| text.clone().unwrap_or_default();
    let values = [
        ("decision", report.decision.clone()),
        ("status", report.status.to_string()),
        ("from", of(&report.from)),
        ("to", of(&report.to)),
        ("change_id", of(&report.change)),
        ("journal", of(&report.journal)),
    ];
    values
        .iter()
        .map(|(name, value)| output(name, value))
        .collect()
}

/// One output, between lines of a word that is in none of its own.
fn output(name: &str, value: &str) -> String {
    let mut word = "end".to_owned();
    while value.contains(&word) {
        word.push('-');
        word.push_str(name);
    }
    format!("{name}<<{word}\n{value}\n{word}\n")
}
