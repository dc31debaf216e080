//! A watch of home with other settings than the spec says.

use crate::diag::Severity;
use crate::model::dns::RecordName;
use crate::model::monitor::Monitor;
use crate::model::spec::EdgeWatch;
use crate::rules::{Check, Rule, Sink, Tier, Workspace};
use crate::text::Text;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "edge-watch-differs-from-spec",
    aliases: &[],
    summary: "the watch of home has other settings than the spec says",
    severity: Severity::Error,
    tier: Tier::Agreement,
    page: include_str!("edge_watch_differs_from_spec.md"),
    check: Check::Monitor(check),
};

fn check(monitor: &Monitor, workspace: &Workspace, sink: &mut Sink<'_>) {
    let Some(spec) = sink.spec() else {
        return;
    };
    let watches_home = monitor.watched_host().is_some_and(|host| {
        RecordName::parse(host.as_str()).is_ok_and(|name| name == spec.origin.name)
    });
    if !watches_home || super::dispatch_of(monitor, workspace, sink).is_none() {
        return;
    }
    numbers(monitor, &spec.monitors.edge_watch, sink);
    statuses(monitor, &spec.monitors.edge_watch, sink);
    let wanted = spec.origin_url();
    if let Some(url) = monitor.text("url").filter(|url| url.as_str() != wanted) {
        let label = spec.label("/origin/name");
        let message = format!("`url` is `{}`, but the spec says `{wanted}`", url.as_str());
        sink.report(url.span(), message)
            .related(label.at, label.text)
            .help(HELP);
    }
}

fn numbers(monitor: &Monitor, watch: &EdgeWatch, sink: &mut Sink<'_>) {
    let settings = [
        ("interval", "interval_seconds", watch.interval_seconds),
        ("max_retries", "retries", watch.retries),
        (
            "retry_interval",
            "retry_interval_seconds",
            watch.retry_interval_seconds,
        ),
        ("resend_interval", "resend_beats", watch.resend_beats),
        ("timeout", "timeout_seconds", watch.timeout_seconds),
    ];
    for (setting, key, wanted) in settings {
        let same = monitor.number(setting) == Some(i64::from(wanted));
        if let Some(found) = monitor.text(setting).filter(|_| !same) {
            report(setting, &found, &wanted.to_string(), key, sink);
        }
    }
}

fn statuses(monitor: &Monitor, watch: &EdgeWatch, sink: &mut Sink<'_>) {
    let codes = monitor.list("accepted_statuscodes");
    let written: Vec<&str> = codes.iter().map(Text::as_str).collect();
    let (Some(first), Some(last)) = (codes.first(), codes.last()) else {
        return;
    };
    if written != watch.accepted_status {
        let text = Text::verbatim(written.join(", "), first.span().cover(last.span()));
        let wanted = watch.accepted_status.join(", ");
        report(
            "accepted_statuscodes",
            &text,
            &wanted,
            "accepted_status",
            sink,
        );
    }
}

const HELP: &str = "change one of the two; `pointsman generate` writes the monitors from the spec";

fn report(setting: &str, found: &Text, wanted: &str, key: &str, sink: &mut Sink<'_>) {
    let Some(label) = sink
        .spec()
        .map(|spec| spec.label(&format!("/monitors/edge_watch/{key}")))
    else {
        return;
    };
    sink.report(
        found.span(),
        format!(
            "`{setting}` is `{}`, but the spec says `{wanted}`",
            found.as_str()
        ),
    )
    .related(label.at, label.text)
    .help(HELP);
}
