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

/// The notice of domains that expire, which Kuma has since 2.1, where it is on unless it is switched off. `AutoKuma` does
/// not know it.
fn of_domains(monitor: &Monitor, workspace: &Workspace, sink: &mut Sink<'_>) {
    let entry = monitor.setting("domain_expiry_notification");
    let switched_on = monitor.flag("domain_expiry_notification") == Some(true);
    let by_itself = entry.is_none() && notices_domains(monitor);
    if !switched_on && !by_itself {
        return;
    }
    let place = entry.map(|entry| entry.value.span());
    let key = entry.map_or("domainExpiryNotification", |entry| entry.key.as_str());
    let help = format!("set `{key}` to false");
    if let Some(notification) = super::dispatch_of(monitor, workspace, sink) {
        let message = format!(
            "a domain that is about to expire starts the workflow through `{}` too",
            notification.as_str()
        );
        sink.report(place.unwrap_or_else(|| notification.span()), message)
            .help(help);
    }
}

/// Whether the release that wrote this notices domains that expire, and the monitor has one.
fn notices_domains(monitor: &Monitor) -> bool {
    let version = monitor.kuma.as_ref().filter(|_| monitor.is_monitor());
    let mut parts = version.into_iter().flat_map(|it| it.as_str().split('.'));
    let mut next = || parts.next().and_then(|part| part.parse::<u32>().ok());
    let since = matches!((next(), next()), (Some(2), Some(minor)) if minor >= 1);
    let written = monitor.document.get("id").is_some();
    since && written && monitor.watched_host().is_some()
}
