//! A condition value that another of the same list makes needless.

use std::collections::BTreeMap;

use crate::diag::Severity;
use crate::model::policy::{BaseOperator, Condition, PolicyDocument, Value};
use crate::rules::{Check, Rule, Sink, Tier};
use crate::text::quoted;

use super::cover::{self, Case};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "redundant-condition-value",
    aliases: &[],
    summary: "a condition value that another makes needless",
    severity: Severity::Note,
    tier: Tier::General,
    page: include_str!("redundant_condition_value.md"),
    check: Check::Policy(check),
};

fn check(policy: &PolicyDocument, sink: &mut Sink<'_>) {
    if policy.span().len() > cover::LARGEST {
        return;
    }
    for condition in policy
        .conditions()
        .filter(|condition| condition.values.len() > 1)
    {
        let Some(base) = condition.operator.map(|operator| operator.base) else {
            continue;
        };
        if is_bound(base) {
            let message = format!(
                "{} with several values: one bound decides, the others do nothing",
                quoted(condition.operator_text.as_str())
            );
            sink.report(condition.span, message)
                .pointer(condition.pointer.clone())
                .help("keep the value that is meant");
            continue;
        }
        for (value, outer) in condition.values.iter().zip(taken_in(condition, base)) {
            if let Some(outer) = outer {
                let message = format!(
                    "{} is already in {}",
                    quoted(value.text.as_str()),
                    quoted(outer.text.as_str())
                );
                sink.report(value.text.span(), message)
                    .covers(condition.span)
                    .pointer(value.pointer.clone())
                    .related(outer.text.span(), "takes it in")
                    .help("take it out, or the broader one if that is more than is meant");
            }
        }
    }
}

/// Whether the operator compares with a bound, of which only the widest counts.
fn is_bound(base: BaseOperator) -> bool {
    let name = base.name();
    name.contains("LessThan") || name.contains("GreaterThan")
}

/// For each value the one that takes it in, if there is one.
fn taken_in(condition: &Condition, base: BaseOperator) -> Vec<Option<&Value>> {
    if matches!(base, BaseOperator::StringLike | BaseOperator::StringNotLike) {
        return cover::coverings(&condition.values, Case::Counts);
    }
    let mut first: BTreeMap<&str, &Value> = BTreeMap::new();
    let mut taken = Vec::with_capacity(condition.values.len());
    for value in &condition.values {
        let before = *first.entry(value.text.as_str()).or_insert(value);
        taken.push((!std::ptr::eq(before, value)).then_some(before));
    }
    taken
}
