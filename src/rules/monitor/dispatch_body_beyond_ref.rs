//! A message that carries more than where to look.

use crate::diag::Severity;
use crate::model::monitor::Monitor;
use crate::model::workflow::Trigger;
use crate::rules::{Check, Rule, Sink, Tier, Workspace};
use crate::syntax::Entry;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "dispatch-body-beyond-ref",
    aliases: &[],
    summary: "a dispatch that carries more than the ref",
    severity: Severity::Warning,
    tier: Tier::Specific,
    page: include_str!("dispatch_body_beyond_ref.md"),
    check: Check::Monitor(check),
};

fn check(monitor: &Monitor, workspace: &Workspace, sink: &mut Sink<'_>) {
    let Some(webhook) = super::dispatch(monitor) else {
        return;
    };
    let Some(json) = webhook.body_json() else {
        return;
    };
    // A body that names neither is refused, whatever else it carries.
    if json.get("ref").is_none() && json.get("event_type").is_none() {
        return;
    }
    // What GitHub refuses is told as that.
    let is_refused = |key: &str, entry: &Entry| {
        let keys = entry.value.as_map().map_or(0, <[_]>::len);
        let by_repository = json.get("ref").is_none() && json.get("event_type").is_some();
        by_repository && (key != "client_payload" || keys > 10)
    };
    let takes_none = workspace.workflows.iter().any(|artefact| {
        let workflow = &artefact.model;
        let inputs = workflow.trigger("workflow_dispatch").map(Trigger::inputs);
        super::names_workflow(webhook, workflow) && inputs.is_some_and(<[_]>::is_empty)
    });
    for entry in json.as_map().unwrap_or_default() {
        let key = entry.key.as_str();
        let is_known = matches!(key, "ref" | "event_type" | "return_run_details");
        if is_known || is_refused(key, entry) {
            continue;
        }
        let (message, severity) = if key == "inputs" && takes_none {
            (
                "the workflow takes no inputs, so that GitHub refuses the message with 422"
                    .to_owned(),
                Severity::Error,
            )
        } else {
            (
                format!(
                    "`{key}` lets the message say what is to be done; a lost or late message then says it wrongly"
                ),
                Severity::Warning,
            )
        };
        sink.report(entry.key.span(), message)
            .severity(severity)
            .help("send the ref alone; the run looks for itself which site answers");
    }
}
