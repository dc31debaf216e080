//! Findings that are meant as they are: a comment `pointsman: allow[rule] reason` on or above the line, or for JSON an
//! `[[allow]]` in the spec. A reason is obligatory, and a suppression that suppresses nothing is reported.

use std::collections::BTreeSet;

use crate::diag::{Finding, Label, Severity, Suppressed};
use crate::model::spec::{Allow, Settings, Spec};
use crate::rules::{Rule, Workspace, find, reader};
use crate::syntax::Comment;
use crate::text::{SourceMap, Span};

/// One suppression.
#[derive(Debug)]
pub struct Suppression {
    rule: String,
    /// The comment, or the entry of the spec.
    at: Span,
    /// Why; empty when nobody says.
    reason: String,
    scope: Scope,
}

#[derive(Debug)]
enum Scope {
    /// From the first to the last byte of the lines that a comment speaks of.
    Bytes(Span),
    /// A file or all below a folder, and in it everything at or below a pointer.
    Pointer { path: String, pointer: String },
}

const MARK: &str = "pointsman:";

impl Suppression {
    /// The suppressions in the comments of one file.
    #[must_use]
    pub fn from_comments(comments: &[Comment], sources: &SourceMap) -> Vec<Self> {
        let mut found = Vec::new();
        for comment in comments {
            let Some(rest) = comment.text.trim_start().strip_prefix(MARK) else {
                continue;
            };
            let Some((rules, reason)) = rest
                .trim_start()
                .strip_prefix("allow[")
                .and_then(|rest| rest.split_once(']'))
            else {
                continue;
            };
            for rule in rules
                .split(',')
                .map(str::trim)
                .filter(|rule| !rule.is_empty())
            {
                found.push(Self {
                    rule: rule.to_owned(),
                    at: comment.span,
                    reason: reason.trim().to_owned(),
                    scope: Scope::Bytes(lines_of(comment, comments, sources)),
                });
            }
        }
        found
    }

    /// The suppressions of the spec.
    #[must_use]
    pub fn from_spec(spec: &Spec) -> Vec<Self> {
        let at = |index| spec.at(&format!("/allow/{index}/rule"));
        Self::from_entries(&spec.allow, at)
    }

    /// The suppressions of a file that has nothing else.
    #[must_use]
    pub fn from_settings(settings: &Settings) -> Vec<Self> {
        Self::from_entries(&settings.allow, |index| settings.at_entry(index))
    }

    fn from_entries(all: &[Allow], at: impl Fn(usize) -> Span) -> Vec<Self> {
        let entry = |(index, allow): (usize, &Allow)| Self {
            rule: allow.rule.clone(),
            at: at(index),
            reason: allow.reason.trim().to_owned(),
            scope: Scope::Pointer {
                path: normal(&allow.path),
                pointer: allow.pointer.clone(),
            },
        };
        all.iter().enumerate().map(entry).collect()
    }

    /// Whether what it speaks of was looked at in this run, so that it can be said whether it is used.
    fn is_of_a_file_in(&self, paths: &BTreeSet<String>) -> bool {
        match &self.scope {
            Scope::Bytes(_) => true,
            Scope::Pointer { path, .. } => paths.iter().any(|checked| is_at(checked, path)),
        }
    }

    fn covers(&self, finding: &Finding, sources: &SourceMap) -> bool {
        let same = find(&self.rule).is_some_and(|rule| rule.id == finding.rule);
        same && !self.reason.is_empty()
            && match &self.scope {
                Scope::Bytes(lines) => {
                    let start = Span {
                        end: finding.primary.at.start,
                        ..finding.primary.at
                    };
                    lines.touches(start)
                }
                Scope::Pointer { path, pointer } => {
                    let here = finding.pointer.as_deref().unwrap_or_default();
                    is_at(sources.path(finding.primary.at.file), path)
                        && here
                            .strip_prefix(pointer.as_str())
                            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
                }
            }
    }
}

/// A path without `.`, without what `..` takes back, and without slashes that say nothing; empty for the working folder.
fn normal(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => {
                parts.pop();
            }
            other => parts.push(other),
        }
    }
    let root = if path.starts_with('/') { "/" } else { "" };
    format!("{root}{}", parts.join("/"))
}

