//! Puts every trust policy before the evaluator, for the job that is meant.

use std::collections::BTreeSet;

use crate::diag::{Attacker, Finding, Severity, TrustVerdict, Undecided};
use crate::iam::trust::Verdict;
use crate::model::policy::PolicyKind;
use crate::model::trust::github_statements;
use crate::rules::{Check, Workspace, find};
use crate::text::FileId;

/// What remains open when nobody said whose job borrows the role: told once, at the first statement about GitHub's tokens
/// that does not stand in a file that is `unjudged`.
pub(super) fn unknown_job(workspace: &Workspace, unjudged: &BTreeSet<FileId>) -> Option<Undecided> {
    if workspace.repository.as_ref().is_some_and(|job| job.asked) {
        return None;
    }
    let one = workspace
        .policies
        .iter()
        .map(|artefact| &artefact.model)
        .filter(|document| document.kind == PolicyKind::Trust)
        .filter(|document| !unjudged.contains(&document.span().file))
        .find_map(|document| github_statements(document).next())?;
    let flags = [
        "--repo owner/name",
        "--owner-id N",
        "--repo-id N",
        "--branch B",
    ];
    Some(Undecided {
        what: "whether the job is let in, and in which subject format".to_owned(),
        why: "nobody said whose job borrows the role".to_owned(),
        at: one.statement.span,
        missing: flags.map(str::to_owned).into(),
    })
}

/// Where the job is let in and, as far as is known, nobody whom it takes no more than an account, what a rule over trust
/// policies says of one is no error.
pub(super) fn as_severe_as_the_verdict(findings: &mut [Finding], workspace: &Workspace) {
    let of_trust = |finding: &&mut Finding| {
        let rule = find(finding.rule);
        finding.severity == Severity::Error
            && rule.is_some_and(|rule| matches!(rule.check, Check::Trust(_)))
    };
    let mut all: Vec<&mut Finding> = findings.iter_mut().filter(of_trust).collect();
    if all.is_empty() {
        return;
    }
    for document in workspace.policies.iter().map(|artefact| &artefact.model) {
        let place = document.span();
        let here = all.iter_mut();
        let mut errors = here
            .filter(|finding| place.contains(finding.primary.at))
            .peekable();
        if errors.peek().is_none() {
            continue;
        }
        let found = workspace.verdict(document).map(|found| found.verdict);
        if matches!(found, Some(Verdict::Safe | Verdict::Weak)) {
            errors.for_each(|finding| finding.severity = Severity::Warning);
        }
    }
}

/// The verdicts on all trust policies; none when nobody said whose job borrows the role.
pub(super) fn verdicts(workspace: &Workspace) -> Vec<TrustVerdict> {
    let documents = workspace.policies.iter().map(|artefact| &artefact.model);
    documents
        .filter(|document| document.kind == PolicyKind::Trust)
        .filter_map(|document| {
            let found = workspace.verdict(document)?;
            let attackers = found.attackers.iter().map(|attack| Attacker {
                class: attack.threat.word(),
                name: attack.name.clone(),
                claims: attack
                    .claims
                    .iter()
                    .map(|(claim, value)| (claim, value.to_owned()))
                    .collect(),
            });
            Some(TrustVerdict {
                at: document.span(),
                statement: found.statement,
                verdict: found.verdict.word(),
                legit_allowed: found.legit_allowed,
                attackers: attackers.collect(),
                why: found.why.clone(),
            })
        })
        .collect()
}
