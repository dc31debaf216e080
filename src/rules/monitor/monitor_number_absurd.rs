//! A number that Kuma refuses, or with which a monitor says nothing in a lifetime.

use crate::diag::Severity;
use crate::model::monitor::{LIMITS, Monitor};
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

fn check(monitor: &Monitor, _: &Workspace, sink: &mut Sink<'_>) {
    if !monitor.is_monitor() {
        return;
    }
    for limit in LIMITS {
        let setting = limit.setting;
        let Some(text) = monitor
            .text(setting)
            .filter(|text| !super::holds_template(text))
        else {
            continue;
        };
        let written = text.as_str().trim();
        let (mut least, most) = (limit.least, limit.most);
        let of_time = ["interval", "retry_interval"].contains(&setting);
        if of_time && monitor.is_of_kuma_1() == Some(true) {
            // 1.23, `MIN_INTERVAL_SECOND`.
            least = 20.0;
        }
        if limit.number(written).is_some_and(|number| number >= least) {
            continue;
        }
        let key = monitor.spelling(setting);
        sink.report(text.span(), format!("`{key}` is `{written}`; whole numbers from {least} to {most} make sense"))
            .help("write for example 60 seconds, 3 retries, 30 seconds between them, and 30 checks between messages");
    }
}
