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
    let (severity, message) = match (&executor.sha256, &executor.sum) {
        (None, None) => (
            Severity::Note,
            format!(
                "`{EXECUTOR}`, which the workflow checks and runs, is not there: each run ends before it decides"
            ),
        ),
        (None, Some(_)) => (
            Severity::Error,
            format!("`{EXECUTOR_SUM}` is there, and `{EXECUTOR}`, whose sum it holds, is not"),
        ),
        (Some(_), None) => (
            Severity::Error,
            format!(
                "`{EXECUTOR}` is there, and its sum, `{EXECUTOR_SUM}`, is not: the check before it fails"
            ),
        ),
        (Some(sha256), Some(sum)) => match wrong(sha256, sum) {
            Some(message) => (Severity::Error, message),
            None => return,
        },
    };
    let label = spec.label("/github/workflow");
    sink.report(label.at, message)
        .severity(severity)
        .help(format!(
            "build `pointsman-switch` on the runner's own system, copy it to `{EXECUTOR}`, write `sha256sum {EXECUTOR} > {EXECUTOR_SUM}` and commit both, the program with `git update-index --chmod=+x {EXECUTOR}`"
        ));
}

/// What `sha256sum --check --strict` would have against the list, or what it would not look at.
fn wrong(sha256: &str, sum: &str) -> Option<String> {
    let mut is_named = false;
    for line in sum.lines() {
        // Behind the sum stands a space for text, or an asterisk for bytes.
        let entry = line
            .split_once("  ")
            .or_else(|| line.split_once(" *"))
            .filter(|(sum, _)| sum.len() == 64 && sum.bytes().all(|byte| byte.is_ascii_hexdigit()));
        let Some((noted, path)) = entry else {
            return Some(format!(
                "a line of `{EXECUTOR_SUM}` is none of `sha256sum`: `{line}`"
            ));
        };
        if path.strip_prefix("./").unwrap_or(path) != EXECUTOR {
            continue;
        }
        if !noted.eq_ignore_ascii_case(sha256) {
            return Some(format!(
                "`{EXECUTOR}` is not the program whose sum is committed: it has `{sha256}`, and `{EXECUTOR_SUM}` says `{noted}`"
            ));
        }
        is_named = true;
    }
    (!is_named).then(|| {
        format!("`{EXECUTOR_SUM}` holds no sum of `{EXECUTOR}`, so that nothing checks the program")
    })
}
