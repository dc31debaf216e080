//! What came of a table of simulation cases: one line a case, so that two runs differ only where a case does.

use std::collections::BTreeMap;
use std::io::{self, Write};

use serde::Serialize;

use crate::diag::{Finding, Label, Outcome, Severity, Undecided, Unread};
use crate::iam::{Decision, Word};
use crate::text::{SourceMap, Span};

use super::json::{JsonUnread, View};
use super::junit::{Came, Case, Suite, place, write};
use super::{Format, render};

/// What came of one case.
#[derive(Debug)]
pub struct Tried {
    /// The case's id.
    pub id: String,
    /// Where the id stands.
    pub at: Span,
    /// What came out.
    pub decision: Decision,
    /// What had to come out.
    pub expected: Word,
    /// Keys that are missing and that the case did not plan to leave out; looked for only under `--strict-context`.
    pub unplanned: Vec<String>,
    /// What the local evaluator and AWS say differently, where both were asked.
    pub differences: Vec<String>,
}

/// What came of all cases.
#[derive(Debug, Default)]
pub struct Simulation {
    /// Cases that were tried, in the order of their tables.
    pub tried: Vec<Tried>,
    /// Tables, cases and policies that could not be read.
    pub unread: Vec<Unread>,
}

impl Tried {
    /// Whether the policies leave the decision open.
    #[must_use]
    pub fn is_undecided(&self) -> bool {
        !self.decision.undecided.is_empty() && self.differences.is_empty()
    }

    /// Whether the expected decision came out, for certain and with every key as planned.
    #[must_use]
    pub fn passed(&self) -> bool {
        self.decision.undecided.is_empty()
            && self.decision.word == self.expected
            && self.unplanned.is_empty()
            && self.differences.is_empty()
    }

    /// What came out, against what had to.
    fn summary(&self) -> String {
        let (found, expected) = (self.decision.word.word(), self.expected.word());
        if self.is_undecided() {
            format!("undecided, expected {expected}")
        } else if !self.differences.is_empty() {
            format!("the engines differ, expected {expected}")
        } else if self.decision.word == self.expected && !self.unplanned.is_empty() {
            format!("{found} as expected, but not all keys that the policies ask for are planned")
        } else if self.decision.word == self.expected {
            let not_given = self.decision.not_given.as_ref();
            not_given.map_or_else(|| found.to_owned(), |what| format!("{found} ({what})"))
        } else {
            format!("{found}, expected {expected}")
        }
    }

    /// Why it did not pass.
    fn reasons(&self) -> Vec<String> {
        if self.is_undecided() {
            return self.decision.undecided.clone();
        }
        let mut reasons = self.differences.clone();
        if self.decision.word != self.expected {
            reasons.extend_from_slice(&self.decision.why);
        }
        reasons.extend(self.unplanned.iter().map(|key| {
            format!("`{key}` is asked for and not given; give it, or name it in `absent`")
        }));
        reasons
    }
}

impl Simulation {
    /// Number of cases that passed.
    #[must_use]
    pub fn passed(&self) -> usize {
        self.tried.iter().filter(|tried| tried.passed()).count()
    }

    /// Number of cases that are undecided.
    #[must_use]
    pub fn undecided(&self) -> usize {
        self.tried
            .iter()
            .filter(|tried| tried.is_undecided())
            .count()
    }

    /// Number of cases that failed.
    #[must_use]
    pub fn failed(&self) -> usize {
        self.tried.len() - self.passed() - self.undecided()
    }

    /// As findings, for the forms that know nothing else.
    fn outcome(&self) -> Outcome {
        let failed = |tried: &&Tried| !tried.passed() && !tried.is_undecided();
        Outcome {
            files: 0,
            findings: self.tried.iter().filter(failed).map(finding).collect(),
            undecided: self
                .tried
                .iter()
                .filter(|tried| tried.is_undecided())
                .map(|tried| Undecided {
                    what: format!("case `{}`", tried.id),
                    why: tried.decision.undecided.join("; "),
                    at: tried.at,
                    missing: Vec::new(),
                })
                .collect(),
            unread: self.unread.clone(),
            ..Outcome::default()
        }
    }
}

fn finding(tried: &Tried) -> Finding {
    Finding {
        rule: "simulation-case-failed",
        severity: Severity::Error,
        message: format!("case `{}`: {}", tried.id, tried.summary()),
        primary: Label {
            at: tried.at,
            text: String::new(),
        },
        related: Vec::new(),
        pointer: None,
        help: Some(tried.reasons().join("; ")),
        fix: None,
        covers: tried.at,
        about: None,
    }
}

/// Writes a simulation in the given form.
///
/// # Errors
/// When `out` cannot be written to.
pub fn render_simulation(
    format: Format,
    simulation: &Simulation,
    sources: &SourceMap,
    out: &mut dyn Write,
) -> io::Result<()> {
    match format {
        Format::Human { .. } => human(simulation, sources, out),
        Format::Json => json(simulation, sources, out),
        Format::GitHub | Format::Sarif => render(format, &simulation.outcome(), sources, out),
        Format::JUnit { .. } => junit(simulation, sources, out),
    }
}

