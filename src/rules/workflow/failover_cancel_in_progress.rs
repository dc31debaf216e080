//! A second message that ends the switch in the making.

use crate::diag::{Edit, Severity};
use crate::model::workflow::Workflow;
use crate::rules::{Check, Rule, Sink, Tier};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "failover-cancel-in-progress",
    aliases: &[],
    summary: "a newer run cancels the switch that is being made",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("failover_cancel_in_progress.md"),
    check: Check::Workflow(check),
};

fn check(workflow: &Workflow, sink: &mut Sink<'_>) {
    if !super::may_be_failover(workflow, sink) {
        return;
    }
    let jobs = workflow
        .jobs
        .iter()
        .filter_map(|job| job.concurrency.as_ref());
    for concurrency in workflow.concurrency.iter().chain(jobs) {
        let Some(cancel) = &concurrency.cancel else {
            continue;
        };
        match concurrency.cancels() {
            Some(true) => {
                let edit = Edit {
                    at: cancel.span(),
                    with: "false".to_owned(),
                };
                sink.report(
                    cancel.span(),
                    "a second message ends the run that waits for the change to be in sync, or lies between probe and write",
                )
                .help("write `cancel-in-progress: false`: the running switch ends, and the newest waiting run follows it")
                .fix("let the running switch end", true, vec![edit]);
            }
            Some(false) => {}
            // What is neither `true` nor `false` nor an expression is refused, and told as such.
            None if !cancel.as_str().contains("${{") => {}
            None => sink.undecided(
                cancel.span(),
                "whether a newer run cancels the switch",
                format!("`{}` is known only when a run starts", cancel.as_str()),
                Vec::new(),
            ),
        }
    }
}
