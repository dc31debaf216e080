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
    of_domains(monitor, workspace, sink);
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

/// The notice of domains that expire, which Kuma has since 2.1 and `AutoKuma` does not know.
fn of_domains(monitor: &Monitor, workspace: &Workspace, sink: &mut Sink<'_>) {
    if monitor.flag("domain_expiry_notification") != Some(true) {
        return;
    }
    let Some(entry) = monitor.setting("domain_expiry_notification") else {
        return;
    };
    let (at, key) = (entry.value.span(), entry.key.as_str().to_owned());
    if let Some(notification) = super::dispatch_of(monitor, workspace, sink) {
        let message = format!(
            "a domain that is about to expire starts the workflow through `{}` too",
            notification.as_str()
        );
        sink.report(at, message)
            .help(format!("set `{key}` to false"));
    }
}
