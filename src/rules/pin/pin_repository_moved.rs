//! An action whose repository has moved: the old name works as long as nobody registers it.

use crate::diag::Severity;
use crate::rules::{Check, Rule, Sink, Tier, Workspace};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "pin-repository-moved",
    aliases: &[],
    summary: "an action whose repository lives under another name now",
    severity: Severity::Warning,
    tier: Tier::Specific,
    page: include_str!("pin_repository_moved.md"),
    check: Check::Whole(check),
};

fn check(workspace: &Workspace, sink: &mut Sink<'_>) {
    for file in workspace.step_files() {
        let lock = workspace.lock_of(file.path());
        for uses in file.uses() {
            let Some(repository) = uses.repository() else {
                continue;
            };
            let upstream = lock.and_then(|lock| lock.upstream(&repository));
            let Some(moved) = upstream.and_then(|upstream| upstream.moved_to.as_deref()) else {
                continue;
            };
            let name = uses.value_span().slice(0, repository.len());
            sink.report(
                name,
                format!("`{repository}` lives at `{moved}` now; whoever registers the old name gets what asks for it"),
            )
            .help(format!("write `{moved}`"));
        }
    }
}
