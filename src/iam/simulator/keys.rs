//! The context keys that policies ask for, in the order of their text: what `GetContextKeysForCustomPolicy` answers.

use std::collections::BTreeSet;

use crate::model::policy::{PolicyDocument, PolicyVersion};

use super::super::pattern::{Pattern, Syntax};

/// A key that a policy asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct AskedKey {
    /// As the policy writes it.
    pub(super) key: String,
    /// Whether a default stands beside it, so that it may be missing.
    pub(super) has_default: bool,
}

/// The keys of conditions and variables, in order, each place of its own.
pub(super) fn asked_keys(document: &PolicyDocument) -> Vec<AskedKey> {
    let mut found: Vec<(u32, usize, AskedKey)> = Vec::new();
    for condition in document.conditions() {
        let key = AskedKey {
            key: condition.key.as_str().to_owned(),
            has_default: false,
        };
        found.push((condition.key.span().start, 0, key));
    }
    let syntax = Syntax {
        wildcards: true,
        variables: document.grammar() == PolicyVersion::V2012,
    };
    for value in document.values_with_variables() {
        let pattern = Pattern::new(value.text.as_str(), syntax);
        // What has no colon is no key: a template language has left it there.
        let variables = pattern.variables().filter(|one| one.key.contains(':'));
        for (order, variable) in variables.enumerate() {
            let key = AskedKey {
                key: variable.key.to_string(),
                has_default: variable.default.is_some(),
            };
            found.push((value.text.span().start, order, key));
        }
    }
    found.sort_by_key(|(offset, order, _)| (*offset, *order));
    found.into_iter().map(|(_, _, key)| key).collect()
}

/// Each key once, in the order of the documents; letter case does not count.
pub(super) fn once<'a>(keys: impl Iterator<Item = &'a AskedKey>) -> Vec<String> {
    let mut seen = BTreeSet::new();
    keys.filter(|key| seen.insert(key.key.to_ascii_lowercase()))
        .map(|key| key.key.clone())
        .collect()
}
