//! Whether an answer is ruled out whatever variables stand for.
//!
//! Each text with a variable is taken to match or not, as it likes, within what its other characters allow, and each condition
//! with one to hold or not; the same text or condition alike wherever it stands. So more sets of statements are met than
//! real requests meet, and where none of them is an answer, no request is.

use std::collections::BTreeSet;

use crate::model::policy::Family;

use super::super::condition::ConditionTest;
use super::super::pattern::Pattern;
use super::super::statement::Truth;
use super::dimension::{Choice, Dimension, Scope};
use super::mask::Mask;
use super::search::Search;

/// How many texts, and how many conditions, with variables are looked at in every combination.
const MOST: usize = 7;

/// Whether no request for `action` is an answer, with pins of keys set aside.
pub(super) fn is_ruled_out(search: &Search<'_>, action: &str, alive: &Mask) -> bool {
    let pinned = BTreeSet::new();
    let search = Search {
        sides: search.sides,
        scope: Scope {
            free: true,
            pinned: &pinned,
            ..search.scope
        },
    };
    let whole =
        |dimension: Dimension<Option<_>>| dimension.open.is_none().then_some(dimension.choices);
    let scope = &search.scope;
    let start = vec![(alive.clone(), Vec::new())];
    let Some(resources) = resources(scope, alive, action) else {
        return false;
    };
    let Some(conditions) = conditions(scope, alive) else {
        return false;
    };
    let mut paths = search.products(start, &resources);
    paths = paths.and_then(|paths| search.products(paths, &conditions));
    for (key, _) in scope.keys(alive) {
        if paths.as_ref().is_none_or(Vec::is_empty) {
            break;
        }
        let Some(choices) = whole(scope.contexts(alive, action, &key)) else {
            return false;
        };
        paths = paths.and_then(|paths| search.products(paths, &choices));
    }
    paths.is_some_and(|paths| !paths.iter().any(|(alive, _)| scope.goal.is_met(alive)))
}

/// Every resource with every choice of the texts with variables that match it; `None`: too many, or some are missing.
fn resources(
    scope: &Scope<'_>,
    alive: &Mask,
    action: &str,
) -> Option<Vec<Choice<(String, usize)>>> {
    let mut texts: Vec<&Pattern> = Vec::new();
    let elements = scope
        .living(alive)
        .filter_map(|(_, one)| one.resources.as_ref());
    for pattern in elements.flat_map(|element| element.patterns.iter()) {
        if pattern.has_variables() && !texts.contains(&pattern) {
            texts.push(pattern);
        }
    }
    let found = scope.resource_texts(alive, action);
    if texts.len() > MOST || found.tangled {
        return None;
    }
    let hulls: Vec<Pattern> = texts.iter().map(|text| text.hull()).collect();
    let implied: Vec<(usize, usize)> = pairs(&texts, |one, other| one.implies(other));
    let sets = 0..1_usize << texts.len();
    let sets = sets.filter(move |set| keeps(*set, &implied));
    let values = found
        .found
        .into_iter()
        .flat_map(|text| sets.clone().map(move |set| (text.clone(), set)));
    Some(scope.distinct(alive, values, |(resource, set), one| {
        let matches = |pattern: &Pattern| {
            let place = texts.iter().position(|text| *text == pattern);
            place.map_or_else(
                || pattern.matches(resource, scope.base),
                |place| {
                    let hull = hulls.get(place);
                    set >> place & 1 == 1
                        && hull.is_some_and(|hull| hull.matches(resource, scope.base))
                },
            )
        };
        let element = one.statement.resources.as_ref();
        one.passes(element.map_or(Truth::Yes, |element| element.truth_by(matches)))
    }))
}

/// Every choice of the conditions with variables; `None`: too many, or one is in doubt.
fn conditions(scope: &Scope<'_>, alive: &Mask) -> Option<Vec<Choice<usize>>> {
    let has_variables = |test: &&ConditionTest| test.patterns().any(Pattern::has_variables);
    let mut tests: Vec<&ConditionTest> = Vec::new();
    let all = scope
        .living(alive)
        .flat_map(|(_, one)| one.conditions.iter());
    for test in all.filter(has_variables) {
        if test.doubt.is_some() {
            return None;
        }
        if !tests.iter().any(|known| is_same(known, test)) {
            tests.push(test);
        }
    }
    let implied: Vec<(usize, usize)> = pairs(&tests, implies);
    let sets = (tests.len() <= MOST).then(|| 0..1_usize << tests.len())?;
    let sets = sets.filter(|set| keeps(*set, &implied));
    Some(scope.distinct(alive, sets, |set, one| {
        let mut own = one.statement.conditions.iter().filter(has_variables);
        own.all(|test| {
            let place = tests.iter().position(|known| is_same(known, test));
            place.is_some_and(|place| one.passes(Truth::from(set >> place & 1 == 1)))
        })
    }))
}

/// Where one of `all` holds only if another does, by their places.
fn pairs<T: Copy>(all: &[T], implies: impl Fn(T, T) -> bool) -> Vec<(usize, usize)> {
    let places = all.iter().copied().enumerate();
    let mut found = Vec::new();
    for (one, first) in places.clone() {
        for (other, second) in places.clone() {
            if one != other && implies(first, second) {
                found.push((one, other));
            }
        }
    }
    found
}

/// Whether with the first of each pair in `set` the second is too.
fn keeps(set: usize, implied: &[(usize, usize)]) -> bool {
    let has = |place: usize| set >> place & 1 == 1;
    implied.iter().all(|(one, other)| !has(*one) || has(*other))
}

/// Whether a request that passes `one` passes `other`: the same key under the same operator, and each text of the one that
/// must match implies one of the other, or of those that must not the other way round.
fn implies(one: &ConditionTest, other: &ConditionTest) -> bool {
    let is_text = one.operator.base.family() == Family::String;
    if !is_text || one.folded_key != other.folded_key || one.operator != other.operator {
        return false;
    }
    let (from, to) = if one.operator.base.is_negated() {
        (other, one)
    } else {
        (one, other)
    };
    let texts = from.patterns();
    let mut texts = texts.into_iter();
    texts.all(|text| {
        to.patterns()
            .any(|other| text == other || text.implies(other))
    })
}

/// Whether two conditions ask the same of every request.
fn is_same(one: &ConditionTest, other: &ConditionTest) -> bool {
    one.folded_key == other.folded_key
        && one.operator == other.operator
        && one.written == other.written
        && one.patterns().eq(other.patterns())
}
