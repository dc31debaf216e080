//! An event other than the dispatch that starts the failover workflow.

use crate::diag::Severity;
use crate::model::workflow::Workflow;
use crate::rules::{Check, Rule, Sink, Tier};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "failover-other-trigger",
    aliases: &[],
    summary: "another event than workflow_dispatch starts the failover workflow",
    severity: Severity::Warning,
    tier: Tier::Specific,
    page: include_str!("failover_other_trigger.md"),
    check: Check::Workflow(check),
};

fn check(workflow: &Workflow, sink: &mut Sink<'_>) {
    if !super::is_failover(workflow, sink) {
        return;
    }
    let known = ["workflow_dispatch", "schedule"];
    for trigger in &workflow.triggers {
        let name = trigger.name.as_str();
        if known.contains(&name) {
            continue;
        }
        let why = match name {
            "workflow_call" => "lets another workflow run it with its own permissions and ref",
            "repository_dispatch" => "carries a payload that the sender chooses",
            "pull_request" | "pull_request_target" => "is started by whoever opens a pull request",
            _ => "starts a switch that no monitor asked for",
        };
        sink.report(trigger.name.span(), format!("`{name}` {why}"))
            .help("let `workflow_dispatch` be the only event");
    }
}
