//! A schedule in the workflow that a message wakes.

use crate::diag::Severity;
use crate::model::workflow::Workflow;
use crate::rules::{Check, Rule, Sink, Tier};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "failover-on-schedule",
    aliases: &[],
    summary: "the failover workflow also runs on a schedule",
    severity: Severity::Warning,
    tier: Tier::Specific,
    page: include_str!("failover_on_schedule.md"),
    check: Check::Workflow(check),
};

fn check(workflow: &Workflow, sink: &mut Sink<'_>) {
    if !super::may_be_failover(workflow, sink) {
        return;
    }
    // Where nothing is dispatched, the schedule is how it is meant to run.
    if workflow.trigger("workflow_dispatch").is_none() {
        return;
    }
    if let Some(trigger) = workflow.trigger("schedule") {
        sink.report(
            trigger.name.span(),
            "scheduled runs come late or not at all, and in a public repository they end the dispatch too",
        )
        .help("leave the schedule out; let the monitor wake the workflow, and wake it again while the outage lasts");
    }
}
