//! A job that can borrow a role, on a machine that outlives it.

use crate::diag::Severity;
use crate::model::workflow::{Access, Workflow};
use crate::rules::{Check, Rule, Sink, Tier};
use crate::text::Text;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "self-hosted-runner-in-privileged-job",
    aliases: &[],
    summary: "a job that can borrow a role on a runner that is not GitHub's",
    severity: Severity::Warning,
    tier: Tier::Specific,
    page: include_str!("self_hosted_runner_in_privileged_job.md"),
    check: Check::Workflow(check),
};

fn check(workflow: &Workflow, sink: &mut Sink<'_>) {
    if sink.spec().is_some() {
        return;
    }
    for job in &workflow.jobs {
        let permissions = workflow.permissions_of(job);
        if permissions.and_then(|found| found.access("id-token")) != Some(Access::Write) {
            continue;
        }
        let own = |label: &&Text| label.as_str() == "self-hosted";
        if let Some(label) = job.runs_on.iter().find(own) {
            sink.report(
                label.span(),
                format!("`{}` can borrow a role on a machine that other jobs use, and what one of them left there can borrow it too", job.id.as_str()),
            )
            .help("let it run on a runner of GitHub, such as `ubuntu-24.04`, or on one that is made anew for each job");
        }
    }
}
