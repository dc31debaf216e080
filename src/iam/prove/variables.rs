//! What the keys may have that variables stand for: none, one value that no policy names, those that the conditions on the
//! key tell apart, and pieces of what the policies write where a variable could stand.
//!
//! These are not all that could matter, since a variable meets every other text of its element; so whatever is not refuted
//! with them is told as open.

use std::collections::BTreeSet;

use crate::iam::catalog::{self, KeyType};

use super::super::condition::ConditionTest;
use super::super::statement::StatementTest;
use super::super::{ContextValue, Request};
use super::dimension::Scope;
use super::mask::Mask;
use super::realm::Presence;
use super::words::Wish;

/// How many values of one key are tried, and how many sets of values of all keys together.
const VALUES: usize = 24;
const SETS: usize = 64;

/// The keys that variables of the statements in `alive` stand for.
pub(super) fn keys(scope: &Scope<'_>, alive: &Mask) -> BTreeSet<String> {
    let statements = scope.living(alive);
    let names = statements.flat_map(|(_, statement)| statement.variables());
    names.map(str::to_owned).collect()
}

/// Requests with values of all of `keys`, the plainest first.
pub(super) fn bases(
    scope: &Scope<'_>,
    alive: &Mask,
    action: &str,
    keys: &BTreeSet<String>,
) -> Vec<Request> {
    let mut bases = vec![(0, scope.base.clone())];
    for key in keys {
        let values = values(scope, alive, action, key);
        let mut longer = Vec::new();
        for (place, value) in values.into_iter().enumerate() {
            for (rank, base) in &bases {
                let mut base = base.clone();
                if let Some(value) = &value {
                    base.set(key, value.clone());
                }
                longer.push((rank + place, base));
            }
        }
        longer.sort_by_key(|(rank, _)| *rank);
        longer.truncate(SETS);
        bases = longer;
    }
    bases.into_iter().map(|(_, base)| base).collect()
}

fn values(scope: &Scope<'_>, alive: &Mask, action: &str, key: &str) -> Vec<Option<ContextValue>> {
    let presence = scope.presence(action, key);
    if presence == Presence::Never {
        return vec![None];
    }
    let statements: Vec<&StatementTest> = scope
        .living(alive)
        .map(|(_, statement)| statement)
        .collect();
    let conditions = || statements.iter().flat_map(|one| one.conditions.iter());
    let tests: Vec<(&ConditionTest, Wish)> = conditions()
        .filter(|test| *test.folded_key == *key)
        .map(|test| (test, Wish::Any))
        .collect();
    let single = |text: String| Some(ContextValue::Single(text));
    let mut found = vec![single(someone(key, &statements))];
    if presence != Presence::Always {
        found.push(None);
    }
    if !tests.is_empty() {
        found.extend(scope.values(&tests, action, key).0);
    }
    let resources = statements.iter().filter_map(|one| one.resources.as_ref());
    let resources = resources.flat_map(|one| one.written.iter());
    let written = conditions().flat_map(|test| test.written.iter());
    let texts: BTreeSet<&str> = resources.chain(written).map(|text| &**text).collect();
    found.extend(texts.into_iter().flat_map(pieces).map(single));
    let mut distinct: Vec<Option<ContextValue>> = Vec::new();
    for value in found {
        if distinct.len() < VALUES && !distinct.contains(&value) {
            distinct.push(value);
        }
    }
    distinct
}

/// What of a text a variable could stand for: the parts between wildcards and slashes, behind the head of an ARN.
fn pieces(text: &str) -> Vec<String> {
    if text.contains("${") {
        return Vec::new();
    }
    let own = if text.starts_with("arn:") {
        text.splitn(6, ':').nth(5).unwrap_or_default()
    } else {
        text
    };
    let parts = own.split(['*', '?', '/']).filter(|part| !part.is_empty());
    parts.map(str::to_owned).collect()
}

/// A likely value that no policy names.
fn someone(key: &str, statements: &[&StatementTest]) -> String {
    let name = key.rsplit([':', '/']).next().unwrap_or_default();
    let mut value = match catalog::key(key).map(|known| known.kind) {
        Some(KeyType::Bool) => return "true".to_owned(),
        Some(KeyType::Numeric) => return "7".to_owned(),
        Some(KeyType::Date) => return "2026-01-01T00:00:00Z".to_owned(),
        Some(KeyType::Ip) => return "198.51.100.77".to_owned(),
        Some(KeyType::Arn) => "arn:aws:iam::123456789012:role/someone".to_owned(),
        Some(KeyType::Text | KeyType::Binary) | None if key == "aws:username" => {
            "someone".to_owned()
        }
        Some(KeyType::Text | KeyType::Binary) | None => format!("some-{name}"),
    };
    let named = |value: &str| {
        statements.iter().any(|statement| {
            let resources = statement
                .resources
                .iter()
                .flat_map(|one| one.written.iter());
            let written = statement
                .conditions
                .iter()
                .flat_map(|one| one.written.iter());
            resources.chain(written).any(|text| text.contains(value))
        })
    };
    while named(&value) {
        value.push_str("-else");
    }
    value
}
