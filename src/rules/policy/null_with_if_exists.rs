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
        let end = block.operator().len();
        let edits = block.without(sink, end.saturating_sub("IfExists".len())..end);
        let message = format!(
            "`{}` is no operator: `Null` itself asks whether the key is there",
            block.operator()
        );
        let draft = block
            .report(sink, message)
            .help("write `Null`; AWS refuses `IfExists` on it");
        mend::offer(draft, policy, "leave `IfExists` out", edits);
    }
}
