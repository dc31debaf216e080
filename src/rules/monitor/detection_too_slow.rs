//! A monitor that starts the failover later than a person would.

use crate::diag::Severity;
use crate::model::monitor::Monitor;
use crate::rules::{Check, Rule, Sink, Tier, Workspace};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "detection-too-slow",
    aliases: &[],
    summary: "a monitor that notices an outage only after a quarter of an hour",
    severity: Severity::Warning,
    tier: Tier::Specific,
    page: include_str!("detection_too_slow.md"),
    check: Check::Monitor(check),
};

/// Longer than this a person is faster.
const LIMIT: i64 = 900;

/// How many retries `generate` writes.
const USUAL_RETRIES: i64 = 3;

fn check(monitor: &Monitor, workspace: &Workspace, sink: &mut Sink<'_>) {
    if !monitor.is_monitor() || monitor.is("push") {
        return;
    }
    let Some(text) = monitor.text("interval") else {
        return;
    };
    let (Some(interval), retries) = (
        monitor.number("interval"),
        monitor.number("max_retries").unwrap_or(0),
    ) else {
        return;
    };
    let pause = monitor.number("retry_interval").unwrap_or(interval);
    let whole = pause
        .checked_mul(retries)
        .and_then(|sum| sum.checked_add(interval));
    let slow = whole.is_none_or(|seconds| seconds > LIMIT)
        && interval > 0
        && (0..=1000).contains(&retries);
    if !slow || super::dispatch_of(monitor, workspace, sink).is_none() {
        return;
    }
    let seconds = whole.unwrap_or(i64::MAX);
    // Of the three numbers the one is underlined that makes it slow.
    let slowest = if interval > LIMIT {
        "interval"
    } else if pause.saturating_mul(USUAL_RETRIES) > LIMIT {
        "retry_interval"
    } else {
        "max_retries"
    };
    let text = monitor.text(slowest).unwrap_or(text);
    let key = monitor.spelling("max_retries");
    sink.report(text.span(), format!("a dead site is told after up to {seconds} seconds: {interval} until the next check, and `{key}` {retries} times {pause}"))
        .help("60 seconds, 3 retries and 30 seconds between them tell it after 90 to 160 seconds");
}
