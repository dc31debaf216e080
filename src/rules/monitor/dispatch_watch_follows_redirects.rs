//! A watch that goes where the redirect leads.

use crate::diag::Severity;
use crate::model::monitor::Monitor;
use crate::rules::{Check, Rule, Sink, Tier, Workspace};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "dispatch-watch-follows-redirects",
    aliases: &[],
    summary: "a monitor that starts the failover follows redirects",
    severity: Severity::Warning,
    tier: Tier::Specific,
    page: include_str!("dispatch_watch_follows_redirects.md"),
    check: Check::Monitor(check),
};

fn check(monitor: &Monitor, workspace: &Workspace, sink: &mut Sink<'_>) {
    if !super::is_http(monitor) || monitor.number("max_redirects") == Some(0) {
        return;
    }
    let Some(notification) = super::dispatch_of(monitor, workspace, sink) else {
        return;
    };
    if super::is_left_open(monitor, "max_redirects", notification.span(), sink) {
        return;
    }
    let at = monitor
        .setting("max_redirects")
        .map_or_else(|| notification.span(), |entry| entry.value.span());
    sink.report(
        at,
        "redirects are followed: another host may answer, and the watched one counts as up",
    )
    .help(format!("set `{}` to 0", monitor.spelling("max_redirects")));
}
