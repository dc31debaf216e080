//! A number that Kuma refuses, or with which a monitor says nothing in a lifetime.

use crate::diag::Severity;
use crate::model::monitor::Monitor;
use crate::rules::{Check, Rule, Sink, Tier, Workspace};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "monitor-number-absurd",
    aliases: &[],
    summary: "an interval or a count that no monitor can have",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("monitor_number_absurd.md"),
    check: Check::Monitor(check),
};

/// Settings and what they may be; more than 20736000 seconds Kuma refuses (2.5, `MAX_INTERVAL_SECOND`).
const LIMITS: [(&str, i64, i64); 4] = [
    ("interval", 1, 20_736_000),
    ("retry_interval", 1, 20_736_000),
    ("max_retries", 0, 1000),
    ("resend_interval", 0, 1_000_000),
];

fn check(monitor: &Monitor, _: &Workspace, sink: &mut Sink<'_>) {
    if !monitor.is_monitor() {
        return;
    }
    for (setting, least, most) in LIMITS {
        let Some(text) = monitor
            .text(setting)
            .filter(|text| !super::holds_template(text))
        else {
            continue;
        };
        let written = text.as_str().trim();
        let number = written
            .parse::<f64>()
            .ok()
            .filter(|number| number.fract() == 0.0);
        if number.is_some_and(|number| number >= least as f64 && number <= most as f64) {
            continue;
        }
        let key = monitor.spelling(setting);
        sink.report(text.span(), format!("`{key}` is `{written}`; whole numbers from {least} to {most} make sense"))
            .help("write for example 60 seconds, 3 retries, 30 seconds between them, and 30 checks between messages");
    }
}
