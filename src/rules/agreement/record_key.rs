//! What the three rules on the record keys share: the values of one key in the change policy, against those of the spec.

use std::collections::BTreeSet;

use crate::diag::Label;
use crate::model::policy::{Condition, Family, PolicyDocument, Quantifier, Value};
use crate::rules::{Role, Sink, Workspace};

/// One record key: what the spec wants of it.
pub(super) struct Wanted<'a> {
    /// The condition key.
    pub(super) key: &'a str,
    /// What its values are called, in the singular.
    pub(super) noun: &'a str,
    /// The values, as IAM writes them.
    pub(super) values: BTreeSet<String>,
    /// Where the spec says so.
    pub(super) spec: Label,
}

/// Holds every change policy against `wanted`.
pub(super) fn compare(workspace: &Workspace, wanted: &Wanted<'_>, sink: &mut Sink<'_>) {
    for policy in workspace.policies_as(Role::ChangeRecords) {
        for condition in limits(policy, wanted.key) {
            if condition.incomplete || has_pattern(condition) {
                continue;
            }
            for value in condition
                .values
                .iter()
                .filter(|value| !wanted.values.contains(value.text.as_str()))
            {
                surplus(condition, value, wanted, sink);
            }
            missing(condition, wanted, sink);
        }
    }
}

/// The conditions of Allow statements that say which values are allowed.
fn limits<'a>(policy: &'a PolicyDocument, key: &'a str) -> impl Iterator<Item = &'a Condition> {
    let allows = policy
        .statements
        .iter()
        .filter(|statement| statement.allows());
    allows
        .flat_map(move |statement| statement.conditions_on(key))
        .filter(|condition| {
            condition.operator.is_some_and(|operator| {
                operator.quantifier == Some(Quantifier::ForAllValues)
                    && operator.base.family() == Family::String
                    && !operator.base.is_negated()
            })
        })
}

/// A pattern allows more than can be listed; other rules judge it.
fn has_pattern(condition: &Condition) -> bool {
    condition
        .operator
        .is_some_and(|operator| operator.base.is_pattern())
        && condition
            .values
            .iter()
            .any(|value| value.text.as_str().contains(['*', '?']))
}

fn surplus(condition: &Condition, value: &Value, wanted: &Wanted<'_>, sink: &mut Sink<'_>) {
    let Wanted {
        noun, values, spec, ..
    } = wanted;
    let written = value.text.as_str();
    sink.report(
        value.text.span(),
        format!("the {noun} `{written}` is allowed, but the spec does not have it"),
    )
    .related(spec.at, spec.text.clone())
    .pointer(value.pointer.clone())
    .covers(condition.span)
    .help(format!(
        "the spec has {}; change one of the two places",
        listed(values)
    ));
}

fn missing(condition: &Condition, wanted: &Wanted<'_>, sink: &mut Sink<'_>) {
    let Wanted {
        noun, values, spec, ..
    } = wanted;
    let there: BTreeSet<&str> = condition
        .values
        .iter()
        .map(|value| value.text.as_str())
        .collect();
    for value in values
        .iter()
        .filter(|value| !there.contains(value.as_str()))
    {
        sink.report(
            condition.span,
            format!("the {noun} `{value}` of the spec is not allowed"),
        )
        .related(spec.at, spec.text.clone())
        .pointer(condition.pointer.clone())
        .help(format!(
            "the spec has {}; change one of the two places",
            listed(values)
        ));
    }
}

fn listed(values: &BTreeSet<String>) -> String {
    let values: Vec<String> = values.iter().map(|value| format!("`{value}`")).collect();
    values.join(" and ")
}
