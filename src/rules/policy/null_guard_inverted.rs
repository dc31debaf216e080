//! `Null: "true"` beside a limit on the same key: the Allow holds only where the limit has nothing to limit.

use crate::diag::Severity;
use crate::model::policy::{BaseOperator, Condition, Operator, PolicyDocument, Statement};
use crate::rules::{Check, Rule, Sink, Tier};

use super::mend;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "null-guard-inverted",
    aliases: &[],
    summary: "a Null guard that demands that the key is absent",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("null_guard_inverted.md"),
    check: Check::Policy(check),
};

fn check(policy: &PolicyDocument, sink: &mut Sink<'_>) {
    for statement in policy
        .statements
        .iter()
        .filter(|statement| statement.allows())
    {
        for guard in statement
            .conditions
            .iter()
            .filter(|condition| demands_absence(condition))
        {
            if let Some(limit) = limit_on(statement, guard.key.as_str()) {
                report(policy, guard, limit, sink);
            }
        }
    }
}

fn demands_absence(condition: &Condition) -> bool {
    let null =
        |operator: Operator| operator.base == BaseOperator::Null && operator.quantifier.is_none();
    condition.operator.is_some_and(null)
        && condition
            .values
            .iter()
            .any(|value| value.text.as_str().eq_ignore_ascii_case("true"))
        && condition
            .values
            .iter()
            .all(|value| value.text.as_str().eq_ignore_ascii_case("true"))
}

fn limit_on<'a>(statement: &'a Statement, key: &'a str) -> Option<&'a Condition> {
    statement.conditions_on(key).find(|condition| {
        condition
            .operator
            .is_none_or(|operator| operator.base != BaseOperator::Null)
    })
}

fn report(policy: &PolicyDocument, guard: &Condition, limit: &Condition, sink: &mut Sink<'_>) {
    let key = guard.key.as_str();
    let Some(value) = guard.values.first() else {
        return;
    };
    let edits = guard
        .values
        .iter()
        .map(|value| mend::replace(sink, &value.text, "false"))
        .collect();
    let message = format!(
        "`\"Null\": {{\"{key}\": \"true\"}}` demands that the key is absent, where `{}` has nothing to limit",
        limit.operator_text.as_str()
    );
    let draft = sink
        .report(value.text.span(), message)
        .pointer(value.pointer.clone())
        .related(limit.key.span(), "the limit on the same key")
        .help("write \"false\": that demands the key");
    mend::offer(draft, policy, "demand the key", edits);
}
