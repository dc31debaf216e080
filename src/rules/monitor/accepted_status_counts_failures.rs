//! A watch that starts the failover and takes an answer of a failed server for life.

use crate::diag::Severity;
use crate::model::monitor::Monitor;
use crate::rules::{Check, Rule, Sink, Tier, Workspace};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "accepted-status-counts-failures",
    aliases: &[],
    summary: "a watch for which a 5xx answer counts as life",
    severity: Severity::Warning,
    tier: Tier::Specific,
    page: include_str!("accepted_status_counts_failures.md"),
    check: Check::Monitor(check),
};

fn check(monitor: &Monitor, workspace: &Workspace, sink: &mut Sink<'_>) {
    if super::dispatch_of(monitor, workspace, sink).is_none() {
        return;
    }
    for code in monitor.list("accepted_statuscodes") {
        let (first, last) = code
            .as_str()
            .split_once('-')
            .unwrap_or((code.as_str(), code.as_str()));
        let number = |text: &str| text.trim().parse::<u16>().ok();
        let (Some(first), Some(last)) = (number(first), number(last)) else {
            continue;
        };
        if first <= last && first <= 599 && last >= 500 {
            let message = format!(
                "`{}` takes the answer of a failed server for life, so that only a site without any answer is dead",
                code.as_str()
            );
            sink.report(code.span(), message)
                .help("accept \"200-299\", and single codes that a living site answers with");
        }
    }
}
