//! An action in a statement with a condition on a service's key that its requests never carry.

use crate::diag::Severity;
use crate::iam::catalog::{self, Action, Service};
use crate::model::policy::{
    BaseOperator, Condition, PolicyDocument, Quantifier, Statement, Value, has_wildcard,
};
use crate::rules::{Check, Rule, Sink, Tier};
use crate::text::quoted;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "unsupported-action-for-condition-key",
    aliases: &[],
    summary: "an action whose requests never carry the condition key",
    severity: Severity::Warning,
    tier: Tier::Specific,
    page: include_str!("unsupported_action_for_condition_key.md"),
    check: Check::Policy(check),
};

fn check(policy: &PolicyDocument, sink: &mut Sink<'_>) {
    for statement in &policy.statements {
        let ours: Vec<&Condition> = statement
            .conditions
            .iter()
            .filter(|condition| {
                let key = condition.key.as_str();
                key_service(key).is_some() || tag_key(key).is_some()
            })
            .filter(|condition| !(statement.allows() && is_meant_for_others(condition)))
            .collect();
        let actions = statement
            .actions
            .as_ref()
            .filter(|actions| !actions.negated && !ours.is_empty());
        for action in actions.into_iter().flat_map(|actions| &actions.values) {
            // A pattern is told as such, not for each action that it covers; so is a name that no action has.
            if has_wildcard(action.text.as_str()) {
                continue;
            }
            let Some(known) = catalog::action(action.text.as_str()) else {
                continue;
            };
            let without: Vec<&Condition> = ours
                .iter()
                .copied()
                .filter(|condition| lacks(action.text.as_str(), known, condition))
                .collect();
            report(policy, statement, action, &without, sink);
        }
    }
}

/// Whether requests for the action never carry the key, as far as the reference can be relied on.
fn lacks(action: &str, known: Action, condition: &Condition) -> bool {
    let key = condition.key.as_str();
    if known.carries(key) || catalog::is_documented(action, key) {
        return false;
    }
    let Some(tag) = tag_key(key) else {
        return key_service(key).is_some();
    };
    // A service that sends no tags at all has a rule of its own.
    let prefix = action.split_once(':').map_or("", |(prefix, _)| prefix);
    let service = catalog::service(prefix).filter(|service| service.carries_tags());
    service.is_some_and(|service| match tag {
        // S3 tells the tags of a bucket to the actions on its objects too.
        Tag::Resource => service.is_complete() && service.name() != "s3",
        Tag::Request => service.is_complete(),
    })
}

/// Keys about tags that the reference lists action by action.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tag {
    Request,
    Resource,
}

fn tag_key(key: &str) -> Option<Tag> {
    let begins = |start: &str| {
        let head = key.get(..start.len());
        head.is_some_and(|head| head.eq_ignore_ascii_case(start))
    };
    if begins("aws:RequestTag/") || key.eq_ignore_ascii_case("aws:TagKeys") {
        Some(Tag::Request)
    } else if begins("aws:ResourceTag/") {
        Some(Tag::Resource)
    } else {
        None
    }
}

/// `IfExists` says that some actions of the statement do not carry the key; an Allow means to let them through.
fn is_meant_for_others(condition: &Condition) -> bool {
    condition
        .operator
        .is_some_and(|operator| operator.if_exists && operator.base != BaseOperator::Null)
}

/// The service that a key belongs to; `None` for a global key, one that is not known, and one that belongs to who asks
/// rather than to what is asked for.
fn key_service(key: &str) -> Option<Service> {
    let service = catalog::service(key.split_once(':')?.0)?;
    let of_caller = catalog::is_of_caller(key);
    (!of_caller && catalog::key(key).is_some()).then_some(service)
}

fn report(
    policy: &PolicyDocument,
    statement: &Statement,
    action: &Value,
    without: &[&Condition],
    sink: &mut Sink<'_>,
) {
    let Some(first) = without.first() else { return };
    // What is false for an absent key turns the action off; ForAllValues and IfExists let it through.
    let off = without
        .iter()
        .any(|condition| is_false_when_absent(condition));
    let effect = match (statement.allows(), off) {
        (true, true) => "so this statement never allows it",
        (true, false) => "so this condition does not limit it",
        (false, true) => "so this statement never denies it",
        (false, false) => "so it is denied without limit",
    };
    let message = format!(
        "{} carries no `{}` by AWS's reference, {effect}",
        quoted(action.text.as_str()),
        first.key.as_str()
    );
    let mut draft = sink
        .report(action.text.span(), message)
        .pointer(action.pointer.clone())
        .help("give the action a statement of its own, without these conditions");
    let complete = key_service(first.key.as_str()).is_some_and(Service::is_complete);
    if complete && statement.allows() && off && !is_allowed_elsewhere(policy, statement, action) {
        draft = draft.severity(Severity::Error);
    }
    for condition in without {
        draft = draft.related(condition.key.span(), "the key that it never carries");
    }
}

/// Whether another statement allows the action without asking for a key that it never carries, so that it works all the
/// same.
fn is_allowed_elsewhere(policy: &PolicyDocument, statement: &Statement, action: &Value) -> bool {
    let known = catalog::action(action.text.as_str());
    let asks = |condition: &Condition| {
        let lacks = |known| lacks(action.text.as_str(), known, condition);
        known.is_some_and(lacks) && is_false_when_absent(condition)
    };
    policy.statements.iter().any(|other| {
        other.index != statement.index
            && other.allows()
            && other.covers_action(action.text.as_str())
            && !other.conditions.iter().any(asks)
    })
}

fn is_false_when_absent(condition: &Condition) -> bool {
    condition.operator.is_some_and(|operator| {
        if operator.base == BaseOperator::Null {
            return condition
                .values
                .iter()
                .any(|value| value.text.as_str().eq_ignore_ascii_case("false"));
        }
        match operator.quantifier {
            Some(Quantifier::ForAllValues) => false,
            Some(Quantifier::ForAnyValue) => true,
            None => !operator.if_exists && !operator.base.is_negated(),
        }
    })
}
