//! `continue-on-error` in the failover job.

use crate::diag::Severity;
use crate::model::workflow::Workflow;
use crate::rules::{Check, Rule, Sink, Tier};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "step-failure-ignored",
    aliases: &[],
    summary: "a step or job of the failover that may fail unseen",
    severity: Severity::Warning,
    tier: Tier::Specific,
    page: include_str!("step_failure_ignored.md"),
    check: Check::Workflow(check),
};

fn check(workflow: &Workflow, sink: &mut Sink<'_>) {
    if sink.spec().is_some() || !super::may_be_failover(workflow, sink) {
        return;
    }
    for job in super::switching_jobs(workflow) {
        let of_steps = job.steps.iter().map(|step| &step.continue_on_error);
        let all = of_steps.chain([&job.continue_on_error]).flatten();
        for written in all.filter(|written| written.as_str().trim() != "false") {
            sink.report(
                written.span(),
                format!("`continue-on-error: {}` lets the run succeed though this has failed, so that a switch that was not made looks made", written.as_str()),
            )
            .help("leave it out");
        }
    }
}
