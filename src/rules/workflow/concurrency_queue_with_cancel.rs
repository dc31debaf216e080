//! `queue: max` beside `cancel-in-progress: true`.

use crate::diag::Severity;
use crate::model::workflow::Workflow;
use crate::rules::{Check, Rule, Sink, Tier};
use crate::text::Text;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "concurrency-queue-with-cancel",
    aliases: &[],
    summary: "queue: max together with cancel-in-progress, which GitHub refuses",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("concurrency_queue_with_cancel.md"),
    check: Check::Workflow(check),
};

fn check(workflow: &Workflow, sink: &mut Sink<'_>) {
    let jobs = workflow
        .jobs
        .iter()
        .filter_map(|job| job.concurrency.as_ref());
    for concurrency in workflow.concurrency.iter().chain(jobs) {
        let (Some(queue), Some(cancel)) = (&concurrency.queue, &concurrency.cancel) else {
            continue;
        };
        let is_max = queue.as_str() == "max";
        let is_open = |text: &Text| text.as_str().contains("${{");
        let of_queue =
            Some(queue).filter(|queue| is_open(queue) && concurrency.cancels() != Some(false));
        let of_cancel = Some(cancel)
            .filter(|cancel| is_max && concurrency.cancels().is_none() && is_open(cancel));
        if let Some(open) = of_queue.or(of_cancel) {
            sink.undecided(
                open.span(),
                "whether `queue: max` stands beside `cancel-in-progress: true`",
                format!("`{}` is known only when a run starts", open.as_str()),
                Vec::new(),
            );
        }
        if is_max && concurrency.cancels() == Some(true) {
            sink.report(
                queue.span(),
                "`queue: max` and `cancel-in-progress: true` are not allowed together, so that GitHub refuses the workflow",
            )
            .related(cancel.span(), "the running one is cancelled here")
            .help("leave one of the two out; for a switch leave out `cancel-in-progress`");
        }
    }
}
