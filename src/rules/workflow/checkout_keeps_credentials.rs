//! A checkout that leaves the token of the job where a third-party action can read it.

use crate::diag::Severity;
use crate::model::workflow::{Access, Step, Workflow, variable};
use crate::rules::{Check, Rule, Sink, Tier};

use super::third_party_action_in_privileged_job::third_party;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "checkout-keeps-credentials",
    aliases: &[],
    summary: "a token left in the checkout beside a third-party action",
    severity: Severity::Warning,
    tier: Tier::Specific,
    page: include_str!("checkout_keeps_credentials.md"),
    check: Check::Workflow(check),
};

fn check(workflow: &Workflow, sink: &mut Sink<'_>) {
    if sink.spec().is_some() {
        beside_the_executor(workflow, sink);
        return;
    }
    for job in &workflow.jobs {
        let permissions = workflow.permissions_of(job);
        if permissions.and_then(|found| found.access("id-token")) != Some(Access::Write) {
            continue;
        }
        let mut steps = job.steps.iter();
        let Some(uses) = steps
            .by_ref()
            .find(|step| is_checkout(step) && keeps(step))
            .and_then(|step| step.uses.as_ref())
        else {
            continue;
        };
        let mut behind = steps.filter_map(|step| step.uses.as_ref());
        let Some(reader) = behind.find(|uses| third_party(uses).is_some()) else {
            continue;
        };
        let name = third_party(reader).unwrap_or_default();
        sink.report(
            uses.value_span(),
            format!("the job's token stays in the checkout, where `{name}` can read it"),
        )
        .related(reader.value_span(), "it runs here")
        .help("add `with: {persist-credentials: false}`, unless a later step pushes");
    }
}

/// With a spec: in the job that makes the switch no step needs that token, and `generate` leaves it out of the checkout.
fn beside_the_executor(workflow: &Workflow, sink: &mut Sink<'_>) {
    if !super::is_failover(workflow, sink) {
        return;
    }
    let Some(label) = sink.spec().map(|spec| spec.label("/github/workflow")) else {
        return;
    };
    let steps = super::switching_jobs(workflow).flat_map(|job| &job.steps);
    for step in steps.filter(|step| is_checkout(step) && keeps(step)) {
        let input = variable(&step.with, "persist-credentials");
        // What is not written is nobody's decision; `generate --check` shows it.
        let Some(value) = input.and_then(|input| input.value.as_ref()) else {
            continue;
        };
        if value.as_str().contains("${{") {
            let why = format!(
                "`{}` is known only when a run starts",
                value.as_str().trim()
            );
            let what = "whether the job's token stays in the checkout";
            sink.undecided(value.span(), what, why, Vec::new());
            continue;
        }
        sink.report(
            value.span(),
            "the job's token stays in the checkout, where every later step can read it, and none needs it",
        )
        .related(label.at, label.text.clone())
        .help("write `persist-credentials: false`, as `pointsman generate` does");
    }
}

fn is_checkout(step: &Step) -> bool {
    let uses = step.uses.as_ref();
    uses.is_some_and(|uses| uses.is_action("actions", "checkout"))
}

fn keeps(step: &Step) -> bool {
    let input = variable(&step.with, "persist-credentials");
    let value = input.and_then(|input| input.value.as_ref());
    value.is_none_or(|value| value.as_str().trim() != "false")
}
