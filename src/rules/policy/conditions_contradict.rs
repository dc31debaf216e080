//! Conditions of one statement of which one is false whenever another is true.

use crate::diag::Severity;
use crate::model::policy::{
    BaseOperator, Condition, Family, Operator, PolicyDocument, Quantifier, Statement, Value,
    glob_matches,
};
use crate::rules::{Check, Rule, Sink, Tier};
use crate::text::quoted;

use super::cover::{self, Case};
use super::networks::{self, Network};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "conditions-contradict",
    aliases: &[],
    summary: "conditions that are never true together",
    severity: Severity::Error,
    tier: Tier::General,
    page: include_str!("conditions_contradict.md"),
    check: Check::Policy(check),
};

fn check(policy: &PolicyDocument, sink: &mut Sink<'_>) {
    for statement in &policy.statements {
        // So many conditions no one writes by hand; each is compared with each.
        let conditions = statement
            .conditions
            .get(..statement.conditions.len().min(100))
            .unwrap_or_default();
        for (at, one) in conditions.iter().enumerate() {
            for other in conditions.iter().skip(at + 1) {
                let same_key = one.key.as_str().eq_ignore_ascii_case(other.key.as_str());
                if same_key
                    && (never_both(statement, one, other) || never_both(statement, other, one))
                {
                    report(statement, one, other, sink);
                }
            }
        }
    }
}

fn report(statement: &Statement, one: &Condition, other: &Condition, sink: &mut Sink<'_>) {
    let effect = if statement.allows() {
        "allows"
    } else {
        "denies"
    };
    let message = format!(
        "{} and {} on {} are never true together, so the statement {effect} nothing",
        quoted(one.operator_text.as_str()),
        quoted(other.operator_text.as_str()),
        quoted(one.key.as_str())
    );
    sink.report(other.key.span(), message)
        .pointer(other.pointer.clone())
        .related(one.key.span(), "the other condition")
        .help("conditions join by AND: to let one of several values through, list them under one operator");
}

/// Whether `one` and `other`, on the same key, exclude each other. Asked in both orders.
fn never_both(statement: &Statement, one: &Condition, other: &Condition) -> bool {
    let (Some(first), Some(second)) = (one.operator, other.operator) else {
        return false;
    };
    if one.incomplete || other.incomplete || has_variable(one) || has_variable(other) {
        return false;
    }
    if is_null(first, one, "true") {
        // An Allow has a rule of its own for it.
        let demands = needs_key(second) && second.base != BaseOperator::Null;
        return demands && !statement.allows() || is_null(second, other, "false");
    }
    if is_null(first, one, "false") {
        return second.quantifier.is_none() && shuts_all_out(second.base, other);
    }
    // Where the first holds, the key is there, and the second's `IfExists` says nothing.
    if !needs_key(first) || !compatible(first.quantifier, second.quantifier) {
        return false;
    }
    opposite(first.base, one, second.base, other)
        || networks_apart(first.base, one, second.base, other)
        || dates_out_of_bounds(first.base, one, second.base, other)
        || disjoint(first.base, one, second.base, other)
        || out_of_bounds(first.base, one, second.base, other)
}

/// Whether no value passes: `StringNotLike` of `*`.
fn shuts_all_out(base: BaseOperator, condition: &Condition) -> bool {
    base == BaseOperator::StringNotLike
        && condition
            .values
            .iter()
            .any(|value| value.text.as_str() == "*")
}

/// Whether the second shuts out all that the first lets through, by patterns that take each other in or ARNs that are
/// written the same; or both ask for the other truth value.
fn opposite(first: BaseOperator, one: &Condition, second: BaseOperator, other: &Condition) -> bool {
    if one.values.is_empty() || other.values.is_empty() {
        return false;
    }
    if (first, second) == (BaseOperator::Bool, BaseOperator::Bool) {
        let mut values = one.values.iter();
        return values.all(|value| {
            let same = |listed: &Value| {
                listed
                    .text
                    .as_str()
                    .eq_ignore_ascii_case(value.text.as_str())
            };
            let is_truth = matches!(value.text.as_str(), "true" | "false");
            is_truth && !other.values.iter().any(same)
        });
    }
    let takes_in = |listed: &str, value: &str| match (first, second) {
        (BaseOperator::StringLike, BaseOperator::StringNotLike) => {
            cover::pattern(listed, value, Case::Counts)
        }
        (
            BaseOperator::ArnEquals | BaseOperator::ArnLike,
            BaseOperator::ArnNotEquals | BaseOperator::ArnNotLike,
        ) => listed == value || arn_takes_in(listed, value),
        _ => false,
    };
    one.values.iter().all(|value| {
        let mut listed = other.values.iter();
        listed.any(|listed| takes_in(listed.text.as_str(), value.text.as_str()))
    })
}

/// Whether a pattern of an ARN takes in all that another matches, segment by segment.
fn arn_takes_in(outer: &str, inner: &str) -> bool {
    let parts = |arn: &'_ str| -> Vec<String> { arn.splitn(6, ':').map(str::to_owned).collect() };
    let (outer, inner) = (parts(outer), parts(inner));
    outer.len() == 6
        && inner.len() == 6
        && outer
            .iter()
            .zip(&inner)
            .all(|(outer, inner)| cover::pattern(outer, inner, Case::Counts))
}

