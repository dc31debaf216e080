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
    let (severity, message) = match (&executor.sha256, &executor.sum) {
        (None, None) => (
            Severity::Note,
            format!("`{EXECUTOR}`, which the workflow runs, is not there"),
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
            None if !executor.can_start => (
                Severity::Error,
                format!(
                    "`{EXECUTOR}` is no program: it begins neither as an ELF file nor with `#!`"
                ),
            ),
            None => return committed(executor, spec, sink),
        },
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
