//! What would turn a denial into an allow: the smallest change of a policy, where there is one, or what is wrong with the
//! request; and what else that change would allow.

mod reach;
mod request_faults;
mod values;

use crate::model::policy::{BaseOperator, Effect, Operator, Quantifier, route53};

use super::compile::PolicyTest;
use super::condition::ConditionTest;
use super::evaluate::{Compiled, Word, World};
use super::explain::{named, statements};
use super::statement::{StatementTest, Truth};
use super::{Request, catalog};

pub use reach::{AlsoAllowed, Reach, reach};

/// How many values are proposed for one condition at most.
const MAX_ADDED: usize = 50;

/// A change of a policy, in its meaning; where it stands in the text is another's work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// One more resource for a statement.
    Resource {
        /// The statement, from 0.
        statement: usize,
        /// The resource.
        value: String,
        /// The broken one that it takes the place of.
        instead: Option<String>,
    },
    /// One more value for a condition of a statement.
    Value {
        /// The statement, from 0.
        statement: usize,
        /// The operator.
        operator: Operator,
        /// The key, as the policy writes it.
        key: String,
        /// The value.
        value: String,
        /// The broken one that it takes the place of.
        instead: Option<String>,
    },
    /// Another operator for a condition of a statement, so that `*` and `?` in its values stand for other characters.
    Operator {
        /// The statement, from 0.
        statement: usize,
        /// The operator.
        operator: Operator,
        /// The key, as the policy writes it.
        key: String,
        /// The operator to write instead.
        to: Operator,
    },
    /// One more statement, which allows the request and what is like it under these keys.
    Statement {
        /// The action.
        action: String,
        /// The resource.
        resource: String,
        /// For Route 53's record keys: the values, in the order of the keys.
        records: Option<[Vec<String>; 3]>,
    },
}

/// What to do about a decision.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Advice {
    /// The smallest change that allows the request; none when there is none that is certain.
    pub changes: Vec<Change>,
    /// A statement of its own, where the smallest change is another.
    pub alone: Option<Change>,
    /// Other operators, where the listed values look like patterns that match the request.
    pub pattern: Vec<Change>,
    /// Why there is no change, or what is to be done first.
    pub notes: Vec<String>,
}

/// Advises about one policy that has the identity layer to itself.
#[must_use]
pub fn advise(compiled: &Compiled, request: &Request) -> Advice {
    let mut advice = Advice::default();
    match compiled.word(request, World::Careful) {
        Word::Allowed => return advice,
        Word::ExplicitDeny => {
            advice.notes = denying(compiled, request);
            advice.changes = exempting(compiled, request).unwrap_or_default();
            return advice;
        }
        Word::ImplicitDeny => {}
    }
    if compiled.resource.is_some() {
        advice.notes.push(
            "a policy of a resource must name the principal; no edit is certain without knowing who that is meant to be"
                .to_owned(),
        );
        return advice;
    }
    let faults = request_faults::of(request);
    if !faults.is_empty() {
        advice.notes = faults;
        return advice;
    }
    added(compiled, request, &mut advice);
    advice
}

/// Advises where no Deny is in the way and the request is as a service makes it.
fn added(compiled: &Compiled, request: &Request, advice: &mut Advice) {
    let mut best: Option<Vec<Change>> = None;
    // Statements that have the action, which no resource of theirs ever fits.
    let mut limited = false;
    let on_all = catalog::asked_on(request.action()) == Some(catalog::AskedOn::Everything);
    for (policy, statement) in statements(compiled) {
        let concerns = statement.covers_action(request) == Truth::Yes;
        if statement.effect != Effect::Allow || !concerns || statement.doubt.is_some() {
            continue;
        }
        if on_all && statement.covers_resource(request) != Truth::Yes {
            limited = true;
            advice.notes.push(limited_in_vain(
                &named(policy, statement),
                statement,
                request,
            ));
            continue;
        }
        if advice.pattern.is_empty() {
            advice.pattern = values::as_patterns(statement, request);
        }
        match mended(statement, request) {
            Ok(changes) if best.as_ref().is_none_or(|best| changes.len() < best.len()) => {
                best = Some(changes);
            }
            Ok(_) => {}
            Err(why) => {
                let place = named(policy, statement);
                advice.notes.push(format!("{place}: {why}"));
            }
        }
    }
    let alone = own_statement(request);
    match best {
        Some(changes) => {
            advice.changes = changes;
            advice.alone = alone;
            advice.notes.clear();
        }
        None if advice.notes.is_empty() || limited => {
            advice.changes = alone.into_iter().collect();
        }
        None => {}
    }
}

/// A statement that limits an action which cannot be limited.
fn limited_in_vain(place: &str, statement: &StatementTest, request: &Request) -> String {
    let record_key = |test: &&ConditionTest| {
        let mut keys = route53::RECORD_KEYS.iter();
        keys.any(|key| key.eq_ignore_ascii_case(&test.folded_key))
    };
    let mut others = statement.conditions.iter().filter(|test| !record_key(test));
    let conditions = others.next().map_or_else(String::new, |test| {
        format!(
            "; a statement of its own repeats no condition, such as that on `{}`",
            test.key
        )
    });
    format!(
        "AWS asks for `{}` on `*` alone, and {place} is limited to certain resources, so it never allows it{conditions}",
        request.action()
    )
}

