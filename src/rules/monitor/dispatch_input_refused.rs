//! Inputs that the dispatched workflow does not take so.

use crate::diag::Severity;
use crate::model::monitor::{Monitor, STAND_IN};
use crate::model::workflow::{DispatchInput, Workflow};
use crate::rules::{Check, Rule, Sink, Tier, Workspace};
use crate::syntax::{Node, yaml};
use crate::text::Text;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "dispatch-input-refused",
    aliases: &[],
    summary: "a dispatch that lacks a required input, or gives one that the workflow does not offer",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("dispatch_input_refused.md"),
    check: Check::Monitor(check),
};

fn check(monitor: &Monitor, workspace: &Workspace, sink: &mut Sink<'_>) {
    let Some(webhook) = super::dispatch(monitor) else {
        return;
    };
    let (Some(body), Some(json)) = (&webhook.body, webhook.body_json()) else {
        return;
    };
    if json.get("ref").is_none() {
        return;
    }
    let workflows = workspace.workflows.iter().map(|artefact| &artefact.model);
    let mut dispatched = workflows.filter(|workflow| super::names_workflow(webhook, workflow));
    if let Some(workflow) = dispatched.next() {
        against(workflow, &json, body, sink);
    }
}

fn against(workflow: &Workflow, json: &Node, body: &Text, sink: &mut Sink<'_>) {
    let Some(trigger) = workflow.trigger("workflow_dispatch") else {
        return;
    };
    // That a workflow takes none at all, a rule of its own says.
    let declared = trigger.dispatch_inputs();
    if declared.is_empty() {
        return;
    }
    let entries = json
        .get("inputs")
        .and_then(Node::as_map)
        .unwrap_or_default();
    let written: Vec<(&str, Option<Text>)> = entries
        .iter()
        .map(|entry| (entry.key.as_str(), yaml::as_written(&entry.value)))
        .collect();
    let known = |text: &Option<Text>| {
        let text = text.as_ref().map(|text| text.as_str().to_owned())?;
        (!text.contains(STAND_IN)).then_some(text)
    };
    let values: Vec<(&str, Option<String>)> = written
        .iter()
        .map(|(name, text)| (*name, known(text)))
        .collect();
    let given: Vec<(&str, Option<&str>)> = values
        .iter()
        .map(|(name, value)| (*name, value.as_deref()))
        .collect();
    let Some((told, input)) = DispatchInput::refusal(&declared, &given) else {
        return;
    };
    let at = entries.iter().find(|entry| entry.key.as_str() == input);
    let at = at.map_or_else(|| body.span(), |entry| entry.key.span());
    let draft = sink
        .report(at, format!("this dispatch is refused with 422: {told}"))
        .help("let the workflow take no inputs and send the `ref` alone; the run looks for itself which site answers");
    let declared = trigger.inputs().iter();
    let mut declared = declared.filter(|entry| entry.key.as_str() == input);
    if let Some(entry) = declared.next() {
        draft.related(entry.key.span(), "the workflow declares it here");
    }
}
