//! A second message that comes when the outage is long over.

use crate::diag::Severity;
use crate::model::monitor::Monitor;
use crate::rules::{Check, Rule, Sink, Tier, Workspace};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "resend-too-rare",
    aliases: &[],
    summary: "a lost message is repeated only after more than an hour",
    severity: Severity::Warning,
    tier: Tier::Specific,
    page: include_str!("resend_too_rare.md"),
    check: Check::Monitor(check),
};

/// The longest time in which a message that got lost is repeated.
const LIMIT: i64 = 3600;

fn check(monitor: &Monitor, workspace: &Workspace, sink: &mut Sink<'_>) {
    // With a spec, how often is its own decision, and what differs from it is told.
    if workspace.spec.is_some() {
        return;
    }
    let (Some(interval), Some(beats)) = (
        monitor.number("interval"),
        monitor.number("resend_interval"),
    ) else {
        return;
    };
    let Some(text) = monitor
        .text("resend_interval")
        .filter(|_| interval > 0 && beats > 0 && beats <= 1_000_000)
    else {
        return;
    };
    let seconds = interval.saturating_mul(beats);
    if seconds <= LIMIT || super::dispatch_of(monitor, workspace, sink).is_none() {
        return;
    }
    sink.report(text.span(), format!("`{}` counts checks, not seconds: {beats} of {interval} seconds are {} minutes until a lost message is repeated", monitor.spelling("resend_interval"), seconds / 60))
        .help("30 checks of 60 seconds are half an hour");
}
