//! A watch that starts the failover when the site answers.

use crate::diag::Severity;
use crate::model::monitor::Monitor;
use crate::rules::{Check, Rule, Sink, Tier, Workspace};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "watch-upside-down",
    aliases: &[],
    summary: "a watch that is upside down: the failover starts when the site answers",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("watch_upside_down.md"),
    check: Check::Monitor(check),
};

fn check(monitor: &Monitor, workspace: &Workspace, sink: &mut Sink<'_>) {
    let flipped = monitor.is("http") && monitor.flag("upside_down") == Some(true);
    let Some(entry) = monitor.setting("upside_down").filter(|_| flipped) else {
        return;
    };
    let (at, key) = (entry.value.span(), entry.key.as_str().to_owned());
    if super::dispatch_of(monitor, workspace, sink).is_some() {
        sink.report(at, format!("`{key}` makes an answer a failure: the message goes out while the site is well, and none when it dies"))
            .help("take it out");
    }
}
