//! A condition that Kuma accepts and that is never true.

use crate::diag::Severity;
use crate::model::monitor::{Form, Monitor};
use crate::rules::{Check, Rule, Sink, Tier, Workspace};
use crate::syntax::{Node, yaml};
use crate::text::{Span, Text};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "dns-condition-incomplete",
    aliases: &[],
    summary: "a condition that is never true, or for which AutoKuma refuses the monitor",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("dns_condition_incomplete.md"),
    check: Check::Monitor(check),
};

fn check(monitor: &Monitor, _: &Workspace, sink: &mut Sink<'_>) {
    if monitor.is("dns") {
        look_at(&monitor.items("conditions"), sink);
    } else if monitor.form == Form::Entity && monitor.is_monitor() {
        refused(&monitor.items("conditions"), sink);
    }
}

/// Words for which AutoKuma leaves the entity out, whatever its type (kuma-client, `MonitorCondition`).
fn refused(conditions: &[Node], sink: &mut Sink<'_>) {
    let words: [(&str, &[&str]); 3] = [
        ("type", &["expression", "group"]),
        ("operator", &OPERATORS),
        ("andOr", &["and", "or"]),
    ];
    for condition in conditions {
        if let Some(children) = condition.get("children").and_then(Node::as_list) {
            refused(children, sink);
        }
        for (key, allowed) in words {
            let Some(value) = condition.get(key) else {
                continue;
            };
            let written = value.as_str().unwrap_or_default();
            let filled_in = value.as_text().is_some_and(super::is_filled_in);
            if !filled_in && !allowed.contains(&written) {
                let allowed = allowed.join("`, `");
                let message =
                    format!("`{written}` is no {key} of a condition; allowed is `{allowed}`");
                sink.report(value.span(), message)
                    .help("AutoKuma leaves the whole entity out; of a monitor of this type no condition is looked at, so take it out");
            }
        }
    }
}

/// Judges conditions one by one, and those of groups; whether anything was told.
fn look_at(conditions: &[Node], sink: &mut Sink<'_>) -> bool {
    let mut told = false;
    for condition in conditions {
        if condition.get("type").and_then(Node::as_str) == Some("group") {
            let children = condition.get("children").and_then(Node::as_list);
            if let Some(children) = children.filter(|children| !children.is_empty()) {
                told |= look_at(children, sink);
                continue;
            }
            told = true;
            let message = "a group without conditions, of which Kuma makes an error at each check";
            sink.report(condition.span(), message)
                .help("write its conditions below `children`, or take it out");
        } else if let Some((at, message)) = fault(condition) {
            told = true;
            sink.report(at, message).help(
                "write all of it: `type: expression`, `variable: record`, `operator: equals`, `value`, `andOr: and`",
            );
        }
    }
    if !told && let Some(at) = contradiction(conditions) {
        told = true;
        sink.report(
            at,
            "no record fulfils this together with the conditions before it",
        )
        .help("a record has one value: write `andOr: or` between two addresses");
    }
    told
}

/// The condition with which those before it can no longer be true of any record.
fn contradiction(conditions: &[Node]) -> Option<Span> {
    let last =
        (1..=conditions.len()).find(|count| conditions.get(..*count).is_some_and(is_never_true))?;
    let condition = conditions.get(last - 1)?;
    let word = condition.get("andOr").filter(|_| last > 1);
    Some(word.map_or_else(|| condition.span(), Node::span))
}

/// Whether no record makes the conditions true: none of those that they name, and no other.
fn is_never_true(conditions: &[Node]) -> bool {
    let mut values = Vec::new();
    named(conditions, &mut values);
    let filled_in = values.iter().any(super::is_filled_in);
    let mut records = values
        .iter()
        .map(|value| Some(value.as_str()))
        .chain([None]);
    !filled_in && records.all(|record| can_be(conditions, record) == Some(false))
}

fn named(conditions: &[Node], values: &mut Vec<Text>) {
    for condition in conditions {
        values.extend(condition.get("value").and_then(yaml::as_written));
        if let Some(children) = condition.get("children").and_then(Node::as_list) {
            named(children, values);
        }
    }
}

/// Whether the conditions can be true of this record, or of one that none of them names (`evaluator.js`: from left to
/// right, each joined to what came before it by its own `andOr`).
fn can_be(conditions: &[Node], record: Option<&str>) -> Option<bool> {
    let mut result = None;
    for condition in conditions {
        let part = |key: &str| condition.get(key).and_then(yaml::as_written);
        let here = match condition.get("children").and_then(Node::as_list) {
            Some(children) => can_be(children, record)?,
            None => meets(part("operator")?.as_str(), part("value")?.as_str(), record)?,
        };
        let is_or = part("andOr").is_some_and(|word| word.as_str() == "or");
        result = Some(match result {
            None => here,
            Some(before) if is_or => before || here,
            Some(before) => before && here,
        });
    }
    result
}

/// Whether a record meets an operator; of one that is not named whatever may be so is so.
fn meets(operator: &str, value: &str, record: Option<&str>) -> Option<bool> {
    let bare = operator.strip_prefix("not_");
    let Some(record) = record else {
        return Some(operator != "equals");
    };
    let plain = match bare.unwrap_or(operator) {
        "equals" => record == value,
        "contains" => record.contains(value),
        "starts_with" => record.starts_with(value),
        "ends_with" => record.ends_with(value),
        _ => return None,
    };
    Some(plain != bare.is_some())
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
        // AutoKuma refuses an entity with another word.
        .or_else(|| wrong("andOr", &["and", "or"]))
}
