//! `ForAllValues` in an Allow on a key that nothing demands: true when the key is absent.

use crate::diag::Severity;
use crate::model::policy::{
    BaseOperator, Condition, Operator, PolicyDocument, Quantifier, Statement, Value,
    is_single_valued, route53,
};
use crate::rules::{Check, Rule, Sink, Tier};

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
    for statement in policy
        .statements
        .iter()
        .filter(|statement| statement.allows())
    {
        let mut blocks: Vec<(&Condition, Vec<&Condition>)> = Vec::new();
        for condition in statement
            .conditions
            .iter()
            .filter(|condition| needs_guard(condition))
        {
            if statement
                .conditions_on(condition.key.as_str())
                .any(is_guard)
            {
                continue;
            }
            match blocks
                .last_mut()
                .filter(|(first, _)| first.block == condition.block)
            {
                Some((_, keys)) => keys.push(condition),
                None => blocks.push((condition, vec![condition])),
            }
        }
        for (first, keys) in blocks {
            report(statement, first, &keys, sink);
        }
    }
}

/// One finding for each operator block, whatever the number of its keys.
fn report(statement: &Statement, first: &Condition, keys: &[&Condition], sink: &mut Sink<'_>) {
    let names: Vec<String> = keys
        .iter()
        .map(|key| format!("`{}`", key.key.as_str()))
        .collect();
    let guard: Vec<String> = keys
        .iter()
        .map(|key| format!("\"{}\": \"false\"", key.key.as_str()))
        .collect();
    let operator = first.operator_text.as_str();
    let message = format!(
        "`{operator}` is true when the request carries no {}",
        names.join(", ")
    );
    let mut draft = sink
        .report(first.operator_text.span(), message)
        .pointer(first.block_pointer.clone())
        .help(format!(
            "demand the key in the same statement: \"Null\": {{{}}}",
            guard.join(", ")
        ));
    for key in keys {
        draft = draft.related(key.key.span(), "no Null guard demands this key");
    }
    if let Some(action) = keys
        .iter()
        .find_map(|key| action_without(statement, key.key.as_str()))
    {
        let text = format!(
            "`{}` never carries the key, so it is allowed without limit",
            action.text.as_str()
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
