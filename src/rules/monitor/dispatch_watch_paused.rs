//! A watch that starts the failover and is paused.

use crate::diag::Severity;
use crate::model::monitor::Monitor;
use crate::rules::{Check, Rule, Sink, Tier, Workspace};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "dispatch-watch-paused",
    aliases: &[],
    summary: "a watch that starts the failover and is paused",
    severity: Severity::Warning,
    tier: Tier::Specific,
    page: include_str!("dispatch_watch_paused.md"),
    check: Check::Monitor(check),
};

fn check(monitor: &Monitor, workspace: &Workspace, sink: &mut Sink<'_>) {
    let Some(entry) = monitor.setting("active") else {
        return;
    };
    if monitor.flag("active") != Some(false) {
        return;
    }
    if super::dispatch_of(monitor, workspace, sink).is_none() {
        return;
    }
    let message = "the monitor is paused: it looks at nothing, and starts nothing";
    sink.report(entry.value.span(), message)
        .help("switch it on; Kuma says nothing of what is paused");
}
