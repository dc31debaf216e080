//! A notification that nobody declares.

use crate::diag::Severity;
use crate::model::monitor::{Form, Monitor};
use crate::rules::{Check, Rule, Sink, Tier, Workspace};
use crate::syntax::yaml;
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
    if monitor.form == Form::Kuma {
        return unlisted(monitor, workspace, sink);
    }
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

/// A number that the backup itself, or the list of notifications beside the monitor, does not have: Kuma tells nobody, and
/// says nothing.
fn unlisted(monitor: &Monitor, workspace: &Workspace, sink: &mut Sink<'_>) {
    let beside = workspace.monitors.iter().map(|artefact| &artefact.model);
    let all = beside.filter(|other| other.is("notification") && other.folder() == monitor.folder());
    let is_list = |other: &&Monitor| {
        let name = other.path.rsplit('/').next().unwrap_or_default();
        name.starts_with("notifications.") || other.path == monitor.path
    };
    // By its place: the number itself may be called by the name that the spec has for it.
    let numbers: Vec<Text> = all
        .filter(is_list)
        .filter_map(|other| {
            let by_key = || other.id.clone();
            let written = other.document.get("id").and_then(yaml::as_written);
            written.or_else(by_key)
        })
        .collect();
    let listed: Vec<&str> = numbers
        .iter()
        .map(Text::as_str)
        .filter(|id| id.parse::<u64>().is_ok())
        .collect();
    // A backup always has the whole list, be it an empty one.
    let is_backup = monitor.kuma.is_some();
    for notification in monitor.written_notifications() {
        let id = notification.as_str();
        let unknown = listed.is_empty() && !is_backup;
        if unknown || id.parse::<u64>().is_err() || listed.contains(&id) {
            continue;
        }
        let known: Vec<String> = listed.iter().map(|id| format!("`{id}`")).collect();
        let message = format!("no notification `{id}` is listed; Kuma then tells nobody of it");
        let help = if known.is_empty() {
            "the list of notifications is empty".to_owned()
        } else {
            format!("listed are {}", known.join(", "))
        };
        sink.report(notification.span(), message).help(help);
    }
}
