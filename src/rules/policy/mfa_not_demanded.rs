//! A condition about multi-factor authentication that callers without it pass.
//!
//! Source: IAM User Guide, "AWS global condition context keys": `aws:MultiFactorAuthPresent` and `aws:MultiFactorAuthAge`
//! are not in the requests of long-term credentials, and temporary ones carry the first whether or not it was used.

use crate::diag::Severity;
use crate::model::policy::{BaseOperator, Condition, PolicyDocument, Statement};
use crate::rules::{Check, Draft, Rule, Sink, Tier};

use super::forallvalues_allow_without_null_guard::is_guard;
use super::mend;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "mfa-not-demanded",
    aliases: &[],
    summary: "a condition about multi-factor authentication that holds without it",
    severity: Severity::Warning,
    tier: Tier::Specific,
    page: include_str!("mfa_not_demanded.md"),
    check: Check::Policy(check),
};

const PRESENT: &str = "aws:MultiFactorAuthPresent";
const AGE: &str = "aws:MultiFactorAuthAge";

fn check(policy: &PolicyDocument, sink: &mut Sink<'_>) {
    let denies_absent = policy.statements.iter().any(denies_absent);
    for statement in &policy.statements {
        if statement.effect.is_none() {
            continue;
        }
        for condition in &statement.conditions {
            if statement.allows() {
                allow(statement, condition, sink);
            } else if !denies_absent {
                deny(policy, statement, condition, sink);
            }
        }
    }
}

/// Whether a Deny meets the requests that say nothing about it.
fn denies_absent(statement: &Statement) -> bool {
    let meets = |condition: &Condition| {
        let Some(operator) = condition.operator else {
            return true;
        };
        let key = condition.is_on(PRESENT) || condition.is_on(AGE);
        let absent = operator.base == BaseOperator::Null && has(condition, "true");
        let with_absent = operator.if_exists && operator.base != BaseOperator::Null;
        key && (absent || with_absent || operator.base.is_negated())
    };
    !statement.allows() && statement.conditions.iter().any(meets)
}

fn deny(
    policy: &PolicyDocument,
    statement: &Statement,
    condition: &Condition,
    sink: &mut Sink<'_>,
) {
    let Some(operator) = condition.operator else {
        return;
    };
    let not_used =
        condition.is_on(PRESENT) && operator.base == BaseOperator::Bool && has(condition, "false");
    let too_old = condition.is_on(AGE)
        && matches!(
            operator.base,
            BaseOperator::NumericGreaterThan | BaseOperator::NumericGreaterThanEquals
        );
    // A guard says that those who have the key alone are meant.
    let guarded = statement
        .conditions_on(condition.key.as_str())
        .any(is_guard);
    if !not_used && !too_old || operator.quantifier.is_some() || guarded {
        return;
    }
    let written = condition.operator_text.as_str();
    let key = condition.key.as_str();
    let who = if not_used {
        "requests with a user's access keys"
    } else {
        "requests without it"
    };
    let message = format!("{who} carry no `{key}`, so this Deny lets them through");
    let with = format!("{written}IfExists");
    let edit = mend::replace(sink, &condition.operator_text, &with);
    // The operator of other keys, or of a block that is there already, is not changed.
    let shared = statement.conditions.iter().any(|other| {
        other.operator_text.as_str() == with
            || other.block == condition.block && other.pointer != condition.pointer
    });
    let draft = at(condition, message, sink).help(format!(
        "write `{with}`, which also holds where the key is absent"
    ));
    if !shared {
        mend::offer_as(draft, policy, &format!("write `{with}`"), vec![edit], false);
    }
}

fn allow(statement: &Statement, condition: &Condition, sink: &mut Sink<'_>) {
    let demanded = |other: &Condition| {
        let base = other.operator.map(|operator| operator.base);
        base != Some(BaseOperator::Null) && (other.is_on(PRESENT) || other.is_on(AGE))
    };
    let could = condition.is_on(PRESENT)
        && condition
            .operator
            .is_some_and(|operator| operator.base == BaseOperator::Null)
        && has(condition, "false");
    if could && !statement.conditions.iter().any(demanded) {
        let key = condition.key.as_str();
        let message = format!(
            "temporary credentials carry `{key}` whether or not it was used, so this Allow does not demand it"
        );
        at(condition, message, sink).help(format!("write \"Bool\": {{\"{key}\": \"true\"}}"));
    }
}

fn at<'s>(condition: &Condition, message: String, sink: &'s mut Sink<'_>) -> Draft<'s> {
    sink.report(condition.operator_text.span(), message)
        .pointer(condition.block_pointer.clone())
        .related(condition.key.span(), "the key")
}

fn has(condition: &Condition, word: &str) -> bool {
    let mut values = condition.values.iter();
    values.any(|value| value.text.as_str().eq_ignore_ascii_case(word))
}
