//! `ForAllValues` in an Allow on a key that nothing demands: true when the key is absent.

use crate::diag::{Edit, Severity};
use crate::iam::catalog::{self, is_single_valued, may_exist};
use crate::model::policy::{
    BaseOperator, Condition, Operator, PolicyDocument, Quantifier, Statement, has_wildcard, route53,
};
use crate::rules::{Check, Rule, Sink, Tier};
use crate::syntax::{Entry, pointer};
use crate::text::{Span, quoted};

use super::blocks::{self, FaultyBlock};
use super::insertion;

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
            && !statement.open_conditions
            && needs_guard(condition)
            && !statement
                .conditions_on(condition.key.as_str())
                .any(|other| is_guard(other) || is_unknown(other))
    };
    let blocks = blocks::faulty_blocks(policy, unguarded);
    for block in &blocks {
        // All blocks of a statement get one guard between them.
        let keys: Vec<&str> = blocks
            .iter()
            .filter(|other| other.statement.index == block.statement.index)
            .flat_map(|other| &other.conditions)
            .map(|condition| condition.key.as_str())
            .collect();
        report(policy, block, &keys, sink);
    }
}

/// The guard of `keys` in the statement of `block`, unless something about one of them stands in its `Null` already.
fn guard(
    policy: &PolicyDocument,
    block: &FaultyBlock<'_>,
    keys: &[&str],
    sink: &Sink<'_>,
) -> Option<Edit> {
    let mut wanted: Vec<&str> = Vec::new();
    for key in keys {
        if !wanted.iter().any(|other| other.eq_ignore_ascii_case(key)) {
            wanted.push(key);
        }
    }
    let pointer = pointer::join(&block.statement.pointer, "Condition");
    let conditions = pointer::find(&policy.root, &pointer)?;
    let Some(guard) = conditions.get("Null") else {
        return insertion::last_block(sink, conditions, "Null", &wanted, "false");
    };
    let about = |entry: &Entry| {
        let key = entry.key.as_str();
        wanted.iter().any(|wanted| wanted.eq_ignore_ascii_case(key))
    };
    let taken = guard.as_map()?.iter().any(about);
    let last = || insertion::last(sink, guard, &wanted, "false");
    if taken { None } else { last() }
}

/// Whether no request that the statement is for goes without one of its keys: a guard then takes nothing away.
fn always_carried(statement: &Statement, keys: &[&str]) -> bool {
    let is_known = !statement.incomplete && statement.actions.is_some();
    is_known
        && keys.iter().all(|key| {
            let known = route53::is_key(key) && catalog::key(key).is_some();
            known && place_without(statement, key).is_none()
        })
}

/// One finding for each operator block, whatever the number of its keys.
fn report(policy: &PolicyDocument, block: &FaultyBlock<'_>, keys: &[&str], sink: &mut Sink<'_>) {
    let edit = guard(policy, block, keys, sink);
    let safe = always_carried(block.statement, keys);
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
    let without = |key: &&Condition| place_without(block.statement, key.key.as_str());
    let place = block.conditions.iter().find_map(without);
    let demand = format!(
        "demand the key in the same statement: \"Null\": {{{}}}",
        guard.join(", ")
    );
    // A guard would take the other actions away.
    let help = match (&place, carrying(block)) {
        (Some(_), Some(actions)) => {
            format!(
                "first give {actions} a statement of its own, without the actions that never carry the key; there {demand}"
            )
        }
        _ => demand,
    };
    let mut draft = block.report(sink, message).help(help);
    for key in &block.conditions {
        draft = draft.related(key.key.span(), "no Null guard demands this key");
    }
    if let Some(edit) = edit {
        draft = draft.fix("demand the keys", safe, vec![edit]);
    }
    if let Some((place, text)) = place {
        draft.severity(Severity::Error).related(place, text);
    }
}

/// What carries the keys, in words.
fn carrying(block: &FaultyBlock<'_>) -> Option<String> {
    let key = block.first.key.as_str();
    if !route53::is_key(key) {
        return None;
    }
    let mut carrying = catalog::actions_carrying(key);
    let (service, action) = carrying.next()?;
    Some(match carrying.next() {
        None => format!("`{}:{}`", service.name(), action.name()),
        Some(_) => format!("what carries {}", quoted(key)),
    })
}

/// Where the statement covers actions other than those that carry the key, and what that means.
fn place_without(statement: &Statement, key: &str) -> Option<(Span, String)> {
    let actions = statement
        .actions
        .as_ref()
        .filter(|_| route53::is_key(key) && catalog::key(key).is_some())?;
    if actions.negated {
        let text = "covers actions that never carry the key, which are allowed without limit";
        return Some((actions.key.span(), text.to_owned()));
    }
    let carries = |action: &str| catalog::action(action).is_some_and(|action| action.carries(key));
    let other = actions
        .values
        .iter()
        .find(|action| may_exist(action.text.as_str()) && !carries(action.text.as_str()))?;
    let verb = if has_wildcard(other.text.as_str()) {
        "covers actions that never carry the key, which are"
    } else {
        "never carries the key, so it is"
    };
    let text = format!(
        "{} {verb} allowed without limit",
        quoted(other.text.as_str())
    );
    Some((other.text.span(), text))
}

fn needs_guard(condition: &Condition) -> bool {
    blocks::is_under(condition, Quantifier::ForAllValues)
        && !is_single_valued(condition.key.as_str())
}

/// An operator that does not exist, perhaps meant as `Null`, of which a rule of its own says so; or a `Null` whose value is
/// not known.
fn is_unknown(condition: &Condition) -> bool {
    condition
        .operator
        .is_none_or(|operator| operator.base == BaseOperator::Null && condition.incomplete)
}

/// `Null` as it is, with `"false"` alone.
pub(super) fn is_guard(condition: &Condition) -> bool {
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
