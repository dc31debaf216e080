//! A condition value that another of the same list makes needless.

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
        for (at, value) in condition.values.iter().enumerate() {
            if let Some(outer) = taken_in(condition, base, at) {
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

fn taken_in(condition: &Condition, base: BaseOperator, at: usize) -> Option<&Value> {
    if matches!(base, BaseOperator::StringLike | BaseOperator::StringNotLike) {
        return cover::covering(&condition.values, at, Case::Counts);
    }
    let value = condition.values.get(at)?.text.as_str();
    condition
        .values
        .iter()
        .take(at.min(200))
        .find(|before| before.text.as_str() == value)
}
