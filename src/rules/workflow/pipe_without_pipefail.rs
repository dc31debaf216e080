//! A pipe in the failover job of which only the last command counts.

use std::ops::Range;

use crate::diag::Severity;
use crate::model::workflow::{Job, Workflow};
use crate::rules::{Check, Rule, Sink, Tier};
use crate::text::Text;

use super::shell::{command_before, commands, pipes};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "pipe-without-pipefail",
    aliases: &[],
    summary: "a pipe in the failover job whose first command may fail unseen",
    severity: Severity::Warning,
    tier: Tier::Specific,
    page: include_str!("pipe_without_pipefail.md"),
    check: Check::Workflow(check),
};

fn check(workflow: &Workflow, sink: &mut Sink<'_>) {
    if sink.spec().is_some() || !super::may_be_failover(workflow, sink) {
        return;
    }
    for job in super::switching_jobs(workflow) {
        for step in &job.steps {
            let shell = [&step.shell, &job.shell, &workflow.shell];
            let shell = shell.into_iter().flatten().next();
            let Some(script) = step.run.as_ref().filter(|_| is_deaf(shell, job)) else {
                continue;
            };
            if !script.as_str().contains("pipefail") {
                report(script, shell, sink);
            }
        }
    }
}

fn report(script: &Text, shell: Option<&Text>, sink: &mut Sink<'_>) {
    let commands = commands(script.as_str());
    let matters = |pipe: &Range<usize>| {
        let first = command_before(&commands, pipe.start)
            .split_whitespace()
            .next();
        first.is_some_and(|first| !matches!(first, "echo" | "printf"))
    };
    let Some(pipe) = pipes(&commands).into_iter().find(matters) else {
        return;
    };
    let command = command_before(&commands, pipe.start).trim();
    let with = match shell {
        Some(shell) => format!("with `shell: {}`", shell.as_str()),
        None => "without `shell: bash`, which adds `-o pipefail`,".to_owned(),
    };
    sink.report(
        script.span_of(pipe),
        format!("{with} the failure of `{command}` before this `|` is not seen: only the last command counts"),
    )
    .help("set `shell: bash` for the step or the workflow, or begin the script with `set -o pipefail`");
}

/// Whether a shell hears of the last command of a pipe alone (GitHub Docs, `jobs.<job_id>.steps[*].shell`): the default is
/// `bash -e` and `sh` is `sh -e`, while `shell: bash` adds `-o pipefail`.
fn is_deaf(shell: Option<&Text>, job: &Job) -> bool {
    let windows = job
        .runs_on
        .iter()
        .any(|label| label.as_str().starts_with("windows"));
    match shell.map(Text::as_str) {
        None => !windows,
        Some("sh") => true,
        Some(custom) => custom.starts_with("bash ") && !custom.contains("pipefail"),
    }
}
