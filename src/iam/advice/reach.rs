//! What a change of a policy allows besides: every combination of what its statement lists that a real request can have.

use std::collections::BTreeSet;

use crate::iam::catalog;
use crate::model::policy::{BaseOperator, Family, Quantifier, has_wildcard};

use super::super::condition::ConditionTest;
use super::super::evaluate::{Compiled, Word};
use super::super::explain::statements;
use super::super::statement::{ElementTest, StatementTest};
use super::super::{ContextValue, Request};

/// How many requests are tried for what else a change allows.
const MAX_TRIED: usize = 4096;

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

    /// Whether less is allowed besides than by `other`.
    #[must_use]
    pub fn is_narrower_than(&self, other: &Self) -> bool {
        let within = self.also.len() <= other.also.len()
            && self.open.iter().all(|open| other.open.contains(open))
            && (other.together || !self.together)
            && !self.cut;
        within
            && (self.is_narrow()
                || self.also.len() + self.open.len() < other.also.len() + other.open.len())
    }
}

/// Tries what the change allows besides: what a real request can be, as far as the catalog knows the service.
#[must_use]
pub fn reach(before: &Compiled, after: &Compiled, index: usize, request: &Request) -> Reach {
    let mut reach = Reach::default();
    let of = |compiled| statements(compiled).find(|(_, statement)| statement.index == index);
    let Some((_, statement)) = of(after) else {
        return reach;
    };
    let actions = Actions::of(statement, request);
    let old = of(before).map(|(_, old)| old);
    reach.open = open(old, statement, &actions);
    if let Some(old) = old {
        reach.open.extend(new_patterns(old, statement));
    }
    let mut tried = Vec::new();
    for action in &actions.known {
        probes(statement, action, request, &mut tried, &mut reach);
    }
    let allows = |compiled: &Compiled, one: &Request| compiled.decide(one) == Some(Word::Allowed);
    let mut seen = BTreeSet::new();
    reach.also = tried
        .into_iter()
        .filter(|one| {
            let tried = one.request(request);
            !is_same(&tried, request) && allows(after, &tried) && !allows(before, &tried)
        })
        .filter(|one| seen.insert(format!("{one:?}")))
        .collect();
    reach
}

/// The actions that a statement lists.
struct Actions {
    /// Those of which requests can be made up.
    known: Vec<String>,
    /// Whether patterns stand for others.
    open: bool,
}

impl Actions {
    fn of(statement: &StatementTest, request: &Request) -> Self {
        let listed = statement.actions.as_ref().filter(|list| !list.negated);
        let Some(listed) = listed else {
            let known = vec![request.action().to_owned()];
            return Self { known, open: false };
        };
        let (mut known, mut open) = (Vec::new(), false);
        for written in &listed.written {
            match catalog::actions_matching(written) {
                Some(actions) => known.extend(actions),
                None => {
                    open |= has_wildcard(written);
                    known.push(written.to_string());
                }
            }
        }
        known.retain(|action| catalog::is_real(action));
        Self { known, open }
    }
}

/// Every combination for one action: its resources, and one value of each list whose key its requests carry.
fn probes(
    statement: &StatementTest,
    action: &str,
    request: &Request,
    tried: &mut Vec<AlsoAllowed>,
    reach: &mut Reach,
) {
    let own = [Box::from(request.resource.as_str())];
    let listed = statement.resources.as_ref().filter(|list| !list.negated);
    let resources = listed.map_or(&own[..], |list| &list.written);
    let mut partial: Vec<AlsoAllowed> = resources
        .iter()
        .filter(|resource| catalog::may_be_on(action, resource))
        .map(|resource| AlsoAllowed {
            action: action.to_owned(),
            resource: resource.to_string(),
            context: Vec::new(),
        })
        .collect();
    let left = MAX_TRIED.saturating_sub(tried.len());
    reach.cut |= partial.len() > left;
    partial.truncate(left);
    // A network, a limit or a date is no value that a request has: there its own is kept.
    let has_values = |one: &ConditionTest| {
        let family = one.operator.base.family();
        !matches!(family, Family::Ip | Family::Numeric | Family::Date)
    };
    let carried = |one: &&ConditionTest| {
        is_list(one) && has_values(one) && !catalog::never_carries(action, &one.key)
    };
    for condition in statement.conditions.iter().filter(carried) {
        let several = condition.written.len() > 1 && !partial.is_empty();
        reach.together |=
            several && condition.operator.quantifier == Some(Quantifier::ForAllValues);
        reach.cut |= partial.len().saturating_mul(condition.written.len()) > left;
        let longer = partial.iter().flat_map(|one| {
            condition.written.iter().map(move |value| {
                let mut one = one.clone();
                one.context
                    .push((condition.key.to_string(), value.to_string()));
                one
            })
        });
        partial = longer.take(left).collect();
    }
    tried.append(&mut partial);
}

/// What a statement reaches without listing it, beyond what it reached before: `old`, where it was there.
fn open(old: Option<&StatementTest>, statement: &StatementTest, actions: &Actions) -> Vec<String> {
    let mut open = Vec::new();
    // The same conditions let through, on the resources that stood there, what they let through before.
    let old = old.filter(|old| conditions_of(old) == conditions_of(statement));
    let is_new = |resource: &str| {
        let stood = old.and_then(|old| old.resources.as_ref());
        !stood.is_some_and(|list| list.written.iter().any(|one| **one == *resource))
    };
    let negated = |list: &Option<ElementTest>| list.as_ref().is_some_and(|list| list.negated);
    let lists = |list: &Option<ElementTest>, value: &str| {
        let list = list.as_ref().filter(|list| !list.negated);
        list.is_some_and(|list| {
            let mut written = list.written.iter();
            written.any(|one| one.contains(value) && is_new(one))
        })
    };
    if negated(&statement.actions) {
        open.push("every action that its `NotAction` does not list".to_owned());
    }
    if negated(&statement.resources) {
        open.push("every resource that its `NotResource` does not list".to_owned());
    }
    // An action that is asked for on `*` alone is not widened by it.
    let on_all = |action: &String| catalog::asked_on(action) == Some(catalog::AskedOn::Everything);
    if lists(&statement.resources, "*") && (actions.open || !actions.known.iter().all(on_all)) {
        open.push("every resource that its patterns match".to_owned());
    }
    if actions.open {
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

/// The conditions of a statement as they are written.
fn conditions_of(statement: &StatementTest) -> Vec<(String, String, Vec<Box<str>>)> {
    let conditions = statement.conditions.iter();
    let parts = |one: &ConditionTest| {
        let (operator, key) = (one.operator.to_string(), one.key.to_string());
        (operator, key, one.written.to_vec())
    };
    conditions.map(parts).collect()
}

/// Values of `after` that match as patterns and did not in `before`.
fn new_patterns(before: &StatementTest, after: &StatementTest) -> Vec<String> {
    let patterns = |statement: &StatementTest| -> BTreeSet<(String, String)> {
        let conditions = statement.conditions.iter();
        let like = conditions.filter(|one| is_list(one) && one.operator.base.is_pattern());
        like.flat_map(|one| {
            let written = one.written.iter().filter(|value| has_wildcard(value));
            written.map(|value| (one.key.to_string(), value.to_string()))
        })
        .collect()
    };
    let new = patterns(after);
    new.difference(&patterns(before))
        .map(|(key, value)| format!("every value of `{key}` that `{value}` matches"))
        .collect()
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
        let carried = like.entries();
        for (key, value) in carried.filter(|(key, _)| !catalog::never_carries(&self.action, key)) {
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
