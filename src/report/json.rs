//! The JSON form, version 1. Lines and columns from 1, columns in Unicode characters, offsets in bytes.

use std::collections::BTreeMap;
use std::io::{self, Write};

use serde::Serialize;

use crate::diag::{Attacker, Edit, Finding, Fix, Label, Outcome, TrustVerdict, Undecided, Unread};
use crate::text::{Position, SourceMap, Span};

use super::Summary;

#[derive(Serialize)]
struct JsonReport<'a> {
    version: u32,
    tool: JsonTool,
    summary: Summary,
    findings: Vec<JsonFinding<'a>>,
    undecided: Vec<JsonUndecided<'a>>,
    unread: Vec<JsonUnread<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    verdicts: Vec<JsonVerdict<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    decisions: Vec<JsonDecided<'a>>,
}

/// What follows from observations.
#[derive(Serialize)]
struct JsonDecided<'a> {
    path: &'a str,
    policy: &'a str,
    decision: &'a str,
    why: &'a str,
}

#[derive(Serialize)]
struct JsonTool {
    name: &'static str,
    version: &'static str,
}

#[derive(Serialize)]
struct JsonFinding<'a> {
    rule: &'a str,
    severity: &'static str,
    message: &'a str,
    path: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pointer: Option<&'a str>,
    span: Option<JsonSpan>,
    related: Vec<JsonRelated<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    help: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fix: Option<JsonFix<'a>>,
}

#[derive(Serialize)]
struct JsonRelated<'a> {
    message: &'a str,
    path: &'a str,
    span: Option<JsonSpan>,
}

#[derive(Serialize)]
struct JsonFix<'a> {
    title: &'a str,
    safe: bool,
    edits: Vec<JsonEdit<'a>>,
}

#[derive(Serialize)]
struct JsonEdit<'a> {
    path: &'a str,
    span: Option<JsonSpan>,
    text: &'a str,
}

/// A check that could not be made.
#[derive(Serialize)]
pub(super) struct JsonUndecided<'a> {
    what: &'a str,
    why: &'a str,
    path: &'a str,
    span: Option<JsonSpan>,
    missing: &'a [String],
}

#[derive(Serialize)]
struct JsonVerdict<'a> {
    path: &'a str,
    statement: usize,
    verdict: &'static str,
    legit_allowed: bool,
    attackers: Vec<JsonAttacker<'a>>,
    why: &'a str,
}

#[derive(Serialize)]
struct JsonAttacker<'a> {
    class: &'static str,
    name: &'a str,
    claims: BTreeMap<&'static str, &'a str>,
}

/// A file, or a part of one, that could not be read.
#[derive(Serialize)]
pub(super) struct JsonUnread<'a> {
    path: &'a str,
    reason: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    span: Option<JsonSpan>,
}

/// Start and end.
#[derive(Serialize)]
pub(super) struct JsonSpan {
    start: JsonPosition,
    end: JsonPosition,
}

#[derive(Serialize)]
struct JsonPosition {
    line: usize,
    column: usize,
    offset: usize,
}

pub(super) fn render(
    outcome: &Outcome,
    sources: &SourceMap,
    out: &mut dyn Write,
) -> io::Result<()> {
    let view = View { sources };
    let report = JsonReport {
        version: 1,
        tool: JsonTool {
            name: env!("CARGO_PKG_NAME"),
            version: env!("CARGO_PKG_VERSION"),
        },
        summary: Summary::of(outcome),
        findings: outcome
            .findings
            .iter()
            .map(|finding| view.finding(finding))
            .collect(),
        undecided: outcome
            .undecided
            .iter()
            .map(|undecided| view.undecided(undecided))
            .collect(),
        unread: outcome
            .unread
            .iter()
            .map(|unread| view.unread(unread))
            .collect(),
        verdicts: outcome
            .verdicts
            .iter()
            .map(|verdict| view.verdict(verdict))
            .collect(),
        decisions: outcome
            .decisions
            .iter()
            .map(|decided| JsonDecided {
                path: &decided.path,
                policy: &decided.policy,
                decision: &decided.decision,
                why: &decided.why,
            })
            .collect(),
    };
    serde_json::to_writer_pretty(&mut *out, &report)?;
    writeln!(out)
}

/// Places in the words of the JSON form.
pub(super) struct View<'a> {
    pub(super) sources: &'a SourceMap,
}

impl<'a> View<'a> {
    fn finding(&self, finding: &'a Finding) -> JsonFinding<'a> {
        JsonFinding {
            rule: finding.rule,
            severity: finding.severity.word(),
            message: &finding.message,
            path: self.sources.path(finding.primary.at.file),
            pointer: finding.pointer.as_deref(),
            span: self.span(finding.primary.at),
            related: finding
                .related
                .iter()
                .map(|label| self.related(label))
                .collect(),
            help: finding.help.as_deref(),
            fix: finding.fix.as_ref().map(|fix| self.fix(fix)),
        }
    }

    fn related(&self, label: &'a Label) -> JsonRelated<'a> {
        JsonRelated {
            message: &label.text,
            path: self.sources.path(label.at.file),
            span: self.span(label.at),
        }
    }

    fn fix(&self, fix: &'a Fix) -> JsonFix<'a> {
        let edit = |edit: &'a Edit| JsonEdit {
            path: self.sources.path(edit.at.file),
            span: self.span(edit.at),
            text: &edit.with,
        };
        JsonFix {
            title: &fix.title,
            safe: fix.safe,
            edits: fix.edits.iter().map(edit).collect(),
        }
    }

    pub(super) fn undecided(&self, undecided: &'a Undecided) -> JsonUndecided<'a> {
        JsonUndecided {
            what: &undecided.what,
            why: &undecided.why,
            path: self.sources.path(undecided.at.file),
            span: self.span(undecided.at),
            missing: &undecided.missing,
        }
    }

    pub(super) fn unread(&self, unread: &'a Unread) -> JsonUnread<'a> {
        JsonUnread {
            path: &unread.path,
            reason: &unread.reason,
            span: unread.at.and_then(|at| self.span(at)),
        }
    }

    fn verdict(&self, verdict: &'a TrustVerdict) -> JsonVerdict<'a> {
        let attacker = |attacker: &'a Attacker| JsonAttacker {
            class: attacker.class,
            name: &attacker.name,
            claims: attacker
                .claims
                .iter()
                .map(|(claim, value)| (*claim, value.as_str()))
                .collect(),
        };
        JsonVerdict {
            path: self.sources.path(verdict.at.file),
            statement: verdict.statement,
            verdict: verdict.verdict,
            legit_allowed: verdict.legit_allowed,
            attackers: verdict.attackers.iter().map(attacker).collect(),
            why: &verdict.why,
        }
    }

    pub(super) fn span(&self, span: Span) -> Option<JsonSpan> {
        let (start, end) = self.sources.positions(span)?;
        Some(JsonSpan {
            start: position(start),
            end: position(end),
        })
    }
}

fn position(position: Position) -> JsonPosition {
    let Position {
        line,
        column,
        offset,
    } = position;
    JsonPosition {
        line,
        column,
        offset,
    }
}
