//! The kinds of one dimension: a value of each, with the statements that it lets pass.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::policy::{Effect, Quantifier};

use super::super::evaluate::World;
use super::super::statement::{ElementTest, StatementTest, Truth};
use super::super::{ContextValue, Request};
use super::Bounds;
use super::mask::Mask;
use super::realm::{Presence, Realm};
use super::values::{kinds, word};
use super::words::{Step, Word, examples, glob, instance, is_shaped};

/// A statement in question.
pub(super) struct Asked<'a> {
    pub(super) statement: &'a StatementTest,
    /// How its open parts are taken, so that what is found is found in any case.
    pub(super) world: World,
}

impl Asked<'_> {
    fn passes(&self, truth: Truth) -> bool {
        self.world.takes(truth, self.statement.effect)
    }
}

/// One value and what it lets pass.
pub(super) struct Choice<T> {
    pub(super) value: T,
    pub(super) passes: Mask,
}

/// The choices of a dimension, one for each set of statements.
pub(super) struct Dimension<T> {
    pub(super) choices: Vec<Choice<T>>,
    /// Why one could be missing.
    pub(super) open: Option<String>,
}

/// One choice for each set of statements, the first of each.
fn distinct<T>(
    values: impl IntoIterator<Item = T>,
    mut passes: impl FnMut(&T) -> Mask,
) -> Vec<Choice<T>> {
    let mut met = BTreeSet::new();
    let mut choices = Vec::new();
    for value in values {
        let passes = passes(&value);
        if met.insert(passes.clone()) {
            choices.push(Choice { value, passes });
        }
    }
    choices
}

fn too_many(what: &str) -> Option<String> {
    Some(format!(
        "{what} fall into too many kinds to try one of each"
    ))
}

/// The actions: one for each set of statements, and where the realm tells them apart, for each manner of requests.
pub(super) fn actions(asked: &[Asked<'_>], realm: Realm, bounds: Bounds) -> Dimension<String> {
    let elements = || {
        asked
            .iter()
            .filter_map(|one| one.statement.actions.as_ref())
    };
    let written: BTreeSet<String> = elements()
        .flat_map(|element| element.written.iter())
        .map(|text| text.to_string())
        .collect();
    let words = element_words(elements(), &Request::new("", ""));
    let shape = [vec![
        Step::One { colon: false },
        Step::Run { colon: false },
        Step::Char(':'),
        Step::One { colon: false },
        Step::Run { colon: false },
    ]];
    let (found, open) = match examples(&words, &shape, bounds.states) {
        Ok(found) => (found, None),
        Err(_) => (Vec::new(), too_many("actions")),
    };
    let negated = elements().any(|element| element.negated);
    let all = if negated {
        Realm::actions("*")
    } else {
        Vec::new()
    };
    let known = written
        .iter()
        .flat_map(|text| Realm::actions(text))
        .chain(all);
    let real = known.chain(found).filter(|action| realm.has(action));
    let keys: BTreeSet<&str> = asked
        .iter()
        .flat_map(|one| one.statement.conditions.iter())
        .map(|condition| &*condition.folded_key)
        .collect();
    let mut met = BTreeSet::new();
    let mut choices = Vec::new();
    for value in real {
        let request = Request::new(value.as_str(), "");
        let passes = Mask::of(asked.len(), |place| {
            let one = asked.get(place);
            one.is_some_and(|one| one.passes(one.statement.covers_action(&request)))
        });
        if met.insert((passes.clone(), realm.manner(&value, keys.iter().copied()))) {
            choices.push(Choice { value, passes });
        }
    }
    Dimension { choices, open }
}

fn element_words<'a>(elements: impl Iterator<Item = &'a ElementTest>, base: &Request) -> Vec<Word> {
    let mut seen = BTreeSet::new();
    let fresh = elements
        .flat_map(|element| element.patterns.iter().zip(element.written.iter()))
        .filter(|(_, written)| seen.insert(written.to_string()));
    fresh
        .filter_map(|(pattern, _)| word(pattern, base, false, true))
        .collect()
}

