//! A group in which a run that waits is replaced by a newer one, whatever `cancel-in-progress` says.

use crate::diag::Severity;
use crate::model::spec::EXECUTOR;
use crate::model::workflow::Workflow;
use crate::rules::{Check, Rule, Sink, Tier};

use super::calls::cancels;
use super::concurrency_group_per_run::is_per_run;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "concurrency-pending-replaced",
    aliases: &[],
    summary: "a waiting switch is replaced by a newer message",
    severity: Severity::Note,
    tier: Tier::Specific,
    page: include_str!("concurrency_pending_replaced.md"),
    check: Check::Workflow(check),
};

fn check(workflow: &Workflow, sink: &mut Sink<'_>) {
    // The executor decides from what it finds: which of the waiting runs goes on makes no difference. A spec runs it.
    if sink.spec().is_some() || !super::may_be_failover(workflow, sink) || runs_executor(workflow) {
        return;
    }
    let jobs = workflow.jobs.iter();
    let of_jobs = jobs.filter_map(|job| job.concurrency.as_ref());
    for concurrency in workflow.concurrency.iter().chain(of_jobs) {
        let keeps_all = concurrency
            .queue
            .as_ref()
            .is_some_and(|queue| queue.as_str() == "max");
        let Some(group) = concurrency.group.as_ref().filter(|_| !keeps_all) else {
            continue;
        };
        if cancels(concurrency) || is_per_run(group.as_str()) {
            continue;
        }
        let at = match &concurrency.cancel {
            Some(cancel) => group.span().cover(cancel.span()),
            None => group.span(),
        };
        sink.report(
            at,
            format!("a run that waits for `{}` is replaced by a newer one and ends as cancelled; `cancel-in-progress` speaks of the running one alone", group.as_str()),
        )
        .help("let each run decide from what it finds, not from its message, or keep all that wait with `queue: max`");
    }
}

fn runs_executor(workflow: &Workflow) -> bool {
    let name = EXECUTOR.rsplit('/').next().unwrap_or(EXECUTOR);
    let steps = workflow.jobs.iter().flat_map(|job| &job.steps);
    let mut scripts = steps.filter_map(|step| step.run.as_ref());
    scripts.any(|script| script.as_str().contains(name))
}
