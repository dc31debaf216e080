//! `NullIfExists`, which is no operator.

use crate::diag::Severity;
use crate::model::policy::{BaseOperator, PolicyDocument};
use crate::rules::{Check, Rule, Sink, Tier};

use super::blocks;
use super::mend;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "null-with-if-exists",
    aliases: &[],
    summary: "Null with IfExists",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("null_with_if_exists.md"),
    check: Check::Policy(check),
};

fn check(policy: &PolicyDocument, sink: &mut Sink<'_>) {
    let faulty = blocks::faulty_blocks(policy, |_, condition| {
        condition
            .operator
            .is_some_and(|operator| operator.base == BaseOperator::Null && operator.if_exists)
    });
    for block in faulty {
        let text = &block.first.operator_text;
        let end = text.as_str().len();
        let edit = mend::edit(sink, text, end - "IfExists".len()..end, "");
        let message = format!(
            "`{}` is no operator: `Null` itself asks whether the key is there",
            block.operator()
        );
        let draft = block
            .report(sink, message)
            .help("write `Null`; AWS refuses `IfExists` on it");
        let plain = block
            .statement
            .conditions
            .iter()
            .any(|other| other.operator_text.as_str() == "Null");
        mend::offer(
            draft,
            "leave `IfExists` out",
            if plain { Vec::new() } else { vec![edit] },
        );
    }
}
