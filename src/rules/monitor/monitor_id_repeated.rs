//! Two entities of one name: Kubernetes keeps the one that is applied last.

use crate::diag::Severity;
use crate::model::monitor::{Form, Monitor};
use crate::rules::{Check, Rule, Sink, Tier, Workspace};
use crate::text::Text;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "monitor-id-repeated",
    aliases: &[],
    summary: "two entities have one name, and only one of them is there in the end",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("monitor_id_repeated.md"),
    check: Check::Monitor(check),
};

fn check(monitor: &Monitor, workspace: &Workspace, sink: &mut Sink<'_>) {
    let entity = monitor.form == Form::Entity;
    let Some(id) = monitor.id.as_ref().filter(|_| entity) else {
        return;
    };
    let name = |monitor: &Monitor| {
        let namespace = monitor
            .namespace
            .as_ref()
            .map(Text::as_str)
            .unwrap_or_default();
        monitor
            .id
            .as_ref()
            .map(|id| (id.as_str().to_owned(), namespace.to_owned()))
    };
    let mut all = workspace.monitors.iter().map(|artefact| &artefact.model);
    // Of entities with one name the first is told of nothing.
    let first = all.find(|other| name(other) == name(monitor));
    let first = first.and_then(|first| first.id.as_ref());
    let Some(first) = first.filter(|first| first.span() != id.span()) else {
        return;
    };
    let message = format!("an entity called `{}` is declared already", id.as_str());
    sink.report(id.span(), message)
        .related(first.span(), "the first one is declared here")
        .help("give one of them another name; Kubernetes keeps the one that is applied last");
}
