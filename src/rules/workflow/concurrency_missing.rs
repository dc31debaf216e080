//! A failover workflow whose runs can overlap.

use crate::diag::Severity;
use crate::model::workflow::Workflow;
use crate::rules::{Check, Rule, Sink, Tier};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "concurrency-missing",
    aliases: &[],
    summary: "two runs of the failover workflow can overlap",
    severity: Severity::Warning,
    tier: Tier::Specific,
    page: include_str!("concurrency_missing.md"),
    check: Check::Workflow(check),
};

fn check(workflow: &Workflow, sink: &mut Sink<'_>) {
    if !super::is_failover(workflow, sink) || workflow.concurrency.is_some() {
        return;
    }
    for job in super::switching_jobs(workflow) {
        if job.concurrency.is_none() {
            sink.report(
                job.id.span(),
                format!("two runs of `{}` can overlap and undo each other's change", job.id.as_str()),
            )
            .help("set `concurrency` with a fixed `group` and `cancel-in-progress: false` at the top of the workflow");
        }
    }
}
