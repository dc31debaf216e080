//! A plain operator on a key that carries a list of values.

use crate::diag::Severity;
use crate::iam::catalog::{is_multi_valued, is_settled};
use crate::model::policy::{Condition, Family, PolicyDocument};
use crate::rules::{Check, Rule, Sink, Tier};

use super::blocks;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "missing-qualifier",
    aliases: &[],
    summary: "a multi-valued key without ForAllValues or ForAnyValue",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("missing_qualifier.md"),
    check: Check::Policy(check),
};

fn check(policy: &PolicyDocument, sink: &mut Sink<'_>) {
    for block in blocks::faulty_blocks(policy, |_, condition| lacks_qualifier(condition)) {
        let operator = block.operator();
        let message = format!(
            "`{operator}` compares one value, but {} carries a list",
            block.keys()
        );
        let mut draft = block.report(sink, message).help(format!(
            "write `ForAllValues:{operator}` (every value of the request must match) and demand the key with `Null`, \
             or `ForAnyValue:{operator}` (one is enough)"
        ));
        for condition in &block.conditions {
            draft = draft.related(condition.key.span(), "carries a list of values");
        }
        let settled = |condition: &&Condition| is_settled(condition.key.as_str());
        if !block.conditions.iter().any(settled) {
            draft.severity(Severity::Warning);
        }
    }
}

fn lacks_qualifier(condition: &Condition) -> bool {
    condition.operator.is_some_and(|operator| {
        operator.quantifier.is_none() && operator.base.family() != Family::Null
    }) && is_multi_valued(condition.key.as_str())
}
