//! A person whose message waits for the dispatch.

use crate::diag::Severity;
use crate::model::monitor::Monitor;
use crate::rules::{Check, Rule, Sink, Tier, Workspace};
use crate::text::Text;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "people-behind-dispatch",
    aliases: &[],
    summary: "people are told only when the dispatch has been answered",
    severity: Severity::Warning,
    tier: Tier::General,
    page: include_str!("people_behind_dispatch.md"),
    check: Check::Monitor(check),
};

fn check(monitor: &Monitor, workspace: &Workspace, sink: &mut Sink<'_>) {
    if !monitor.is_monitor() {
        return;
    }
    let Some(dispatch) = super::dispatch_of(monitor, workspace, sink) else {
        return;
    };
    let all = monitor.notifications();
    let others: Vec<&Text> = all
        .iter()
        .filter(|id| id.as_str() != dispatch.as_str())
        .collect();
    if let Some(other) = others.first() {
        sink.report(other.span(), format!("`{}` shares the monitor with the dispatch `{}`: notifications go out one after another without a time limit, and a call that hangs stops the checks, too", other.as_str(), dispatch.as_str()))
            .help("tell people from a monitor of its own with the same settings");
    }
}
