//! A failover workflow that no message can start.

use crate::diag::Severity;
use crate::model::workflow::Workflow;
use crate::rules::{Check, Rule, Sink, Tier};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "dispatch-trigger-missing",
    aliases: &[],
    summary: "the failover workflow cannot be dispatched",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("dispatch_trigger_missing.md"),
    check: Check::Workflow(check),
};

fn check(workflow: &Workflow, sink: &mut Sink<'_>) {
    if !super::is_failover(workflow, sink) || workflow.trigger("workflow_dispatch").is_some() {
        return;
    }
    if let Some(on) = &workflow.on {
        sink.report(
            on.span(),
            "`workflow_dispatch` is not here: GitHub answers the monitor's message with 422 and starts nothing",
        )
        .help("write `on: workflow_dispatch`");
    }
}
