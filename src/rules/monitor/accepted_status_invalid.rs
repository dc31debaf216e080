//! A status code that Kuma refuses, or that matches no answer.

use crate::diag::Severity;
use crate::model::monitor::Monitor;
use crate::rules::{Check, Rule, Sink, Tier, Workspace};
use crate::syntax::Kind;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "accepted-status-invalid",
    aliases: &[],
    summary: "an accepted status that Kuma refuses or that never matches",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("accepted_status_invalid.md"),
    check: Check::Monitor(check),
};

fn check(monitor: &Monitor, _: &Workspace, sink: &mut Sink<'_>) {
    let Some(entry) = monitor.setting("accepted_statuscodes") else {
        return;
    };
    let help = "write one status or a range each, in quotes: \"404\", \"200-299\"";
    if entry.value.as_list().is_some_and(<[_]>::is_empty) {
        let message = "an empty list takes no answer, so that the monitor is down for ever";
        sink.report(entry.value.span(), message).help(help);
    }
    for item in entry.value.as_list().unwrap_or_default() {
        if let Kind::Number(digits) = &item.kind {
            sink.report(
                item.span(),
                format!("`{digits}` is a number, which Kuma's API refuses; a status is a string"),
            )
            .help(help);
        }
    }
    for code in monitor.list("accepted_statuscodes") {
        if super::is_filled_in(&code) {
            let what = "which answers count as life";
            sink.undecided(
                code.span(),
                what,
                "the value is filled in later",
                Vec::new(),
            );
        } else if !is_pattern(code.as_str()) {
            sink.report(
                code.span(),
                format!(
                    "`{}` matches no answer, so that the monitor is down for ever",
                    code.as_str()
                ),
            )
            .help(help);
        }
    }
}

pub(super) fn is_pattern(code: &str) -> bool {
    let is_status =
        |part: &str| part.len() == 3 && part.bytes().all(|digit| digit.is_ascii_digit());
    let (from, to) = code.split_once('-').unwrap_or((code, code));
    // RFC 9110: a status is from 100 to 599.
    is_status(from) && is_status(to) && from <= to && from <= "599" && to >= "100"
}
