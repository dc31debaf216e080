//! A notification that nobody declares.

use crate::diag::Severity;
use crate::model::monitor::Monitor;
use crate::rules::{Check, Rule, Sink, Tier, Workspace};
use crate::text::Text;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "notification-unknown",
    aliases: &[],
    summary: "a monitor refers to a notification that is not declared",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("notification_unknown.md"),
    check: Check::Monitor(check),
};

fn check(monitor: &Monitor, workspace: &Workspace, sink: &mut Sink<'_>) {
    let Some(spec) = sink.spec() else {
        return;
    };
    // In a file that could not be read it may be declared. One that was asked for has been told.
    let unread = workspace.is_unread_below(&spec.artefacts.monitors);
    if unread && workspace.unread_beside.is_empty() {
        return;
    }
    let declared: Vec<&str> = workspace
        .monitors
        .iter()
        .map(|artefact| &artefact.model)
        .filter(|other| other.is("notification"))
        .filter_map(|other| other.id.as_ref().map(Text::as_str))
        .collect();
    let people = spec.monitors.people.as_str();
    for notification in monitor.notifications() {
        let id = notification.as_str();
        if id == people || declared.contains(&id) {
            continue;
        }
        if unread {
            let why = "a file beside this one cannot be read".to_owned();
            let what = format!("whether a notification `{id}` is declared");
            sink.undecided(notification.span(), what, why, Vec::new());
            continue;
        }
        let mut known: Vec<String> = declared.iter().map(|id| format!("`{id}`")).collect();
        known.push(format!("`{people}`"));
        sink.report(
            notification.span(),
            format!(
                "no notification `{id}` is declared; AutoKuma then leaves the whole monitor out"
            ),
        )
        .help(format!("known are {}", known.join(", ")));
    }
}
