//! A duty of the spec that no monitor has: nobody watches home, tells people, tries the return or checks the token.

use crate::diag::Severity;
use crate::model::dns::RecordName;
use crate::model::monitor::Monitor;
use crate::model::spec::Spec;
use crate::rules::{Check, Rule, Sink, Tier, Workspace};
use crate::text::{Span, Text};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "monitor-duty-missing",
    aliases: &[],
    summary: "a duty of the spec that no monitor has",
    severity: Severity::Error,
    tier: Tier::Agreement,
    page: include_str!("monitor_duty_missing.md"),
    check: Check::Whole(check),
};

/// Only a run over the whole deployment can say that something is missing; where there is no monitor at all, the
/// missing folder has been told.
fn check(workspace: &Workspace, sink: &mut Sink<'_>) {
    let Some(spec) = workspace.spec.as_ref().filter(|_| workspace.whole) else {
        return;
    };
    // So it is where a file could not be read, which has been told as well.
    let unread = workspace.is_unread_below(&spec.artefacts.monitors);
    if workspace.monitors.is_empty() || unread {
        return;
    }
    for (pointer, id, what, has_it) in DUTIES {
        let mut monitors = workspace.monitors.iter().map(|artefact| &artefact.model);
        if monitors.any(|monitor| has_it(monitor, spec, &Duty { workspace, sink })) {
            continue;
        }
        let label = spec.label(pointer);
        let about = if id.is_empty() { "dispatch" } else { id };
        let help = "write the monitors with `pointsman generate`, or declare one that does";
        if let Some((name, at)) = named(workspace, id) {
            sink.report(at, format!("no monitor {what}: `{name}` does not"))
                .related(label.at, label.text)
                .about(about)
                .help(help);
        } else {
            sink.report(label.at, format!("no monitor {what}"))
                .about(about)
                .help(help);
        }
    }
}

/// The monitor that is called as one with this duty, and what it watches, or its type.
fn named<'a>(workspace: &'a Workspace, id: &str) -> Option<(&'a str, Span)> {
    let mut monitors = workspace.monitors.iter().map(|artefact| &artefact.model);
    let is_so_called = |it: &&Monitor| it.id.as_ref().is_some_and(|found| found.as_str() == id);
    let monitor = monitors.find(is_so_called)?;
    let watched = monitor
        .setting("url")
        .or_else(|| monitor.setting("hostname"));
    let at = watched.map_or_else(|| monitor.config_span(), |entry| entry.value.span());
    Some((monitor.id.as_ref()?.as_str(), at))
}

/// What is needed to say which notification starts the workflow.
struct Duty<'a, 's> {
    workspace: &'a Workspace,
    sink: &'a Sink<'s>,
}

type HasIt = fn(&Monitor, &Spec, &Duty<'_, '_>) -> bool;

const DUTIES: [(&str, &str, &str, HasIt); 6] = [
    (
        "/monitors/edge_watch",
        "edge-watch",
        "watches the origin record and starts the workflow",
        |monitor, spec, duty| watches_home(monitor, spec) && starts(monitor, duty),
    ),
    (
        "/monitors/people",
        "edge-notice",
        "watches the origin record and tells people",
        |monitor, spec, _| {
            // Which notification it sends is then compared elsewhere.
            let is_own = monitor
                .id
                .as_ref()
                .is_some_and(|id| id.as_str() == "edge-notice");
            watches_home(monitor, spec) && (is_own || tells(monitor, &spec.monitors.people))
        },
    ),
    (
        "/monitors/transition_notice",
        "transition-notice",
        "tells people that the records have moved",
        |monitor, spec, _| watches_records(monitor, spec) && tells(monitor, &spec.monitors.people),
    ),
    (
        "/monitors/failback_retry",
        "failback-retry",
        "starts the workflow while the records are away from home",
        |monitor, spec, duty| watches_records(monitor, spec) && starts(monitor, duty),
    ),
    (
        "/monitors/token_check",
        "token-check",
        "asks GitHub for the workflow, to see that the token is good",
        |monitor, spec, _| {
            let url = monitor.text("url");
            let url = url.map(|url| url.as_str().to_ascii_lowercase());
            let repository = spec.repository().to_ascii_lowercase();
            super::is_http(monitor) && url.is_some_and(|url| url.contains(&repository))
        },
    ),
    (
        "/monitors/dispatch",
        "",
        "is the notification that starts the workflow",
        |monitor, spec, _| {
            let id = monitor.id.as_ref().map(Text::as_str);
            id == Some(spec.monitors.dispatch.as_str()) && super::dispatch(monitor).is_some()
        },
    ),
];

fn starts(monitor: &Monitor, duty: &Duty<'_, '_>) -> bool {
    super::dispatch_of(monitor, duty.workspace, duty.sink).is_some()
}

fn tells(monitor: &Monitor, id: &str) -> bool {
    let ids = monitor.notifications();
    ids.iter().any(|found| found.as_str() == id)
}

/// A host of the zone; whether it is the right one is the business of `watch-host-switched`.
fn watches_home(monitor: &Monitor, spec: &Spec) -> bool {
    let host = monitor.watched_host();
    let name = host.and_then(|host| RecordName::parse(host.as_str()).ok());
    super::is_http(monitor) && name.is_some_and(|name| name.is_within(&spec.zone.name))
}

/// Looks the switched names up, itself or at a resolver that answers over HTTPS.
fn watches_records(monitor: &Monitor, spec: &Spec) -> bool {
    let asked = if monitor.is("dns") {
        monitor.text("hostname")
    } else {
        monitor.text("url").filter(|_| monitor.is("json-query"))
    };
    let Some(asked) = asked else {
        return false;
    };
    let names = spec
        .record_names()
        .iter()
        .filter(|name| !name.is_wildcard());
    let mut names = names.map(RecordName::dns);
    names.any(|name| asked.as_str().contains(&name))
}
