//! Values of a key that comes with several: one list of each kind.
//!
//! Of a list, a test with a set operator sees only whether some value passes (`ForAnyValue`) or whether all do
//! (`ForAllValues`). Both are known for a longer list from the shorter one and the value that is added, so lists are grown
//! one value at a time, and of those that no test tells apart only the first, which is a shortest, is grown further.

use std::collections::BTreeSet;

use crate::model::policy::Quantifier;

use super::super::Request;
use super::super::condition::ConditionTest;

/// What the tests see of a list; and whether one value is not empty, without which the key would count as absent.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Seen {
    /// Of each test, whether some value passes, or whether all do.
    holds: Vec<bool>,
    full: bool,
}

/// One list of each kind that `tests` can tell apart, made of `values`; `None`: more than `most`.
pub(super) fn kinds(
    tests: &[&ConditionTest],
    values: Vec<String>,
    base: &Request,
    most: usize,
) -> Option<Vec<Vec<String>>> {
    let quantified = || {
        tests
            .iter()
            .filter(|test| test.operator.quantifier.is_some())
    };
    let passing =
        |value: &str| -> Vec<bool> { quantified().map(|test| test.passes(value, base)).collect() };
    let mut met = BTreeSet::new();
    let single: Vec<(String, Vec<bool>)> = values
        .into_iter()
        .map(|value| (passing(&value), value))
        .filter(|(passes, value)| met.insert((passes.clone(), value.is_empty())))
        .map(|(passes, value)| (value, passes))
        .collect();
    let mut lists: Vec<(Vec<String>, Seen)> = Vec::new();
    let mut met = BTreeSet::new();
    for (value, passes) in &single {
        let seen = Seen {
            holds: passes.clone(),
            full: !value.is_empty(),
        };
        if met.insert(seen.clone()) {
            lists.push((vec![value.clone()], seen));
        }
    }
    let mut at = 0;
    while let Some((list, seen)) = lists.get(at).cloned() {
        for (value, passes) in &single {
            let tests = quantified().map(|test| test.operator.quantifier);
            let pairs = seen.holds.iter().zip(passes).zip(tests);
            let longer = Seen {
                holds: pairs
                    .map(|((list, value), quantifier)| match quantifier {
                        Some(Quantifier::ForAllValues) => *list && *value,
                        Some(Quantifier::ForAnyValue) | None => *list || *value,
                    })
                    .collect(),
                full: seen.full || !value.is_empty(),
            };
            if met.insert(longer.clone()) {
                let values = list.iter().cloned().chain([value.clone()]).collect();
                lists.push((values, longer));
            }
        }
        if lists.len() > most {
            return None;
        }
        at += 1;
    }
    let full = lists.into_iter().filter(|(_, seen)| seen.full);
    Some(full.map(|(list, _)| list).collect())
}
