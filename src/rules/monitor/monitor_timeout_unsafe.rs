//! A check that waits too long for a dead host, or for ever.

use crate::diag::Severity;
use crate::model::monitor::{Form, Monitor};
use crate::rules::{Check, Rule, Sink, Tier, Workspace};
use crate::syntax::Kind;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "monitor-timeout-unsafe",
    aliases: &[],
    summary: "a check whose time-out hides a dead host or delays the alarm",
    severity: Severity::Warning,
    tier: Tier::Specific,
    page: include_str!("monitor_timeout_unsafe.md"),
    check: Check::Monitor(check),
};

fn check(monitor: &Monitor, workspace: &Workspace, sink: &mut Sink<'_>) {
    if !super::is_http(monitor) {
        return;
    }
    let help = "set `timeout: 10`: a host that does not answer within ten seconds does not serve visitors either";
    let timeout = monitor.setting("timeout");
    let Some(seconds) = monitor
        .text("timeout")
        .and_then(|text| text.as_str().parse::<f64>().ok())
    else {
        // What is no number is told as such.
        if timeout.is_some_and(|entry| entry.value.kind != Kind::Null) {
            return;
        }
        // Other monitors may wait as long as they like.
        let Some(notification) = super::dispatch_of(monitor, workspace, sink) else {
            return;
        };
        if super::is_left_open(monitor, "timeout", notification.span(), sink) {
            return;
        }
        if monitor.form == Form::Kuma {
            sink.report(notification.span(), "no `timeout` is set: Kuma then waits about a thousand times the interval, and a dead line never fails")
                .severity(Severity::Error)
                .help(help);
        } else {
            sink.report(
                notification.span(),
                "no `timeout` is set: 48 seconds are taken, so that a dead line is seen 92 seconds later than with 10",
            )
            .help(help);
        }
        return;
    };
    let Some(entry) = timeout else {
        return;
    };
    let interval = monitor.number("interval").unwrap_or(60);
    if seconds <= 0.0 {
        sink.report(
            entry.value.span(),
            "a time-out of 0 waits for ever: Kuma makes it about a thousand times the interval, and a dead line never fails",
        )
        .severity(Severity::Error)
        .help(help);
    } else if interval > 0 && seconds >= interval as f64 {
        sink.report(
            entry.value.span(),
            format!("one check may take {seconds} seconds, but the next is due after {interval}"),
        )
        .help(help);
    }
}
