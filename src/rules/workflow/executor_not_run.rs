//! A failover job that never runs the executor.

use crate::diag::Severity;
use crate::model::spec::EXECUTOR;
use crate::model::workflow::Workflow;
use crate::rules::{Check, Rule, Sink, Tier};

use super::executor::{Act, acts};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "executor-not-run",
    aliases: &[],
    summary: "the failover job never runs the program that makes the switch",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("executor_not_run.md"),
    check: Check::Workflow(check),
};

fn check(workflow: &Workflow, sink: &mut Sink<'_>) {
    let Some(spec) = sink.spec().filter(|_| super::is_failover(workflow, sink)) else {
        return;
    };
    let named = spec.at("/github/workflow");
    let runs = |act: Act| matches!(act, Act::Switch | Act::SwitchWithMore);
    let mut jobs = super::switching_jobs(workflow).peekable();
    // A file without jobs has been told to be no workflow.
    if jobs.peek().is_none()
        || jobs
            .clone()
            .any(|job| acts(job).iter().any(|(act, _)| runs(*act)))
    {
        return;
    }
    let Some(job) = jobs.next() else {
        return;
    };
    sink.report(
        job.id.span(),
        format!(
            "no step of `{}` runs `{EXECUTOR}`, so that nothing is ever switched",
            job.id.as_str()
        ),
    )
    .related(named, "the spec says here which workflow it is")
    .help(format!(
        "end the job with `run: {EXECUTOR}`; `pointsman generate` writes the workflow from the spec"
    ));
}
