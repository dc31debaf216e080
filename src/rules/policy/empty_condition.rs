//! A `Condition`, a block or a list of values with nothing in it.

use crate::diag::Severity;
use crate::model::policy::{Condition, PolicyDocument, Quantifier, Statement};
use crate::rules::policy::forallvalues_allow_without_null_guard::is_guard;
use crate::rules::{Check, Rule, Sink, Tier};
use crate::syntax::{Kind, Node, pointer};
use crate::text::quoted;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "empty-condition",
    aliases: &[],
    summary: "a condition with nothing in it",
    severity: Severity::Warning,
    tier: Tier::Specific,
    page: include_str!("empty_condition.md"),
    check: Check::Policy(check),
};

fn check(policy: &PolicyDocument, sink: &mut Sink<'_>) {
    for statement in &policy.statements {
        if statement.condition_key.is_some() {
            blocks(policy, statement, sink);
        }
        for condition in &statement.conditions {
            if condition.values.is_empty() && condition.listed && !condition.incomplete {
                values(statement, condition, sink);
            }
        }
    }
}

/// Blocks without keys, and `Condition` without blocks: no condition at all.
fn blocks(policy: &PolicyDocument, statement: &Statement, sink: &mut Sink<'_>) {
    let at = pointer::join(&statement.pointer, "Condition");
    let Some(node) = pointer::find(&policy.root, &at) else {
        return;
    };
    let empty = |node: &Node| matches!(&node.kind, Kind::Map(entries) if entries.is_empty());
    let help = "write the condition that is meant, or take it out";
    if empty(node) {
        sink.report(
            node.span(),
            "`Condition` is empty: the statement applies without one",
        )
        .severity(Severity::Note)
        .pointer(at)
        .help(help);
        return;
    }
    let Kind::Map(entries) = &node.kind else {
        return;
    };
    for entry in entries.iter().filter(|entry| empty(&entry.value)) {
        let message = format!(
            "{} holds no key: it asks nothing",
            quoted(entry.key.as_str())
        );
        sink.report(entry.value.span(), message)
            .severity(Severity::Note)
            .pointer(pointer::join(&at, entry.key.as_str()))
            .help(help);
    }
}

/// A list without values.
fn values(statement: &Statement, condition: &Condition, sink: &mut Sink<'_>) {
    let Some(operator) = condition.operator else {
        return;
    };
    let always = operator.quantifier.is_none() && operator.base.is_negated();
    let absent = operator.quantifier == Some(Quantifier::ForAllValues) || operator.if_exists;
    let mut same = statement.conditions_on(condition.key.as_str());
    let demanded = absent && !always && same.any(is_guard);
    let effect = if always {
        "it always holds"
    } else if !absent {
        "it never holds"
    } else if demanded {
        "it holds only for requests that do not carry the key, and `Null` demands the key: the statement never applies"
    } else {
        "it holds only for requests that do not carry the key"
    };
    let message = format!(
        "{} has no values, so {effect}",
        quoted(condition.key.as_str())
    );
    let draft = sink
        .report(condition.span, message)
        .pointer(condition.pointer.clone())
        .help("list the values that are meant, or take the condition out");
    if demanded {
        draft.severity(Severity::Error);
    }
}