/// Whether no address that the first lets through passes the second.
fn networks_apart(
    first: BaseOperator,
    one: &Condition,
    second: BaseOperator,
    other: &Condition,
) -> bool {
    if first != BaseOperator::IpAddress || second.family() != Family::Ip {
        return false;
    }
    let (Some(let_in), Some(listed)) = (networks::of(one), networks::of(other)) else {
        return false;
    };
    let apart = |network: &Network| {
        if second.is_negated() {
            network.lies_in(&listed)
        } else {
            !listed.iter().any(|listed| listed.meets(*network))
        }
    };
    // Each is compared with each.
    let few = let_in.len().saturating_mul(listed.len()) <= 1_000_000;
    few && !let_in.is_empty() && !listed.is_empty() && let_in.iter().all(apart)
}

/// Whether one wants a date before the one that the other wants it after: of dates written in one form, in UTC.
fn dates_out_of_bounds(
    first: BaseOperator,
    one: &Condition,
    second: BaseOperator,
    other: &Condition,
) -> bool {
    let before = matches!(
        first,
        BaseOperator::DateLessThan | BaseOperator::DateLessThanEquals
    );
    let after = matches!(
        second,
        BaseOperator::DateGreaterThan | BaseOperator::DateGreaterThanEquals
    );
    let ([most], [least]) = (one.values.as_slice(), other.values.as_slice()) else {
        return false;
    };
    let (most, least) = (most.text.as_str(), least.text.as_str());
    let utc = |date: &str| date.len() == 20 && date.starts_with(['1', '2']) && date.ends_with('Z');
    let apart = most < least || most == least && is_strict(first, second);
    before && after && utc(most) && utc(least) && apart
}

/// Whether the bound itself lies outside of one of the two.
fn is_strict(first: BaseOperator, second: BaseOperator) -> bool {
    [first, second].into_iter().any(|base| {
        matches!(
            base,
            BaseOperator::NumericLessThan
                | BaseOperator::NumericGreaterThan
                | BaseOperator::DateLessThan
                | BaseOperator::DateGreaterThan
        )
    })
}

fn has_variable(condition: &Condition) -> bool {
    condition
        .values
        .iter()
        .any(|value| value.text.as_str().contains("${"))
}

fn is_null(operator: Operator, condition: &Condition, word: &str) -> bool {
    operator.base == BaseOperator::Null
        && operator.quantifier.is_none()
        && !condition.values.is_empty()
        && condition
            .values
            .iter()
            .all(|value| value.text.as_str().eq_ignore_ascii_case(word))
}

/// Whether the operator is false for an absent key.
fn needs_key(operator: Operator) -> bool {
    match operator.quantifier {
        Some(Quantifier::ForAllValues) => false,
        Some(Quantifier::ForAnyValue) => !operator.if_exists,
        None => !operator.if_exists && !operator.base.is_negated(),
    }
}

/// Whether a value that satisfies the first must satisfy the second too: both speak of the one value, or the second of all.
fn compatible(first: Option<Quantifier>, second: Option<Quantifier>) -> bool {
    matches!(
        (first, second),
        (None, None)
            | (
                Some(Quantifier::ForAnyValue),
                Some(Quantifier::ForAllValues)
            )
    )
}

/// Whether every value that the first names is one that the second does not let through.
fn disjoint(first: BaseOperator, one: &Condition, second: BaseOperator, other: &Condition) -> bool {
    if first != BaseOperator::StringEquals || one.values.is_empty() {
        return false;
    }
    let matched = |value: &str| {
        let takes = |listed: &str| {
            // So long a pattern is not tried.
            if listed.len().saturating_mul(value.len()) > 1_000_000 {
                !second.is_negated()
            } else if matches!(
                second,
                BaseOperator::StringLike | BaseOperator::StringNotLike
            ) {
                glob_matches(listed, value)
            } else if second.name().ends_with("IgnoreCase") {
                listed.to_lowercase() == value.to_lowercase()
            } else {
                listed == value
            }
        };
        other
            .values
            .iter()
            .any(|listed| takes(listed.text.as_str()))
    };
    let strings = second.name().starts_with("String");
    strings
        && one
            .values
            .iter()
            .all(|value| matched(value.text.as_str()) == second.is_negated())
}

/// Whether one wants numbers below what the other wants them above, or the very ones that the other does not.
fn out_of_bounds(
    first: BaseOperator,
    one: &Condition,
    second: BaseOperator,
    other: &Condition,
) -> bool {
    let numbers = |condition: &Condition| -> Option<Vec<f64>> {
        condition
            .values
            .iter()
            .map(|value| value.text.as_str().parse().ok())
            .collect()
    };
    let below = matches!(
        first,
        BaseOperator::NumericLessThan | BaseOperator::NumericLessThanEquals
    );
    let above = matches!(
        second,
        BaseOperator::NumericGreaterThan | BaseOperator::NumericGreaterThanEquals
    );
    let (Some(most), Some(least)) = (numbers(one), numbers(other)) else {
        return false;
    };
    if (first, second) == (BaseOperator::NumericEquals, BaseOperator::NumericNotEquals) {
        return !most.is_empty() && most.iter().all(|value| least.contains(value));
    }
    let most = most.into_iter().reduce(f64::max);
    let least = least.into_iter().reduce(f64::min);
    let apart = |(most, least): (f64, f64)| {
        let strict = is_strict(first, second);
        most < least || strict && most <= least
    };
    below && above && most.zip(least).is_some_and(apart)
}
