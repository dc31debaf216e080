//! A watch of the very record that the switch moves.

use crate::diag::Severity;
use crate::model::dns::RecordName;
use crate::model::monitor::Monitor;
use crate::rules::{Check, Rule, Sink, Tier, Workspace};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "watch-host-switched",
    aliases: &[],
    summary: "the watched host is moved by the switch itself",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("watch_host_switched.md"),
    check: Check::Monitor(check),
};

fn check(monitor: &Monitor, workspace: &Workspace, sink: &mut Sink<'_>) {
    let Some(spec) = sink.spec().filter(|_| super::is_http(monitor)) else {
        return;
    };
    let Some(host) = monitor.watched_host() else {
        return;
    };
    if super::dispatch_of(monitor, workspace, sink).is_none() {
        return;
    }
    let Ok(name) = RecordName::parse(host.as_str()) else {
        return;
    };
    if name == spec.origin.name {
        return;
    }
    let names = spec.record_names();
    let Some((index, record)) = names
        .iter()
        .enumerate()
        .find(|(_, record)| **record == name || name.is_covered_by(record))
    else {
        return;
    };
    let label = spec.label(&format!("/records/names/{index}"));
    sink.report(
        host.span(),
        format!("`{}` is answered by `{record}`, which the switch moves: after it the watch sees the standby and reports home as recovered", host.as_str()),
    )
    .related(label.at, label.text)
    .help(format!("watch `{}`, whose record always points home", spec.origin.name));
}
