//! What would turn a denial into an allow: the smallest change of a policy, where there is one, or what is wrong with the
//! request; and what else that change would allow.

use crate::model::policy::{BaseOperator, Effect, Operator, Quantifier, route53};

use super::compile::PolicyTest;
use super::condition::ConditionTest;
use super::evaluate::{Compiled, Word, World};
use super::explain::{named, seen_as, statements};
use super::statement::{ElementTest, StatementTest, Truth};
use super::{ContextValue, Request};

/// How many requests are tried for what else a change allows.
const MAX_TRIED: usize = 4096;

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
    if request.resource != "*" && !request.resource.starts_with("arn:") {
        advice.notes.push(no_arn(&request.resource));
        return advice;
    }
    let misspelt = misspelt(request);
    if !misspelt.is_empty() {
        advice.notes = misspelt;
        return advice;
    }
    let mut best: Option<Vec<Change>> = None;
    for (policy, statement) in statements(compiled) {
        let concerns = statement.covers_action(request) == Truth::Yes;
        if statement.effect != Effect::Allow || !concerns || statement.doubt.is_some() {
            continue;
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
        None if advice.notes.is_empty() => advice.changes = alone.into_iter().collect(),
        None => {}
    }
    advice
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
        };
        return Some(values.into_iter().map(change).collect());
    }
    let listed = statement.resources.as_ref().filter(|list| list.negated)?;
    let plain = !request.resource.contains(['*', '?', '$']) && !listed.written.is_empty();
    plain.then(|| {
        vec![Change::Resource {
            statement: statement.index,
            value: request.resource.clone(),
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

/// What Route 53's own API says of a zone or a change is no ARN, and no policy can allow it as it stands.
fn no_arn(resource: &str) -> String {
    let path = resource.trim_start_matches('/');
    let is_own = path.starts_with("hostedzone/") || path.starts_with("change/");
    let meant = if is_own {
        format!("`arn:aws:route53:::{path}`")
    } else {
        "its ARN, such as `arn:aws:route53:::hostedzone/Z0123456789EXAMPLE`, or `*`".to_owned()
    };
    format!("the request's resource, `{resource}`, is no ARN: mend the request, write {meant}")
}

/// Values that the service would never send as the request spells them: then the request is at fault.
fn misspelt(request: &Request) -> Vec<String> {
    let of_key = |(key, value): (&str, &ContextValue)| -> Vec<String> {
        let seen = |value: &String| Some((value.clone(), seen_as(key, value)?));
        let values = value.values().iter().filter_map(seen);
        values
            .map(|(value, seen)| {
                format!("the request says `{value}`; Route 53 sends `{seen}`: mend the request, or give a `change_batch`")
            })
            .collect()
    };
    request.entries().flat_map(of_key).collect()
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
        changes.push(Change::Resource {
            statement: statement.index,
            value: request.resource.clone(),
        });
    }
    for condition in &statement.conditions {
        if condition.truth(request) == Truth::Yes {
            continue;
        }
        let values = missing_values(condition, request)?;
        changes.extend(values.into_iter().map(|value| Change::Value {
            statement: statement.index,
            operator: condition.operator,
            key: condition.key.to_string(),
            value,
        }));
    }
    Ok(changes)
}

/// The values that a condition lacks, or why it is not that.
fn missing_values(condition: &ConditionTest, request: &Request) -> Result<Vec<String>, String> {
    let (key, operator) = (&condition.key, condition.operator);
    let Some(value) = request.value(&condition.folded_key) else {
        return Err(format!(
            "`{key}` is not in the request, and `{operator}` asks for it; give it in the request"
        ));
    };
    let lists = matches!(
        operator.base,
        BaseOperator::StringEquals
            | BaseOperator::StringEqualsIgnoreCase
            | BaseOperator::StringLike
            | BaseOperator::ArnEquals
            | BaseOperator::ArnLike
            | BaseOperator::NumericEquals
            | BaseOperator::DateEquals
            | BaseOperator::IpAddress
    );
    if !lists {
        return Err(format!(
            "`{operator}` of `{key}` does not hold, and no added value makes it hold"
        ));
    }
    if operator.quantifier.is_none() && matches!(value, ContextValue::Multi(_)) {
        return Err(format!(
            "`{operator}` compares one value of `{key}`, and the request has a list; write `ForAllValues:{operator}` with a Null guard if every value is meant"
        ));
    }
    let special = |value: &&String| value.contains("${") || value.contains(['*', '?']);
    let failing = value.values().iter();
    let failing: Vec<String> = failing
        .filter(|value| !condition.passes(value, request))
        .cloned()
        .collect();
    if let Some(value) = failing.iter().find(special) {
        return Err(format!(
            "`{value}` of `{key}` has characters that mean something else in a policy"
        ));
    }
    if failing.is_empty() {
        return Err(format!("`{operator}` of `{key}` does not hold"));
    }
    if failing.len() > MAX_ADDED {
        let count = failing.len();
        return Err(format!(
            "{count} values of `{key}` are not in the list; nobody adds so many by hand"
        ));
    }
    match operator.quantifier {
        Some(Quantifier::ForAnyValue) => Ok(failing.into_iter().take(1).collect()),
        Some(Quantifier::ForAllValues) | None => Ok(failing),
    }
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

/// A request that a change allows beside the one it was made for. Parts of a policy that are patterns stand as they are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AlsoAllowed {
    /// The action.
    pub action: String,
    /// The resource.
    pub resource: String,
    /// The values of the keys that the changed statement looks at.
    pub context: Vec<(String, String)>,
}

/// What a changed policy allows that it did not before, beside `request` itself: every combination of what its statement
/// `index` lists, each key with one value.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Reach {
    /// The requests.
    pub also: Vec<AlsoAllowed>,
    /// Whether there were too many combinations to try all.
    pub cut: bool,
    /// Whether requests with several of the values at once are allowed too.
    pub together: bool,
    /// What else the statement reaches that is no list of values.
    pub open: Vec<String>,
}

impl Reach {
    /// Whether nothing is allowed besides.
    #[must_use]
    pub fn is_narrow(&self) -> bool {
        self.also.is_empty() && self.open.is_empty() && !self.cut && !self.together
    }
}

/// Tries what the change allows besides.
#[must_use]
pub fn reach(before: &Compiled, after: &Compiled, index: usize, request: &Request) -> Reach {
    let mut reach = Reach::default();
    let found = statements(after).find(|(_, statement)| statement.index == index);
    let Some((_, statement)) = found else {
        return reach;
    };
    let written = |list: &Option<ElementTest>, own: &str| -> Vec<String> {
        let listed = list.as_ref().filter(|list| !list.negated);
        listed.map_or_else(
            || vec![own.to_owned()],
            |list| list.written.iter().map(ToString::to_string).collect(),
        )
    };
    reach.open = open(statement);
    let resources = written(&statement.resources, &request.resource);
    let actions = written(&statement.actions, request.action());
    reach.cut = actions.len().saturating_mul(resources.len()) > MAX_TRIED;
    let pairs = actions
        .iter()
        .flat_map(|action| resources.iter().map(move |resource| (action, resource)));
    let mut partial: Vec<AlsoAllowed> = pairs
        .take(MAX_TRIED)
        .map(|(action, resource)| AlsoAllowed {
            action: action.clone(),
            resource: resource.clone(),
            context: Vec::new(),
        })
        .collect();
    for condition in statement.conditions.iter().filter(|one| is_list(one)) {
        let several = condition.written.len() > 1;
        reach.together |=
            several && condition.operator.quantifier == Some(Quantifier::ForAllValues);
        reach.cut |= partial.len().saturating_mul(condition.written.len()) > MAX_TRIED;
        let longer = partial.iter().flat_map(|one| {
            condition.written.iter().map(move |value| {
                let mut one = one.clone();
                one.context
                    .push((condition.key.to_string(), value.to_string()));
                one
            })
        });
        partial = longer.take(MAX_TRIED).collect();
    }
    let allows = |compiled: &Compiled, one: &Request| compiled.decide(one) == Some(Word::Allowed);
    reach.also = partial
        .into_iter()
        .filter(|one| {
            let tried = one.request(request);
            !is_same(&tried, request) && allows(after, &tried) && !allows(before, &tried)
        })
        .collect();
    reach
}

/// What a statement reaches without listing it.
fn open(statement: &StatementTest) -> Vec<String> {
    let mut open = Vec::new();
    let negated = |list: &Option<ElementTest>| list.as_ref().is_some_and(|list| list.negated);
    let lists = |list: &Option<ElementTest>, value: &str| {
        let list = list.as_ref().filter(|list| !list.negated);
        list.is_some_and(|list| list.written.iter().any(|one| one.contains(value)))
    };
    if negated(&statement.actions) {
        open.push("every action that its `NotAction` does not list".to_owned());
    }
    if negated(&statement.resources) {
        open.push("every resource that its `NotResource` does not list".to_owned());
    }
    if lists(&statement.resources, "*") {
        open.push("every resource that its patterns match".to_owned());
    }
    if lists(&statement.actions, "*") {
        open.push("every action that its patterns match".to_owned());
    }
    let variables = |condition: &ConditionTest| {
        condition
            .patterns()
            .any(|one| one.variables().next().is_some())
    };
    if lists(&statement.resources, "${") || statement.conditions.iter().any(variables) {
        open.push("whatever its variables stand for".to_owned());
    }
    open
}

fn is_list(condition: &ConditionTest) -> bool {
    let base = condition.operator.base;
    base != BaseOperator::Null && !base.is_negated()
}

/// Whether two requests ask the same.
fn is_same(one: &Request, other: &Request) -> bool {
    let values = |request: &Request| -> Vec<(String, Vec<String>)> {
        let mut all: Vec<_> = request
            .entries()
            .map(|(key, value)| (key.to_owned(), value.values().to_vec()))
            .collect();
        all.sort();
        all
    };
    one.folded_action() == other.folded_action()
        && one.resource == other.resource
        && values(one) == values(other)
}

impl AlsoAllowed {
    fn request(&self, like: &Request) -> Request {
        let mut request = Request::new(self.action.as_str(), self.resource.as_str());
        request.principal.clone_from(&like.principal);
        request.resource_account.clone_from(&like.resource_account);
        for (key, value) in like.entries() {
            request.set(key, value.clone());
        }
        for (key, value) in &self.context {
            let single = matches!(like.context(key), Some(ContextValue::Single(_)));
            let value = if single {
                ContextValue::Single(value.clone())
            } else {
                ContextValue::Multi(vec![value.clone()])
            };
            request.set(key, value);
        }
        request
    }
}