fn human(simulation: &Simulation, sources: &SourceMap, out: &mut dyn Write) -> io::Result<()> {
    for tried in &simulation.tried {
        let mark = if tried.passed() {
            "ok"
        } else if tried.is_undecided() {
            "open"
        } else {
            "FAIL"
        };
        writeln!(out, "{mark:4} {}: {}", tried.id, tried.summary())?;
        if !tried.passed() {
            for reason in tried.reasons() {
                writeln!(out, "       {reason}")?;
            }
        }
    }
    for unread in &simulation.unread {
        let place = unread
            .at
            .and_then(|at| sources.positions(at))
            .map(|(start, _)| format!(":{}:{}", start.line, start.column))
            .unwrap_or_default();
        writeln!(out, "unread {}{place}: {}", unread.path, unread.reason)?;
    }
    write!(
        out,
        "{} {}: {} passed, {} failed, {} undecided",
        simulation.tried.len(),
        if simulation.tried.len() == 1 {
            "case"
        } else {
            "cases"
        },
        simulation.passed(),
        simulation.failed(),
        simulation.undecided()
    )?;
    if simulation.unread.is_empty() {
        writeln!(out)
    } else {
        writeln!(out, ", {} unread", simulation.unread.len())
    }
}

/// A suite for each table. What is undecided is an error, as it is in the exit status.
fn junit(simulation: &Simulation, sources: &SourceMap, out: &mut dyn Write) -> io::Result<()> {
    let mut suites: BTreeMap<&str, Vec<Case>> = BTreeMap::new();
    for tried in &simulation.tried {
        let path = sources.path(tried.at.file);
        let (summary, reasons) = (tried.summary(), tried.reasons().join("\n"));
        let case = Case {
            name: tried.id.clone(),
            class: path.to_owned(),
            place: place(tried.at, sources),
            came: if tried.passed() {
                Came::Passed(String::new())
            } else if tried.is_undecided() {
                Came::Broken("undecided".to_owned(), format!("{summary}: {reasons}"))
            } else {
                Came::Failed("decision".to_owned(), summary, reasons)
            },
        };
        suites.entry(path).or_default().push(case);
    }
    for unread in &simulation.unread {
        let case = Case {
            name: "unread".to_owned(),
            class: unread.path.clone(),
            place: unread.at.and_then(|at| place(at, sources)),
            came: Came::Broken("unread".to_owned(), unread.reason.clone()),
        };
        suites.entry(unread.path.as_str()).or_default().push(case);
    }
    let suite = |(name, cases): (&str, Vec<Case>)| Suite {
        name: name.to_owned(),
        cases,
    };
    let suites: Vec<Suite> = suites.into_iter().map(suite).collect();
    write(&suites, out)
}

#[derive(Serialize)]
struct JsonSimulation<'a> {
    version: u32,
    summary: JsonCounts,
    results: Vec<JsonResult<'a>>,
    unread: Vec<JsonUnread<'a>>,
}

#[derive(Serialize)]
struct JsonCounts {
    cases: usize,
    passed: usize,
    failed: usize,
    undecided: usize,
}

#[derive(Serialize)]
struct JsonResult<'a> {
    id: &'a str,
    decision: &'static str,
    expected: &'static str,
    passed: bool,
    missing_context: &'a [String],
    matched: Vec<JsonMatched<'a>>,
    why: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    not_given: Option<&'a str>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    unplanned_context: &'a [String],
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    undecided: &'a [String],
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    differences: &'a [String],
}

#[derive(Serialize)]
struct JsonMatched<'a> {
    policy: &'a str,
    statement: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    sid: Option<&'a str>,
}

fn json(simulation: &Simulation, sources: &SourceMap, out: &mut dyn Write) -> io::Result<()> {
    let view = View { sources };
    let report = JsonSimulation {
        version: 1,
        summary: JsonCounts {
            cases: simulation.tried.len(),
            passed: simulation.passed(),
            failed: simulation.failed(),
            undecided: simulation.undecided(),
        },
        results: simulation.tried.iter().map(result).collect(),
        unread: simulation
            .unread
            .iter()
            .map(|unread| view.unread(unread))
            .collect(),
    };
    serde_json::to_writer_pretty(&mut *out, &report)?;
    writeln!(out)
}

fn result(tried: &Tried) -> JsonResult<'_> {
    let decision = &tried.decision;
    JsonResult {
        id: &tried.id,
        decision: decision.word.word(),
        expected: tried.expected.word(),
        passed: tried.passed(),
        missing_context: &decision.missing_context,
        matched: decision
            .matched
            .iter()
            .map(|matched| JsonMatched {
                policy: &matched.policy,
                statement: matched.statement,
                sid: matched.sid.as_deref(),
            })
            .collect(),
        why: &decision.why,
        not_given: decision.not_given.as_deref(),
        unplanned_context: &tried.unplanned,
        undecided: &decision.undecided,
        differences: &tried.differences,
    }
}
