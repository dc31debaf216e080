//! The program that the workflow checks and runs is not in the repository, or not with its own sum (sha256sum(1)).

use crate::diag::Severity;
use crate::model::spec::{EXECUTOR, EXECUTOR_SUM};
use crate::rules::{Check, Rule, Sink, Subject, Tier, Workspace};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "executor-not-committed",
    aliases: &[],
    summary: "the program that the workflow checks and runs is not there, or not with its own sum",
    severity: Severity::Note,
    tier: Tier::Agreement,
    page: include_str!("executor_not_committed.md"),
    check: Check::Whole(check),
};

/// Only a run over the whole deployment, or over all its workflows, can say that something is missing.
fn check(workspace: &Workspace, sink: &mut Sink<'_>) {
    let whole = workspace.whole || workspace.wholly == Some(Subject::Workflow);
    let Some(spec) = workspace.spec.as_ref().filter(|_| whole) else {
        return;
    };
    let executor = &workspace.executor;
    if executor.unreadable {
        return;
    }
    let Some((severity, message)) = executor.fault() else {
        return;
    };
    let label = spec.label("/github/workflow");
    sink.report(label.at, message)
        .severity(severity)
        .help(format!(
            "build `pointsman-switch` on the runner's own system, copy it to `{EXECUTOR}`, write `sha256sum {EXECUTOR} > {EXECUTOR_SUM}` and commit both, the program with `git update-index --chmod=+x {EXECUTOR}`"
        ));
}