/// How thoroughly a dimension is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Care {
    /// Some values that are quick to name: enough for many a counterexample.
    Quick,
    /// One of every kind: needed for a proof.
    Full,
}

/// The resources of `action`.
pub(super) fn resources(
    asked: &[Asked<'_>],
    alive: &Mask,
    action: &str,
    (realm, care): (Realm, Care),
    base: &Request,
    bounds: Bounds,
) -> Dimension<String> {
    let living = || {
        asked
            .iter()
            .enumerate()
            .filter(|(place, _)| alive.has(*place))
    };
    let words = element_words(
        living().filter_map(|(_, one)| one.statement.resources.as_ref()),
        base,
    );
    let (shapes, none) = realm.resources(action);
    let shapes: Vec<Word> = shapes.iter().map(|shape| arn_shape(shape)).collect();
    let examples = match care {
        _ if shapes.is_empty() => Ok(Vec::new()),
        Care::Quick => {
            let instances = words.iter().chain(&shapes).map(instance);
            Ok(instances.filter(|text| is_shaped(text, &shapes)).collect())
        }
        Care::Full => examples(&words, &shapes, bounds.states),
    };
    let (mut found, open) = match examples {
        Ok(found) => (found, None),
        Err(_) => (Vec::new(), too_many("resources")),
    };
    if none || found.is_empty() {
        found.push("*".to_owned());
    }
    let choices = distinct(found, |resource| {
        let mut request = base.clone();
        request.resource.clone_from(resource);
        Mask::of(asked.len(), |place| {
            alive.has(place)
                && asked
                    .get(place)
                    .is_some_and(|one| one.passes(one.statement.covers_resource(&request)))
        })
    });
    Dimension { choices, open }
}

/// An ARN whose first five segments hold no colon.
fn arn_shape(text: &str) -> Word {
    let head: String = text
        .splitn(6, ':')
        .take(5)
        .flat_map(|part| [part, ":"])
        .collect();
    let tail = text.splitn(6, ':').nth(5).unwrap_or_default();
    let mut shape = glob(&head, false);
    shape.extend(glob(tail, true));
    // A resource has a name.
    if tail.ends_with('*') {
        shape.insert(shape.len() - 1, Step::One { colon: true });
    }
    shape
}

/// The keys that statements of `alive` ask for, in lower case, each with its name as it is written first.
pub(super) fn keys(asked: &[Asked<'_>], alive: &Mask) -> BTreeMap<String, String> {
    let mut keys = BTreeMap::new();
    for (place, one) in asked.iter().enumerate() {
        if alive.has(place) {
            for condition in &one.statement.conditions {
                let written = condition.key.to_string();
                keys.entry(condition.folded_key.to_string())
                    .or_insert(written);
            }
        }
    }
    keys
}

/// What a request for `action` may have under the key.
pub(super) fn contexts(
    asked: &[Asked<'_>],
    alive: &Mask,
    action: &str,
    key: &str,
    realm: Realm,
    base: &Request,
    bounds: Bounds,
) -> Dimension<Option<ContextValue>> {
    let mut tests = Vec::new();
    for (place, one) in asked.iter().enumerate() {
        if alive.has(place) {
            tests.extend(
                one.statement
                    .conditions
                    .iter()
                    .filter(|test| *test.folded_key == *key),
            );
        }
    }
    let (mut values, mut open) = (Vec::new(), None);
    if let Some(fixed) = base.context(key) {
        // A variable stands for it somewhere, so it has one value in all requests that are looked at.
        values.push(Some(fixed.clone()));
    } else {
        let presence = realm.presence(action, key);
        if presence != Presence::Always {
            values.push(None);
        }
        if presence != Presence::Never {
            match kinds(&tests, base, bounds.states) {
                Ok(found) => {
                    open = found.open.map(|why| format!("`{key}`: {why}"));
                    let arity = realm.arity(key);
                    let null = presence != Presence::Always;
                    let all = present(&tests, found.values, arity, null, base, bounds.values);
                    match all {
                        Some(all) => values.extend(all.into_iter().map(Some)),
                        None => open = too_many(&format!("values of `{key}`")),
                    }
                }
                Err(_) => open = too_many(&format!("values of `{key}`")),
            }
        }
    }
    let choices = distinct(values, |value| {
        let mut request = base.clone();
        if let Some(value) = value {
            request.set(key, value.clone());
        }
        Mask::of(asked.len(), |place| {
            alive.has(place)
                && asked.get(place).is_some_and(|one| {
                    let mut tests = one.statement.conditions.iter();
                    tests.all(|test| *test.folded_key != *key || one.passes(test.truth(&request)))
                })
        })
    });
    Dimension { choices, open }
}

/// Every value that the key may have, up to what `tests` can tell apart; `None`: too many.
fn present(
    tests: &[&super::super::condition::ConditionTest],
    values: Vec<String>,
    (single, multi): (bool, bool),
    null: bool,
    base: &Request,
    most: usize,
) -> Option<Vec<ContextValue>> {
    let mut found = Vec::new();
    if single {
        found.extend(values.iter().cloned().map(ContextValue::Single));
        if null {
            found.push(ContextValue::Single(String::new()));
        }
    }
    if !multi {
        return Some(found);
    }
    if null {
        found.push(ContextValue::Multi(vec![String::new()]));
    }
    let quantified = || {
        tests
            .iter()
            .filter(|test| test.operator.quantifier.is_some())
    };
    let kind =
        |value: &str| -> Vec<bool> { quantified().map(|test| test.passes(value, base)).collect() };
    let mut met = BTreeSet::new();
    let mut kinds: Vec<String> = values;
    // An empty text beside another is a value like any other.
    kinds.push(String::new());
    kinds.retain(|value| met.insert(kind(value)));
    let demands: BTreeSet<(Option<Quantifier>, Vec<bool>)> = quantified()
        .map(|test| {
            let column = kinds.iter().map(|value| test.passes(value, base)).collect();
            (test.operator.quantifier, column)
        })
        .collect();
    // One value for each demand, and one that is not empty, without which the key would count as absent.
    let longest = (demands.len() + 1).min(kinds.len());
    let mut lists: Vec<Vec<String>> = vec![Vec::new()];
    for value in &kinds {
        let longer: Vec<Vec<String>> = lists
            .iter()
            .filter(|list| list.len() < longest)
            .map(|list| list.iter().cloned().chain([value.clone()]).collect())
            .collect();
        lists.extend(longer);
        if lists.len() > most {
            return None;
        }
    }
    lists.sort_by_key(Vec::len);
    let full = lists
        .into_iter()
        .filter(|list| list.iter().any(|value| !value.is_empty()));
    found.extend(full.map(ContextValue::Multi));
    Some(found)
}

/// The principals by name do not differ: whether the statement names the one who asks.
pub(super) fn named(asked: &[Asked<'_>], base: &Request) -> Mask {
    Mask::of(asked.len(), |place| {
        asked.get(place).is_some_and(|one| {
            let (named, _) = one.statement.names_principal(base);
            let doubt = if one.statement.doubt.is_some() {
                Truth::Maybe
            } else {
                Truth::Yes
            };
            one.passes(named.min(doubt))
        })
    })
}

/// Those of `asked` with this effect among `places`.
pub(super) fn with_effect(
    asked: &[Asked<'_>],
    effect: Effect,
    places: &std::ops::Range<usize>,
) -> Mask {
    Mask::of(asked.len(), |place| {
        places.contains(&place)
            && asked
                .get(place)
                .is_some_and(|one| one.statement.effect == effect)
    })
}
