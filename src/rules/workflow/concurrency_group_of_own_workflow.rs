//! A job that waits for the concurrency group that its own run holds.

use crate::diag::Severity;
use crate::model::workflow::Workflow;
use crate::rules::{Check, Rule, Sink, Tier};
use crate::text::Text;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "concurrency-group-of-own-workflow",
    aliases: &[],
    summary: "a job waits for the concurrency group that its own run holds, and is cancelled",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("concurrency_group_of_own_workflow.md"),
    check: Check::Workflow(check),
};

fn check(workflow: &Workflow, sink: &mut Sink<'_>) {
    let whole = workflow.concurrency.as_ref();
    let Some(held) = whole.and_then(|concurrency| concurrency.group.as_ref()) else {
        return;
    };
    for job in &workflow.jobs {
        let group = job.concurrency.as_ref().and_then(|it| it.group.as_ref());
        let Some(group) = group.filter(|group| plain(group) == plain(held)) else {
            continue;
        };
        let message = format!(
            "`{}` waits for `{}`, which its own run holds, so that GitHub cancels the run",
            job.id.as_str(),
            group.as_str()
        );
        sink.report(group.span(), message)
            .related(held.span(), "the run holds the group from here")
            .help("take `concurrency` out of the job; that of the workflow is enough");
    }
}

/// Names of groups know no case, and expressions no blanks.
fn plain(group: &Text) -> String {
    let letters = group.as_str().chars().filter(|it| !it.is_whitespace());
    letters.map(|it| it.to_ascii_lowercase()).collect()
}
