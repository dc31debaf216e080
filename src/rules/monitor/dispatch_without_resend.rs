//! One message, and no second try when it gets lost.

use crate::diag::Severity;
use crate::model::monitor::Monitor;
use crate::rules::{Check, Rule, Sink, Tier, Workspace};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "dispatch-without-resend",
    aliases: &[],
    summary: "a monitor that starts the failover once and never again",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("dispatch_without_resend.md"),
    check: Check::Monitor(check),
};

fn check(monitor: &Monitor, workspace: &Workspace, sink: &mut Sink<'_>) {
    let Some(notification) = super::dispatch_of(monitor, workspace, sink) else {
        return;
    };
    if !monitor.is_monitor() {
        return;
    }
    let entry = monitor.setting("resend_interval");
    if monitor
        .number("resend_interval")
        .is_some_and(|beats| beats > 0)
    {
        return;
    }
    if super::is_left_open(monitor, "resend_interval", notification.span(), sink) {
        return;
    }
    let at = entry.map_or_else(|| notification.span(), |entry| entry.value.span());
    sink.report(
        at,
        "the message is posted once and never again: if it gets lost there is no failover",
    )
    .help(format!(
        "set `{}` to 30: the message is posted again at every 30th failing check",
        monitor.spelling("resend_interval")
    ));
}
