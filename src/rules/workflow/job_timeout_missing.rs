//! A failover job that may hang for six hours.

use crate::diag::Severity;
use crate::model::workflow::Workflow;
use crate::rules::{Check, Rule, Sink, Tier};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "job-timeout-missing",
    aliases: &[],
    summary: "the failover job has no timeout-minutes",
    severity: Severity::Warning,
    tier: Tier::Specific,
    page: include_str!("job_timeout_missing.md"),
    check: Check::Workflow(check),
};

fn check(workflow: &Workflow, sink: &mut Sink<'_>) {
    if !super::is_failover(workflow, sink) {
        return;
    }
    let minutes = sink
        .spec()
        .map_or(20, |spec| spec.github.job_timeout_minutes);
    for job in super::switching_jobs(workflow) {
        if job.timeout.is_none() && job.uses.is_none() {
            sink.report(
                job.id.span(),
                format!(
                    "a run of `{}` that hangs blocks every later one for six hours",
                    job.id.as_str()
                ),
            )
            .help(format!("set `timeout-minutes: {minutes}`"));
        }
    }
}
