//! A condition that Kuma accepts and that is never true.

use crate::diag::Severity;
use crate::model::monitor::Monitor;
use crate::rules::{Check, Rule, Sink, Tier, Workspace};
use crate::syntax::Node;
use crate::text::Span;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "dns-condition-incomplete",
    aliases: &[],
    summary: "a condition of a dns monitor that is never true",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("dns_condition_incomplete.md"),
    check: Check::Monitor(check),
};

fn check(monitor: &Monitor, _: &Workspace, sink: &mut Sink<'_>) {
    if !monitor.is("dns") {
        return;
    }
    for condition in &monitor.items("conditions") {
        if condition.get("type").and_then(Node::as_str) == Some("group") {
            continue;
        }
        if let Some((at, message)) = fault(condition) {
            sink.report(at, message).help(
                "write all of it: `type: expression`, `variable: record`, `operator: equals`, `value`, `andOr: and`",
            );
        }
    }
}

/// The operators of a text condition in Uptime Kuma 2 (server/monitor-conditions/operators.js).
const OPERATORS: [&str; 8] = [
    "equals",
    "not_equals",
    "contains",
    "not_contains",
    "starts_with",
    "not_starts_with",
    "ends_with",
    "not_ends_with",
];

fn fault(condition: &Node) -> Option<(Span, String)> {
    for key in ["type", "variable", "operator", "value"] {
        if condition.get(key).is_none() {
            return Some((
                condition.span(),
                format!(
                    "`{key}` is not here; Kuma takes the condition all the same, and it is never true"
                ),
            ));
        }
    }
    let wrong = |key: &str, allowed: &[&str]| {
        let value = condition.get(key)?;
        let written = value.as_str().unwrap_or_default();
        (!allowed.contains(&written)).then(|| {
            let message = format!(
                "`{written}` is no {key} of a condition; allowed is `{}`",
                allowed.join("`, `")
            );
            (value.span(), message)
        })
    };
    wrong("type", &["expression"])
        .or_else(|| wrong("variable", &["record"]))
        .or_else(|| wrong("operator", &OPERATORS))
}
