//! A command of the failover job whose failure is turned into success.

use std::ops::Range;

use crate::diag::Severity;
use crate::model::workflow::Workflow;
use crate::rules::{Check, Rule, Sink, Tier};

use super::shell::{command_before, commands};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "command-failure-ignored",
    aliases: &[],
    summary: "a command of the failover whose failure ends as success",
    severity: Severity::Warning,
    tier: Tier::Specific,
    page: include_str!("command_failure_ignored.md"),
    check: Check::Workflow(check),
};

fn check(workflow: &Workflow, sink: &mut Sink<'_>) {
    // With a spec every line that is not the spec's own is told.
    if sink.spec().is_some() || !super::may_be_failover(workflow, sink) {
        return;
    }
    for step in super::switching_jobs(workflow).flat_map(|job| &job.steps) {
        let Some(script) = &step.run else {
            continue;
        };
        let commands = commands(script.as_str());
        for (range, what) in ignored(&commands) {
            sink.report(
                script.span_of(range),
                format!("`{what}` lets the step succeed when the command before it has failed, so that a switch that was not made looks made"),
            )
            .help("let the command fail, or test for the one failure that is meant, `if ! …; then …`");
        }
    }
}

/// Commands whose failure says nothing of the switch.
const HARMLESS: [&str; 7] = ["rm", "kill", "pkill", "grep", "command", "which", "mkdir"];

const FORMS: [&str; 4] = ["true", ":", "exit 0", "echo"];

/// What ignores a failure, with its bytes.
fn ignored(commands: &str) -> Vec<(Range<usize>, String)> {
    let mut found = Vec::new();
    for (at, _) in commands.match_indices("||") {
        let rest = commands.get(at + 2..).unwrap_or_default();
        let behind = rest.trim_start_matches([' ', '\t', '\\']);
        let word = |form: &&&str| {
            let after = behind.strip_prefix(**form);
            after.is_some_and(|after| !after.starts_with(|next: char| next.is_ascii_alphanumeric()))
        };
        let Some(form) = FORMS.iter().find(word) else {
            continue;
        };
        let first = command_before(commands, at).split_whitespace().next();
        if first.is_some_and(|first| HARMLESS.contains(&first)) {
            continue;
        }
        let end = at + 2 + (rest.len() - behind.len()) + form.len();
        found.push((at..end, format!("|| {form}")));
    }
    for (at, form) in commands.match_indices("set +e") {
        found.push((at..at + form.len(), form.to_owned()));
    }
    found
}
