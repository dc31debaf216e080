//! `Null` under a set operator, where it is always true or always false.

use crate::diag::Severity;
use crate::model::policy::{BaseOperator, PolicyDocument, Quantifier};
use crate::rules::{Check, Rule, Sink, Tier};

use super::blocks;
use super::mend;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "null-with-qualifier",
    aliases: &[],
    summary: "Null with ForAllValues or ForAnyValue",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("null_with_qualifier.md"),
    check: Check::Policy(check),
};

fn check(policy: &PolicyDocument, sink: &mut Sink<'_>) {
    let faulty = blocks::faulty_blocks(policy, |_, condition| {
        condition.operator.is_some_and(|operator| {
            operator.base == BaseOperator::Null && operator.quantifier.is_some()
        })
    });
    for block in faulty {
        let quantifier = block
            .first
            .operator
            .and_then(|operator| operator.quantifier);
        let always = if quantifier == Some(Quantifier::ForAllValues) {
            "true"
        } else {
            "false"
        };
        let length = block.operator().find(':').map_or(0, |at| at + 1);
        let edits = block.without(sink, 0..length);
        let message = format!(
            "`{}` is always {always}, whatever the request carries",
            block.operator()
        );
        let draft = block
            .report(sink, message)
            .help("write `Null` without the set operator: it asks whether the key is there");
        mend::offer(draft, policy, "leave the set operator out", edits);
    }
}
