//! `ForAnyValue` in an Allow on a record key: one good record carries any other through.

use crate::diag::Severity;
use crate::model::policy::{Condition, PolicyDocument, Quantifier, Statement, route53};
use crate::rules::{Check, Rule, Sink, Tier};

use super::blocks;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "foranyvalue-allow",
    aliases: &[],
    summary: "ForAnyValue in an Allow on the records of a batch",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("foranyvalue_allow.md"),
    check: Check::Policy(check),
};

fn check(policy: &PolicyDocument, sink: &mut Sink<'_>) {
    for block in blocks::faulty_blocks(policy, is_faulty) {
        let message = format!(
            "`{}` holds as soon as one change of the batch matches; the others of the batch pass with it",
            block.operator()
        );
        let all = block.operator().replace("ForAnyValue", "ForAllValues");
        block.report(sink, message).help(format!(
            "write `{all}`, and demand the key: \"Null\": {{\"{}\": \"false\"}}",
            block.first.key.as_str()
        ));
    }
}

fn is_faulty(statement: &Statement, condition: &Condition) -> bool {
    let any = blocks::is_under(condition, Quantifier::ForAnyValue);
    any && statement.allows() && route53::RECORD_KEYS.iter().any(|key| condition.is_on(key))
}
