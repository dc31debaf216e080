//! A certificate that is about to expire, and a failover that it starts.

use crate::diag::Severity;
use crate::model::monitor::{Form, Monitor};
use crate::rules::{Check, Rule, Sink, Tier, Workspace};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "dispatch-on-expiry-notice",
    aliases: &[],
    summary: "an expiry notice that would start the failover",
    severity: Severity::Warning,
    tier: Tier::Specific,
    page: include_str!("dispatch_on_expiry_notice.md"),
    check: Check::Monitor(check),
};

fn check(monitor: &Monitor, workspace: &Workspace, sink: &mut Sink<'_>) {
    if !super::is_http(monitor) || monitor.flag("expiry_notification") == Some(false) {
        return;
    }
    let Some(notification) = super::dispatch_of(monitor, workspace, sink) else {
        return;
    };
    let listed = monitor.form == Form::Listed && monitor.setting("expiry_notification").is_none();
    if listed || super::is_left_open(monitor, "expiry_notification", notification.span(), sink) {
        return;
    }
    let at = monitor
        .setting("expiry_notification")
        .map_or_else(|| notification.span(), |entry| entry.value.span());
    sink.report(
        at,
        format!(
            "a certificate that is about to expire starts the workflow through `{}` too",
            notification.as_str()
        ),
    )
    .help(format!(
        "set `{}` to false, and watch the certificate with a monitor that tells people",
        monitor.spelling("expiry_notification")
    ));
}
