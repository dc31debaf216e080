//! A watch that starts the failover while home serves as it should.

use crate::diag::Severity;
use crate::model::monitor::Monitor;
use crate::rules::{Check, Rule, Sink, Tier, Workspace};
use crate::text::Text;

use super::accepted_status_invalid::is_pattern;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "accepted-status-without-success",
    aliases: &[],
    summary: "a watch for which no answer of success counts as life",
    severity: Severity::Warning,
    tier: Tier::Specific,
    page: include_str!("accepted_status_without_success.md"),
    check: Check::Monitor(check),
};

fn check(monitor: &Monitor, workspace: &Workspace, sink: &mut Sink<'_>) {
    if !monitor.is_http() || super::dispatch_of(monitor, workspace, sink).is_none() {
        return;
    }
    let (codes, accepted) = (monitor.list("accepted_statuscodes"), monitor.accepted());
    // What is no status, and a number in the place of one, are told by another rule.
    let items = monitor.items("accepted_statuscodes");
    let plain = codes.iter().all(|code| is_pattern(code.as_str()))
        && items.iter().all(|item| item.as_text().is_some());
    let success = (200..=299).any(|status| accepted.takes(status));
    let (Some(first), Some(last)) = (codes.first(), codes.last()) else {
        return;
    };
    if !plain || success {
        return;
    }
    let written: Vec<&str> = codes.iter().map(Text::as_str).collect();
    sink.report(
        first.span().cover(last.span()),
        format!(
            "of all answers only `{}` count as life, so that a site which serves with 200 is dead to this watch",
            written.join("`, `")
        ),
    )
    .help("accept \"200-299\", too");
}
