//! `ForAllValues` in a Deny: one change that does not match takes the whole batch out of it.

use crate::diag::Severity;
use crate::model::policy::{Condition, PolicyDocument, Quantifier, Statement, route53};
use crate::rules::{Check, Rule, Sink, Tier};

use super::blocks;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "forallvalues-deny",
    aliases: &[],
    summary: "ForAllValues in a Deny on the records of a batch",
    severity: Severity::Warning,
    tier: Tier::Specific,
    page: include_str!("forallvalues_deny.md"),
    check: Check::Policy(check),
};

fn check(policy: &PolicyDocument, sink: &mut Sink<'_>) {
    for block in blocks::faulty_blocks(policy, is_faulty) {
        let any = block.operator().replacen("ForAllValues", "ForAnyValue", 1);
        let message = format!(
            "`{}` denies a batch only if every change of it matches: one change beside that does not match, and nothing is denied",
            block.operator()
        );
        block
            .report(sink, message)
            .help(format!("write `{any}`, so that one change is enough"));
    }
}

fn is_faulty(statement: &Statement, condition: &Condition) -> bool {
    let denies = statement.effect.is_some() && !statement.allows();
    let all = blocks::is_under(condition, Quantifier::ForAllValues);
    denies && all && route53::RECORD_KEYS.iter().any(|key| condition.is_on(key))
}
