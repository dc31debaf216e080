//! A key that stands twice in one map of a `KumaEntity`.

use crate::diag::Severity;
use crate::model::monitor::Monitor;
use crate::rules::{Check, Rule, Sink, Tier, Workspace};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "monitor-key-repeated",
    aliases: &[],
    summary: "a key stands twice in one map",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("monitor_key_repeated.md"),
    check: Check::Monitor(check),
};

fn check(monitor: &Monitor, _: &Workspace, sink: &mut Sink<'_>) {
    for repeat in monitor.document.repeats() {
        let key = repeat.again.as_str();
        sink.report(
            repeat.again.span(),
            format!("`{key}` stands here a second time; Kubernetes refuses the file or keeps one of the two"),
        )
        .related(repeat.first.span(), "it stands here first")
        .help("keep one of the two");
    }
}
