//! A number that Kuma refuses, or with which a monitor says nothing in a lifetime.

use crate::diag::Severity;
use crate::model::monitor::{LIMITS, Monitor};
use crate::rules::{Check, Rule, Sink, Tier, Workspace};
use crate::syntax::{Kind, yaml};

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
        let (mut least, most) = (limit.least, limit.most);
        let of_time = ["interval", "retry_interval"].contains(&setting);
        if of_time && monitor.is_of_kuma_1() == Some(true) {
            // 1.23, `MIN_INTERVAL_SECOND`.
            least = 20.0;
        }
        let fits = |written: &str| limit.number(written).is_some_and(|number| number >= least);
        let sense = format!("whole numbers from {least} to {most} make sense");
        judge(monitor, setting, fits, &sense, sink);
    }
    // Whether it is long enough, or too long, is another rule's question.
    let seconds = |written: &str| written.parse().is_ok_and(f64::is_finite);
    judge(
        monitor,
        "timeout",
        seconds,
        "it is a number of seconds",
        sink,
    );
}

fn judge(
    monitor: &Monitor,
    setting: &str,
    fits: impl Fn(&str) -> bool,
    sense: &str,
    sink: &mut Sink<'_>,
) {
    let Some(value) = monitor.setting(setting).map(|entry| &entry.value) else {
        return;
    };
    let key = monitor.spelling(setting);
    let written = match &value.kind {
        // What is null is as if it were not there.
        Kind::Null | Kind::Unknown(_) => return,
        Kind::List(_) => "a list".to_owned(),
        Kind::Map(_) => "a map".to_owned(),
        Kind::Text(_) | Kind::Number(_) | Kind::Bool(_) => {
            let Some(text) = yaml::as_written(value) else {
                return;
            };
            let written = text.as_str().trim();
            if super::is_filled_in(&text) {
                let what = format!("what `{key}` is");
                let why = format!("`{written}` is filled in later");
                return sink.undecided(value.span(), what, why, Vec::new());
            }
            if fits(written) {
                return;
            }
            format!("`{written}`")
        }
    };
    let said = format!("`{key}` is {written}; {sense}");
    sink.report(value.span(), said).help(
        "write for example 60 seconds, 3 retries, 30 seconds between them, 30 checks between messages, and a time-out of 10 seconds",
    );
}
