//! Inputs of a workflow whose message must carry nothing.

use crate::diag::Severity;
use crate::model::workflow::Workflow;
use crate::rules::{Check, Rule, Sink, Tier};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "dispatch-inputs",
    aliases: &[],
    summary: "the failover workflow takes inputs",
    severity: Severity::Warning,
    tier: Tier::Specific,
    page: include_str!("dispatch_inputs.md"),
    check: Check::Workflow(check),
};

fn check(workflow: &Workflow, sink: &mut Sink<'_>) {
    if !super::may_be_failover(workflow, sink) {
        return;
    }
    let settings = workflow
        .trigger("workflow_dispatch")
        .and_then(|trigger| trigger.settings.as_ref());
    let Some(inputs) = settings.and_then(|settings| settings.entry("inputs")) else {
        return;
    };
    let names: Vec<String> = inputs
        .value
        .as_map()
        .unwrap_or_default()
        .iter()
        .map(|input| format!("`{}`", input.key.as_str()))
        .collect();
    if names.is_empty() {
        return;
    }
    sink.report(
        inputs.key.span(),
        format!("whoever may start this workflow chooses {}", names.join(", ")),
    )
    .help("take no inputs: the run observes for itself which site answers, and no message can name another");
}
