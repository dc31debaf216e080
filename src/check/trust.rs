//! Puts every trust policy before the evaluator, for the job that is meant.

use crate::diag::{Attacker, TrustVerdict};
use crate::iam::trust::verdict;
use crate::model::policy::PolicyKind;
use crate::rules::Workspace;

/// The verdicts on all trust policies; none when nobody said whose job borrows the role.
pub(super) fn verdicts(workspace: &Workspace) -> Vec<TrustVerdict> {
    let Some(repository) = &workspace.repository else {
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
