//! The program that the workflow checks and runs is not in the repository, or not with its own sum (sha256sum(1)).

use crate::diag::Severity;
use crate::generate::RUNNER;
use crate::model::git_index::Tracked;
use crate::model::spec::{EXECUTOR, EXECUTOR_SUM, Spec};
use crate::rules::{Check, Executor, Rule, Sink, Subject, Tier, Workspace};

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
        return committed(executor, spec, sink);
    };
    let label = spec.label("/github/workflow");
    sink.report(label.at, message)
        .severity(severity)
        .help(format!(
            "build it on `{RUNNER}`, write its sum and commit both; how: `pointsman explain executor-not-committed`"
        ));
}

/// Whether a commit has both, and the program as one that can be run.
fn committed(executor: &Executor, spec: &Spec, sink: &mut Sink<'_>) {
    let label = spec.label("/github/workflow");
    let [binary, sum] = match &executor.tracked {
        None => return,
        Some(Ok(tracked)) => tracked,
        Some(Err(why)) => {
            let what = format!("whether `{EXECUTOR}` is committed as a program");
            let why = format!("git's index cannot be read: {why}");
            return sink.undecided(label.at, what, why, Vec::new());
        }
    };
    let (severity, message, help) = match (binary, sum) {
        (Tracked::Absent, _) | (_, Tracked::Absent) => {
            let path = if *binary == Tracked::Absent {
                EXECUTOR
            } else {
                EXECUTOR_SUM
            };
            (
                Severity::Warning,
                format!(
                    "`{path}` is not in git's index, and the runner fetches only what is committed"
                ),
                format!("`git add --force {EXECUTOR} {EXECUTOR_SUM}`, then commit"),
            )
        }
        (Tracked::There { executable: false }, _) => (
            Severity::Error,
            format!(
                "`{EXECUTOR}` is committed without the bit that lets it be run: permission denied"
            ),
            format!("`git update-index --chmod=+x {EXECUTOR}`, then commit"),
        ),
        (Tracked::There { executable: true }, Tracked::There { .. }) => return,
    };
    sink.report(label.at, message).severity(severity).help(help);
}
