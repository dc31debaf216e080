//! An event that no workflow listens to.

use crate::diag::Severity;
use crate::model::monitor::{Monitor, STAND_IN};
use crate::model::workflow::Trigger;
use crate::rules::{Check, Rule, Sink, Tier, Workspace};
use crate::syntax::Node;
use crate::text::{Text, nearest};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "dispatch-event-unheard",
    aliases: &[],
    summary: "a repository dispatch whose event no workflow listens to",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("dispatch_event_unheard.md"),
    check: Check::Monitor(check),
};

fn check(monitor: &Monitor, workspace: &Workspace, sink: &mut Sink<'_>) {
    let webhook = super::dispatch(monitor);
    let Some((webhook, (owner, repository, None))) =
        webhook.and_then(|webhook| Some((webhook, webhook.target()?)))
    else {
        return;
    };
    let facts = workspace.facts_of(&monitor.path);
    if facts.is_some_and(|facts| !facts.may_be(owner, repository)) {
        return;
    }
    let json = webhook.body_json();
    let event = json.as_ref().and_then(|json| json.get("event_type"));
    let Some(event) = event.and_then(Node::as_text) else {
        return;
    };
    let name = event.as_str();
    let workflows = workspace.workflows.iter().map(|artefact| &artefact.model);
    let listening = workflows.filter_map(|workflow| workflow.trigger("repository_dispatch"));
    let listening: Vec<&Trigger> = listening.collect();
    let hears = |trigger: &&Trigger| {
        let types = trigger.types();
        types.is_none_or(|types| types.iter().any(|one| one.as_str() == name))
    };
    // Workflows that listen to nothing of the kind may be those of another repository.
    if name.contains(STAND_IN) || listening.is_empty() || listening.iter().any(hears) {
        return;
    }
    let types: Vec<&Text> = listening
        .iter()
        .filter_map(|one| one.types())
        .flatten()
        .collect();
    let known: Vec<&str> = types.iter().map(|one| one.as_str()).collect();
    let close = nearest(name, known.iter().copied());
    // So may be those that listen to something quite different.
    let is_known = facts.is_some_and(|facts| facts.owner.is_some() && facts.name.is_some());
    let severity = if is_known || close.is_some() {
        Severity::Error
    } else {
        Severity::Warning
    };
    let help = match close {
        Some(close) => format!("write `{close}`, the event that a workflow listens to"),
        None => format!("the workflows here listen to `{}`", known.join("`, `")),
    };
    let draft = sink
        .report(
            event.span(),
            format!("no workflow listens to `{name}`: GitHub answers 204 and starts nothing"),
        )
        .severity(severity)
        .help(help);
    if let Some(first) = types.first() {
        draft.related(first.span(), "these events are heard");
    }
}