/// The Denies that apply.
fn denials<'a>(
    compiled: &'a Compiled,
    request: &'a Request,
) -> impl Iterator<Item = (&'a PolicyTest, &'a StatementTest)> {
    let applies = |statement: &StatementTest| {
        statement.effect == Effect::Deny
            && World::Careful.takes(statement.applies(request).0, Effect::Deny)
    };
    statements(compiled).filter(move |(_, statement)| applies(statement))
}

/// What the Denies that apply need so that they spare the request, where each lists what it spares.
fn exempting(compiled: &Compiled, request: &Request) -> Option<Vec<Change>> {
    let spared = denials(compiled, request).map(|(_, statement)| exempted(statement, request));
    let changes: Option<Vec<Vec<Change>>> = spared.collect();
    changes.map(|changes| changes.concat())
}

/// One more value for the list of what a Deny spares: of an inverted condition, or of `NotResource`.
fn exempted(statement: &StatementTest, request: &Request) -> Option<Vec<Change>> {
    if statement.doubt.is_some() {
        return None;
    }
    let by_condition = statement.conditions.iter().find_map(|condition| {
        exempting_values(condition, request).map(|values| (condition, values))
    });
    if let Some((condition, values)) = by_condition {
        let change = |value| Change::Value {
            statement: statement.index,
            operator: condition.operator,
            key: condition.key.to_string(),
            value,
            instead: None,
        };
        return Some(values.into_iter().map(change).collect());
    }
    let listed = statement.resources.as_ref().filter(|list| list.negated)?;
    let plain = !request.resource.contains(['*', '?', '$']) && !listed.written.is_empty();
    plain.then(|| {
        vec![Change::Resource {
            statement: statement.index,
            value: request.resource.clone(),
            instead: None,
        }]
    })
}

/// The values that an inverted condition must list so that it no longer holds.
fn exempting_values(condition: &ConditionTest, request: &Request) -> Option<Vec<String>> {
    let lists = matches!(
        condition.operator.base,
        BaseOperator::StringNotEquals
            | BaseOperator::StringNotEqualsIgnoreCase
            | BaseOperator::StringNotLike
            | BaseOperator::ArnNotEquals
            | BaseOperator::ArnNotLike
            | BaseOperator::NumericNotEquals
            | BaseOperator::DateNotEquals
            | BaseOperator::NotIpAddress
    );
    let value = request.value(&condition.folded_key).filter(|_| lists)?;
    let unlisted = value.values().iter();
    let unlisted = unlisted.filter(|value| condition.passes(value, request));
    // One value in the list ends `ForAllValues`, every one `ForAnyValue`.
    let values: Vec<String> = match condition.operator.quantifier {
        Some(Quantifier::ForAllValues) => unlisted.take(1).cloned().collect(),
        Some(Quantifier::ForAnyValue) | None => unlisted.cloned().collect(),
    };
    let special = |value: &String| value.contains("${") || value.contains(['*', '?']);
    let fits = !values.is_empty() && values.len() <= MAX_ADDED && !values.iter().any(special);
    fits.then_some(values)
}

fn denying(compiled: &Compiled, request: &Request) -> Vec<String> {
    denials(compiled, request)
        .map(|(policy, statement)| {
            format!(
                "{} denies it, so no added Allow changes the decision; what that Deny is for must be known before it is narrowed",
                named(policy, statement)
            )
        })
        .collect()
}

/// What a statement needs to allow the request, or why no added value can do it.
fn mended(statement: &StatementTest, request: &Request) -> Result<Vec<Change>, String> {
    let mut changes = Vec::new();
    if statement.covers_resource(request) != Truth::Yes {
        let negated = statement.resources.as_ref().is_none_or(|list| list.negated);
        if negated || request.resource.contains(['*', '?', '$']) {
            return Err(format!(
                "it is not for `{}`, and no added resource makes it so",
                request.resource
            ));
        }
        let broken = values::broken_resource(statement, request);
        let (instead, value) = match broken {
            Some((broken, right)) => (Some(broken), right),
            None => (None, request.resource.clone()),
        };
        changes.push(Change::Resource {
            statement: statement.index,
            value,
            instead,
        });
    }
    for condition in &statement.conditions {
        if condition.truth(request) == Truth::Yes {
            continue;
        }
        for value in values::missing(condition, request)? {
            let (instead, value) = match values::broken(condition, &value) {
                Some((broken, right)) => (Some(broken), right),
                None => (None, value),
            };
            let change = Change::Value {
                statement: statement.index,
                operator: condition.operator,
                key: condition.key.to_string(),
                value,
                instead,
            };
            if !changes.contains(&change) {
                changes.push(change);
            }
        }
    }
    Ok(changes)
}

/// A statement for this request alone. One that also depended on other keys would be guessed at.
fn own_statement(request: &Request) -> Option<Change> {
    let pattern = request.resource != "*" && request.resource.contains(['*', '?', '$']);
    if pattern || request.action().contains(['*', '?']) {
        return None;
    }
    let values = |key: &str| Some(request.context(key)?.values().to_vec());
    let changes_records = request
        .action()
        .eq_ignore_ascii_case(route53::CHANGE_RECORDS);
    let [names, types, actions] = route53::RECORD_KEYS;
    let records = match (values(names), values(types), values(actions)) {
        (Some(names), Some(types), Some(actions)) => Some([names, types, actions]),
        // A right to change records that no key narrows is nobody's smallest edit.
        _ if changes_records => return None,
        _ => None,
    };
    Some(Change::Statement {
        action: request.action().to_owned(),
        resource: request.resource.clone(),
        records: records.filter(|_| changes_records),
    })
}
