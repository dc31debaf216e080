//! `ForAllValues` in an Allow on a key that nothing demands: true when the key is absent.

use crate::diag::Severity;
use crate::model::policy::{
    BaseOperator, Condition, Operator, PolicyDocument, Quantifier, Statement, Value,
    is_single_valued, route53,
};
use crate::rules::{Check, Rule, Sink, Tier};
use crate::text::quoted;

use super::blocks::{self, FaultyBlock};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "forallvalues-allow-without-null-guard",
    aliases: &[],
    summary: "ForAllValues in an Allow whose key no Null guard demands",
    severity: Severity::Warning,
    tier: Tier::Specific,
    page: include_str!("forallvalues_allow_without_null_guard.md"),
    check: Check::Policy(check),
};

fn check(policy: &PolicyDocument, sink: &mut Sink<'_>) {
    let unguarded = |statement: &Statement, condition: &Condition| {
        statement.allows()
            && needs_guard(condition)
            && !statement
                .conditions_on(condition.key.as_str())
                .any(|other| is_guard(other) || is_unknown(other))
    };
    for block in blocks::faulty_blocks(policy, unguarded) {
        report(&block, sink);
    }
}

/// One finding for each operator block, whatever the number of its keys.
fn report(block: &FaultyBlock<'_>, sink: &mut Sink<'_>) {
    let guard: Vec<String> = block
        .conditions
        .iter()
        .map(|key| format!("\"{}\": \"false\"", key.key.as_str()))
        .collect();
    let message = format!(
        "`{}` is true when the request carries no {}",
        block.operator(),
        block.keys()
    );
    let mut draft = block.report(sink, message).help(format!(
        "demand the key in the same statement: \"Null\": {{{}}}",
        guard.join(", ")
    ));
    for key in &block.conditions {
        draft = draft.related(key.key.span(), "no Null guard demands this key");
    }
    let without = |key: &&Condition| action_without(block.statement, key.key.as_str());
    if let Some(action) = block.conditions.iter().find_map(without) {
        let text = format!(
            "{} never carries the key, so it is allowed without limit",
            quoted(action.text.as_str())
        );
        draft
            .severity(Severity::Error)
            .related(action.text.span(), text);
    }
}

/// An action of the statement, other than the one that the record keys belong to.
fn action_without<'a>(statement: &'a Statement, key: &str) -> Option<&'a Value> {
    let ours = route53::RECORD_KEYS
        .iter()
        .any(|known| known.eq_ignore_ascii_case(key));
    let actions = statement
        .actions
        .as_ref()
        .filter(|actions| ours && !actions.negated)?;
    actions.values.iter().find(|action| {
        !action
            .text
            .as_str()
            .eq_ignore_ascii_case(route53::CHANGE_RECORDS)
    })
}

fn needs_guard(condition: &Condition) -> bool {
    let quantified = |operator: &Operator| {
        operator.quantifier == Some(Quantifier::ForAllValues) && operator.base != BaseOperator::Null
    };
    condition.operator.as_ref().is_some_and(quantified) && !is_single_valued(condition.key.as_str())
}

/// An operator that does not exist, perhaps meant as `Null`; a rule of its own says so.
fn is_unknown(condition: &Condition) -> bool {
    condition.operator.is_none()
}

/// `Null` as it is, with `"false"` alone.
fn is_guard(condition: &Condition) -> bool {
    let plain = Operator {
        quantifier: None,
        base: BaseOperator::Null,
        if_exists: false,
    };
    condition.operator == Some(plain)
        && !condition.values.is_empty()
        && condition
            .values
            .iter()
            .all(|value| value.text.as_str().eq_ignore_ascii_case("false"))
}
