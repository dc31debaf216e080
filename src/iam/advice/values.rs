//! The values of a statement's lists: which are missing, which stand there broken, and which are patterns that the operator
//! takes for plain text.

use crate::iam::catalog;
use crate::model::policy::{
    BaseOperator, Operator, Quantifier, glob_matches, has_wildcard, route53,
};

use super::super::condition::ConditionTest;
use super::super::explain::seen_as;
use super::super::statement::{StatementTest, Truth};
use super::super::{ContextValue, Request};
use super::{Change, MAX_ADDED};

/// The values that a condition lacks, or why it is not that.
pub(super) fn missing(condition: &ConditionTest, request: &Request) -> Result<Vec<String>, String> {
    let (key, operator) = (&condition.key, condition.operator);
    let Some(value) = request.value(&condition.folded_key) else {
        return Err(format!(
            "`{key}` is not in the request, and `{operator}` asks for it; give it in the request"
        ));
    };
    let lists = matches!(
        operator.base,
        BaseOperator::StringEquals
            | BaseOperator::StringEqualsIgnoreCase
            | BaseOperator::StringLike
            | BaseOperator::ArnEquals
            | BaseOperator::ArnLike
            | BaseOperator::NumericEquals
            | BaseOperator::DateEquals
            | BaseOperator::IpAddress
    );
    if is_limit(operator.base) {
        return moved_limit(condition, value);
    }
    if !lists {
        return Err(without_list(condition, value));
    }
    if operator.quantifier.is_none() && matches!(value, ContextValue::Multi(_)) {
        return Err(format!(
            "`{operator}` compares one value of `{key}`, and the request has a list; write `ForAllValues:{operator}` with a Null guard if every value is meant"
        ));
    }
    let special = |value: &&String| value.contains("${") || value.contains(['*', '?']);
    let failing = value.values().iter();
    let failing: Vec<String> = failing
        .filter(|value| !condition.passes(value, request))
        .cloned()
        .collect();
    if let Some(value) = failing.iter().find(special) {
        return Err(format!(
            "`{value}` of `{key}` has characters that mean something else in a policy"
        ));
    }
    if failing.is_empty() {
        return Err(format!("`{operator}` of `{key}` does not hold"));
    }
    if failing.len() > MAX_ADDED {
        let count = failing.len();
        return Err(format!(
            "{count} values of `{key}` are not in the list; nobody adds so many by hand"
        ));
    }
    match operator.quantifier {
        Some(Quantifier::ForAnyValue) => Ok(failing.into_iter().take(1).collect()),
        Some(Quantifier::ForAllValues) | None => Ok(failing),
    }
}

/// Whether an operator compares with a limit.
#[must_use]
pub fn is_limit(base: BaseOperator) -> bool {
    matches!(
        base,
        BaseOperator::NumericLessThan
            | BaseOperator::NumericLessThanEquals
            | BaseOperator::NumericGreaterThan
            | BaseOperator::NumericGreaterThanEquals
            | BaseOperator::DateLessThan
            | BaseOperator::DateLessThanEquals
            | BaseOperator::DateGreaterThan
            | BaseOperator::DateGreaterThanEquals
    )
}

/// The nearest limit that lets the value through, where there is one.
fn moved_limit(condition: &ConditionTest, value: &ContextValue) -> Result<Vec<String>, String> {
    let (key, operator) = (&condition.key, condition.operator);
    let [carried] = value.values() else {
        return Err(format!("`{operator}` of `{key}` does not hold"));
    };
    let beside = |step: i64| {
        let number: Option<i64> = carried.parse().ok();
        number.and_then(|number| number.checked_add(step))
    };
    let base = operator.base;
    let limit = if base == BaseOperator::NumericLessThan {
        beside(1).map(|limit| limit.to_string())
    } else if base == BaseOperator::NumericGreaterThan {
        beside(-1).map(|limit| limit.to_string())
    } else if matches!(
        base,
        BaseOperator::DateLessThan | BaseOperator::DateGreaterThan
    ) {
        None
    } else {
        Some(carried.clone())
    };
    let limit = limit.filter(|limit| !limit.contains(['*', '?', '$']));
    limit.map(|limit| vec![limit]).ok_or_else(|| {
        let below = matches!(base, BaseOperator::DateLessThan | BaseOperator::NumericLessThan);
        let side = if below { "above" } else { "below" };
        format!("`{carried}` is beyond the limit of `{operator}` of `{key}`; a limit {side} it would let it through")
    })
}