/// Whether a file is what `named`, a normal path, names, or lies below it.
fn is_at(file: &str, named: &str) -> bool {
    let file = normal(file);
    let below = file.strip_prefix(named);
    below.is_some_and(|rest| named.is_empty() || rest.is_empty() || rest.starts_with('/'))
}

/// The line of the comment and, where it stands alone, those below it up to the first that is not such a comment too.
fn lines_of(comment: &Comment, comments: &[Comment], sources: &SourceMap) -> Span {
    let Some(source) = sources.get(comment.span.file) else {
        return comment.span;
    };
    let (text, lines) = (source.text(), source.lines());
    let line_of = |offset: u32| lines.position(text, offset as usize).line;
    let start_of = |line: usize| lines.line_start(line).unwrap_or(text.len());
    let is_comment = |line: usize| {
        let start = start_of(line);
        let content = text.get(start..start_of(line + 1)).unwrap_or_default();
        let indent = content.len() - content.trim_start().len();
        comments
            .iter()
            .any(|other| other.span.start as usize == start + indent)
    };
    let first = line_of(comment.span.start);
    let mut last = line_of(comment.span.end.saturating_sub(1).max(comment.span.start));
    if is_comment(first) {
        last += 1;
        while last < lines.lines() && is_comment(last) {
            last += 1;
        }
    }
    Span::new(
        comment.span.file,
        start_of(first),
        start_of(last + 1).saturating_sub(1),
    )
}

/// Takes the suppressed findings out, which are the second list, and puts in what is wrong with the suppressions themselves.
pub(super) fn apply(
    findings: Vec<Finding>,
    suppressions: &[Suppression],
    workspace: &Workspace,
    sources: &SourceMap,
) -> (Vec<Finding>, Vec<Suppressed>) {
    let mut used = vec![false; suppressions.len()];
    let (mut kept, mut meant) = (Vec::new(), Vec::new());
    for finding in findings {
        let mut cover = None;
        for (suppression, used) in suppressions.iter().zip(&mut used) {
            if suppression.covers(&finding, sources) {
                *used = true;
                cover = cover.or(Some(suppression));
            }
        }
        match cover {
            Some(suppression) => meant.push(Suppressed {
                finding,
                reason: suppression.reason.clone(),
                in_source: matches!(suppression.scope, Scope::Bytes(_)),
            }),
            None => kept.push(finding),
        }
    }
    for (suppression, used) in suppressions.iter().zip(used) {
        let checked = suppression.is_of_a_file_in(&workspace.paths);
        kept.extend(fault_of(suppression, used, (workspace.whole, checked)));
    }
    (kept, meant)
}

/// What is wrong with a suppression, of whose file it is known whether it was `checked`, and whether the run was `whole`.
fn fault_of(
    suppression: &Suppression,
    used: bool,
    (whole, checked): (bool, bool),
) -> Option<Finding> {
    let rule = &suppression.rule;
    if find(rule).is_none() {
        let message = format!("`{rule}` is no rule, so nothing is suppressed");
        return Some(finding_of(
            &reader::SUPPRESSION_UNUSED,
            suppression.at,
            message,
            "`pointsman explain --list` names every rule",
        ));
    }
    if suppression.reason.is_empty() {
        let message = format!("the suppression of `{rule}` gives no reason and is not applied");
        let help = format!("say why it is meant: `{MARK} allow[{rule}] the reason`");
        return Some(finding_of(
            &reader::SUPPRESSION_WITHOUT_REASON,
            suppression.at,
            message,
            &help,
        ));
    }
    let (message, help) = match &suppression.scope {
        Scope::Pointer { path, .. } if !checked => (
            format!("there is no file `{path}` in this run, so nothing is suppressed"),
            "write the path of a file, or of a folder, from the folder of this file; or remove it",
        ),
        Scope::Pointer { .. } | Scope::Bytes(_) => (
            format!("nothing here is found by `{rule}`, so nothing is suppressed"),
            "remove it",
        ),
    };
    (!used && (whole || checked))
        .then(|| finding_of(&reader::SUPPRESSION_UNUSED, suppression.at, message, help))
}

fn finding_of(rule: &Rule, at: Span, message: String, help: &str) -> Finding {
    Finding {
        rule: rule.id,
        severity: rule.severity.max(Severity::Warning),
        message,
        primary: Label {
            at,
            text: String::new(),
        },
        related: Vec::new(),
        pointer: None,
        help: Some(help.to_owned()),
        fix: None,
        covers: at,
        about: None,
    }
}
