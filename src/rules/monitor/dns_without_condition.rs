//! A look-up that says nothing of where the record points.

use crate::diag::Severity;
use crate::model::monitor::Monitor;
use crate::rules::{Check, Rule, Sink, Tier, Workspace};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "dns-without-condition",
    aliases: &[],
    summary: "a dns monitor that starts the failover, and takes any answer for good",
    severity: Severity::Warning,
    tier: Tier::Specific,
    page: include_str!("dns_without_condition.md"),
    check: Check::Monitor(check),
};

fn check(monitor: &Monitor, workspace: &Workspace, sink: &mut Sink<'_>) {
    if !monitor.is("dns") {
        return;
    }
    if !monitor.items("conditions").is_empty() {
        return unknown_to_kuma_1(monitor, sink);
    }
    let templated = monitor
        .text("conditions")
        .is_some_and(|text| super::holds_template(&text));
    let Some(kind) = monitor.kind.as_ref().filter(|_| !templated) else {
        return;
    };
    if super::dispatch_of(monitor, workspace, sink).is_some() {
        sink.report(
            kind.span(),
            "without `conditions` every answer is a good one, wherever the record points",
        )
        .help("compare `record` with the address of the standby, upside down");
    }
}

/// Conditions came with Uptime Kuma 2; before, every answer is a good one, whatever stands here.
fn unknown_to_kuma_1(monitor: &Monitor, sink: &mut Sink<'_>) {
    let (Some(entry), Some(kuma)) = (monitor.setting("conditions"), &monitor.kuma) else {
        return;
    };
    if monitor.is_of_kuma_1() == Some(true) {
        let message = format!(
            "`conditions` are unknown to Uptime Kuma {}, so that every answer is a good one",
            kuma.as_str()
        );
        sink.report(entry.key.span(), message)
            .severity(Severity::Error)
            .help("ask a resolver over HTTPS with a `json-query` monitor, or use Uptime Kuma 2");
    }
}
