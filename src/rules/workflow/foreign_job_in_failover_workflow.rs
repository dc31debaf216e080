//! A job of the failover workflow that does not switch.

use crate::diag::Severity;
use crate::model::workflow::Workflow;
use crate::rules::{Check, Rule, Sink, Tier};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "foreign-job-in-failover-workflow",
    aliases: &[],
    summary: "the failover workflow has a job beside the one that switches",
    severity: Severity::Warning,
    tier: Tier::General,
    page: include_str!("foreign_job_in_failover_workflow.md"),
    check: Check::Workflow(check),
};

fn check(workflow: &Workflow, sink: &mut Sink<'_>) {
    let Some(spec) = sink.spec().filter(|_| super::is_failover(workflow, sink)) else {
        return;
    };
    let named = spec.at("/github/workflow");
    // One job switches: the first that can borrow the role.
    let Some(own) = super::switching_jobs(workflow).next() else {
        return;
    };
    for job in workflow
        .jobs
        .iter()
        .filter(|job| job.id.span() != own.id.span())
    {
        sink.report(
            job.id.span(),
            format!(
                "`{}` runs with every dispatch beside `{}`, and a waiting switch waits for it too",
                job.id.as_str(),
                own.id.as_str()
            ),
        )
        .related(named, "the spec says here which workflow it is")
        .help("move it into a workflow of its own, which `workflow_run` can start");
    }
}