/// Why no list of an operator grows.
fn without_list(condition: &ConditionTest, value: &ContextValue) -> String {
    let (key, operator) = (&condition.key, condition.operator);
    let shown = |values: &mut dyn Iterator<Item = &str>| {
        let values: Vec<String> = values.map(|value| format!("`{value}`")).collect();
        values.join(", ")
    };
    let asked = shown(&mut condition.written.iter().map(|value| &**value));
    let carried = shown(&mut value.values().iter().map(String::as_str));
    if operator.base == BaseOperator::Bool {
        format!(
            "`{operator}` asks for {asked} of `{key}`, and the request has {carried}; with both in the list the condition would ask nothing, so the request is what has to change"
        )
    } else if operator.base.is_negated() {
        format!(
            "`{operator}` of `{key}` shuts out {carried} by {asked}; only with less in that list does it hold"
        )
    } else {
        format!("`{operator}` of `{key}` does not hold, and no added value makes it hold")
    }
}

/// A listed value that was meant for `value` and never matches what Route 53 sends, or a limit that is to be moved, and what
/// it should be.
pub(super) fn broken(condition: &ConditionTest, value: &str) -> Option<(String, String)> {
    let (key, base) = (&*condition.key, condition.operator.base);
    if is_limit(base) {
        let limit = condition.written.first()?;
        return Some((limit.to_string(), value.to_owned()));
    }
    let right = |written: &str| {
        if !base.is_pattern() || !has_wildcard(written) {
            return seen_as(key, written).filter(|seen| seen == value);
        }
        let is_name = key.eq_ignore_ascii_case(route53::NAMES_KEY);
        let plain = written.trim_end_matches('.').to_ascii_lowercase();
        (is_name && plain != written && glob_matches(&plain, value)).then_some(plain)
    };
    let mut written = condition.written.iter();
    written.find_map(|written| Some((written.to_string(), right(written)?)))
}

/// A listed resource that is no ARN of its service, since it has a region or an account where there is none or another
/// one, and what it should be.
pub(super) fn broken_resource(
    statement: &StatementTest,
    request: &Request,
) -> Option<(String, String)> {
    let (prefix, _) = request.action().split_once(':')?;
    let service = catalog::service(prefix).filter(|service| service.is_complete())?;
    let asked: Vec<&str> = request.resource.splitn(6, ':').collect();
    let [_, _, _, region, account, _] = asked.as_slice() else {
        return None;
    };
    let right = |written: &str| {
        let parts: Vec<&str> = written.splitn(6, ':').collect();
        let [arn, partition, service, _, _, id] = parts.as_slice() else {
            return None;
        };
        let right = format!("{arn}:{partition}:{service}:{region}:{account}:{id}");
        glob_matches(&right, &request.resource).then_some(right)
    };
    let listed = statement.resources.as_ref().filter(|list| !list.negated)?;
    let mut written = listed.written.iter();
    written.find_map(|written| {
        let resource = catalog::Resource::of(written);
        let is_broken = !service.resource_types().any(|kind| kind.may_be(&resource));
        Some((written.to_string(), right(written)?)).filter(|_| is_broken)
    })
}

/// Other operators for the conditions that fail, where each lists patterns that match what the request has.
pub(super) fn as_patterns(statement: &StatementTest, request: &Request) -> Vec<Change> {
    if statement.covers_resource(request) != Truth::Yes {
        return Vec::new();
    }
    let failing = statement.conditions.iter();
    let failing = failing.filter(|condition| condition.truth(request) != Truth::Yes);
    let changes: Option<Vec<Change>> = failing
        .map(|condition| {
            let value = request.value(&condition.folded_key)?;
            let is_exact = condition.operator.base == BaseOperator::StringEquals;
            let mut unlisted = value.values().iter();
            let matches = |value: &String| {
                let mut written = condition.written.iter();
                condition.passes(value, request) || written.any(|one| glob_matches(one, value))
            };
            let to = Operator {
                base: BaseOperator::StringLike,
                ..condition.operator
            };
            (is_exact && unlisted.all(matches)).then(|| Change::Operator {
                statement: statement.index,
                operator: condition.operator,
                key: condition.key.to_string(),
                to,
            })
        })
        .collect();
    changes.unwrap_or_default()
}
