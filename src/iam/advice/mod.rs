//! What would turn a denial into an allow: the smallest change of a policy, where there is one, or what is wrong with the
//! request; and what else that change would allow.

mod own;
mod reach;
mod request_faults;
mod values;

use crate::model::policy::{BaseOperator, Effect, Operator, Quantifier};

use super::compile::PolicyTest;
use super::condition::ConditionTest;
use super::evaluate::{Compiled, Word, World};
use super::explain::{named, statements};
use super::statement::{StatementTest, Truth};
use super::{Request, catalog};

pub use own::OwnCondition;
pub use reach::{AlsoAllowed, Reach, reach};
pub use values::is_limit;

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
        /// Its conditions.
        conditions: Vec<OwnCondition>,
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
    let named = |one: &StatementTest| one.names_principal(request).0 == Truth::Yes;
    let mut all = statements(compiled);
    if compiled.resource.is_some() && !all.any(|(_, one)| one.effect == Effect::Allow && named(one))
    {
        advice.notes.push(
            "a policy of a resource must name the principal; no edit is certain without knowing who that is meant to be"
                .to_owned(),
        );
        return advice;
    }
    drop(all);
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
    let mut best: Option<(Vec<Change>, &StatementTest)> = None;
    // Statements that have the action, which no resource of theirs ever fits, or whose `NotResource` lists this one.
    let mut limited = None;
    let of_resource = compiled.resource.is_some();
    let on_all = catalog::asked_on(request.action()) == Some(catalog::AskedOn::Everything);
    for (policy, statement) in statements(compiled) {
        let concerns = statement.covers_action(request) == Truth::Yes
            && statement.names_principal(request).0 == Truth::Yes;
        if statement.effect != Effect::Allow || !concerns || statement.doubt.is_some() {
            continue;
        }
        if on_all && statement.covers_resource(request) != Truth::Yes {
            limited = limited.or(Some(statement));
            advice
                .notes
                .push(limited_in_vain(&named(policy, statement), request));
            continue;
        }
        if advice.pattern.is_empty() {
            advice.pattern = values::as_patterns(statement, request);
        }
        let fewer = |changes: &Vec<Change>| {
            let best = best.as_ref();
            best.is_none_or(|(best, _)| changes.len() < best.len())
        };
        match mended(statement, request) {
            Ok(changes) if fewer(&changes) => best = Some((changes, statement)),
            Ok(_) => {}
            Err(why) => {
                if !of_resource && excludes(statement, request) {
                    limited = limited.or(Some(statement));
                }
                let place = named(policy, statement);
                advice.notes.push(format!("{place}: {why}"));
            }
        }
    }
    match best {
        Some((changes, statement)) => {
            advice.changes = changes;
            advice.alone = own::statement(Some(statement), request).filter(|_| !of_resource);
            advice.notes.clear();
        }
        None if of_resource && advice.notes.is_empty() => advice.notes.push(format!(
            "no statement that names the principal allows `{}`; what it is to be allowed must be known before one is added",
            request.action()
        )),
        None if of_resource => {}
        None if advice.notes.is_empty() || limited.is_some() => {
            let alone = own::statement(limited, request);
            advice.changes = alone.into_iter().collect();
        }
        None => {}
    }
}

/// A statement that limits an action which cannot be limited.
fn limited_in_vain(place: &str, request: &Request) -> String {
    format!(
        "AWS asks for `{}` on `*` alone, and {place} is limited to certain resources, so it never allows it",
        request.action()
    )
}

/// Whether `NotResource` of a statement lists what is asked for.
fn excludes(statement: &StatementTest, request: &Request) -> bool {
    let negated = statement
        .resources
        .as_ref()
        .is_some_and(|list| list.negated);
    negated && statement.covers_resource(request) == Truth::No
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
        if excludes(statement, request) {
            return Err(format!(
                "its `NotResource` leaves out `{}` by intent; be sure that it is to be allowed",
                request.resource
            ));
        }
        if statement.resources.is_none() || request.resource.contains(['*', '?', '$']) {
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
