//! Asks every rule.

use std::collections::BTreeSet;

use crate::diag::{Finding, Outcome, Severity};
use crate::model::policy::PolicyKind;
use crate::rules::{Check, Rule, Sink, Tier, Workspace, all, find};
use crate::text::{FileId, SourceMap, Span};

use super::load::Loaded;
use super::{suppress, trust};

/// What a run ended with, and what is needed to show it.
#[derive(Debug, Default)]
pub struct Checked {
    /// Findings, and what was not decided or not read.
    pub outcome: Outcome,
    /// The files.
    pub sources: SourceMap,
    /// Whether something of the spec's own artefacts is undecided.
    pub spec_undecided: bool,
}

/// Runs all rules over what was loaded.
#[must_use]
pub fn run(loaded: Loaded) -> Checked {
    let Loaded {
        sources,
        workspace,
        suppressions,
        mut findings,
        mut undecided,
        mut unread,
        files,
        spec_files,
        context_files,
        folders: _,
    } = loaded;
    for rule in all() {
        let spec = workspace.spec.as_ref();
        let mut sink = Sink::new(rule, spec, &sources, &mut findings, &mut undecided)
            .about(workspace.repository.as_ref());
        ask(rule, &workspace, &mut sink);
    }
    let findings = as_severe_as_the_spec_asks(without_echoes(findings), &spec_files);
    let mut findings = suppress::apply(findings, &suppressions, &sources);
    findings.retain(|finding| !context_files.contains(&finding.primary.at.file));
    undecided.retain(|undecided| !context_files.contains(&undecided.at.file));
    let key = |at: Span| (sources.path(at.file).to_owned(), at.start, at.end);
    findings.sort_by_cached_key(|finding| {
        (
            key(finding.primary.at),
            finding.rule,
            finding.message.clone(),
        )
    });
    findings.dedup();
    undecided.sort_by_cached_key(|undecided| {
        (
            key(undecided.at),
            undecided.what.clone(),
            undecided.why.clone(),
        )
    });
    undecided.dedup();
    unread.sort();
    let verdicts = trust::verdicts(&workspace);
    let spec_undecided = undecided
        .iter()
        .any(|undecided| spec_files.contains(&undecided.at.file));
    Checked {
        outcome: Outcome {
            files,
            findings,
            undecided,
            unread,
            verdicts,
        },
        sources,
        spec_undecided,
    }
}

/// With a spec, what weakens one of its own artefacts is an error.
fn as_severe_as_the_spec_asks(
    mut findings: Vec<Finding>,
    spec_files: &BTreeSet<FileId>,
) -> Vec<Finding> {
    for finding in &mut findings {
        if finding.severity == Severity::Warning && spec_files.contains(&finding.primary.at.file) {
            finding.severity = Severity::Error;
        }
    }
    findings
}

fn ask(rule: &'static Rule, workspace: &Workspace, sink: &mut Sink<'_>) {
    match rule.check {
        Check::Policy(check) => {
            for artefact in &workspace.policies {
                check(&artefact.model, sink);
            }
        }
        Check::Trust(check) => {
            for artefact in workspace
                .policies
                .iter()
                .filter(|artefact| artefact.model.kind == PolicyKind::Trust)
            {
                check(&artefact.model, sink);
            }
        }
        Check::Terraform(check) => {
            for module in &workspace.modules {
                check(module, sink);
            }
        }
        Check::Workflow(check) => {
            for artefact in &workspace.workflows {
                check(&artefact.model, sink);
            }
        }
        Check::Monitor(check) => {
            for artefact in &workspace.monitors {
                check(&artefact.model, workspace, sink);
            }
        }
        Check::Whole(check) => check(workspace, sink),
        Check::Reader => {}
    }
}

fn tier(finding: &Finding) -> Tier {
    find(finding.rule).map_or(Tier::Specific, |rule| rule.tier)
}

/// One fault, one finding: drops what a more specific rule has said about the same bytes.
fn without_echoes(findings: Vec<Finding>) -> Vec<Finding> {
    let said: Vec<(Tier, Span)> = findings
        .iter()
        .map(|finding| (tier(finding), finding.primary.at))
        .collect();
    let echo = |finding: &Finding| {
        let tier = tier(finding);
        tier > Tier::Specific
            && said
                .iter()
                .any(|(other, at)| *other < tier && at.touches(finding.covers))
    };
    let (mut kept, findings) = (Vec::with_capacity(findings.len()), findings);
    for finding in findings {
        if !echo(&finding) {
            kept.push(finding);
        }
    }
    kept
}
