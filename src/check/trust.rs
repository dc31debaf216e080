//! Puts every trust policy before the evaluator, for the job that is meant.

use std::collections::BTreeSet;

use crate::diag::{Attacker, TrustVerdict, Undecided};
use crate::iam::trust::verdict;
use crate::model::policy::PolicyKind;
use crate::model::trust::github_statements;
use crate::rules::Workspace;
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

/// The verdicts on all trust policies; none when nobody said whose job borrows the role.
pub(super) fn verdicts(workspace: &Workspace) -> Vec<TrustVerdict> {
    let asked = workspace.repository.as_ref().filter(|job| job.asked);
    let Some(repository) = asked else {
        return Vec::new();
    };
    let documents = workspace.policies.iter().map(|artefact| &artefact.model);
    documents
        .filter(|document| document.kind == PolicyKind::Trust)
        .filter_map(|document| {
            let found = verdict(document, repository)?;
            let attackers = found.attackers.into_iter().map(|attack| Attacker {
                class: attack.threat.word(),
                name: attack.name,
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
                why: found.why,
            })
        })
        .collect()
}
