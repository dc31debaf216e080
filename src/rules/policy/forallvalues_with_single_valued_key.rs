//! `ForAllValues` in an Allow on a key with one value: true when the key is absent, and of no other use.

use crate::diag::Severity;
use crate::iam::catalog::{is_settled, is_single_valued};
use crate::model::policy::{Condition, PolicyDocument, Quantifier, Statement};
use crate::model::trust::claim_of;
use crate::rules::{Check, Rule, Sink, Tier};

use super::blocks;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "forallvalues-with-single-valued-key",
    aliases: &[],
    summary: "ForAllValues in an Allow on a single-valued key",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("forallvalues_with_single_valued_key.md"),
    check: Check::Policy(check),
};

fn check(policy: &PolicyDocument, sink: &mut Sink<'_>) {
    for block in blocks::faulty_blocks(policy, is_faulty) {
        let operator = block.operator();
        let plain = operator.trim_start_matches("ForAllValues:");
        let message = format!(
            "`{operator}` is true when the request carries no {}",
            block.keys()
        );
        // Every token of GitHub carries these two: it would take another to come through.
        let always = |condition: &Condition| {
            let claim = claim_of(condition.key.as_str()).map(str::to_ascii_lowercase);
            matches!(claim.as_deref(), Some("sub" | "aud"))
        };
        let severity = if block.conditions.iter().all(|condition| always(condition)) {
            Severity::Warning
        } else {
            Severity::Error
        };
        let mut draft = block.report(sink, message).severity(severity).help(format!(
            "the key carries one value: write `{plain}`, which is false when the key is absent"
        ));
        for condition in &block.conditions {
            draft = draft.related(condition.key.span(), "carries one value at most");
        }
        let settled = |condition: &&Condition| is_settled(condition.key.as_str());
        if !block.conditions.iter().any(settled) {
            draft.severity(Severity::Warning);
        }
    }
}

fn is_faulty(statement: &Statement, condition: &Condition) -> bool {
    let for_all = blocks::is_under(condition, Quantifier::ForAllValues);
    for_all && statement.allows() && is_single_valued(condition.key.as_str())
}
