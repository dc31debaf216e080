//! Merge keys (`<<`, <https://yaml.org/type/merge.html>), for the readers that know them.

use crate::text::Text;

use super::super::{Entry, Kind, Node};

/// The tree with every `<<` entry replaced by the entries of the maps it names; an own entry comes before a merged one.
/// A `<<` whose value is no map stays as it stands. GitHub does not know merge keys, Kubernetes does.
#[must_use]
pub fn merged(node: Node) -> Node {
    let kind = match node.kind {
        Kind::List(items) => Kind::List(items.into_iter().map(merged).collect()),
        Kind::Map(entries) => Kind::Map(merged_entries(entries)),
        other @ (Kind::Null
        | Kind::Bool(_)
        | Kind::Number(_)
        | Kind::Text(_)
        | Kind::Unknown(_)) => other,
    };
    Node {
        origin: node.origin,
        kind,
    }
}

fn merged_entries(entries: Vec<Entry>) -> Vec<Entry> {
    let mut own = Vec::new();
    let mut brought = Vec::new();
    for entry in entries {
        let value = merged(entry.value);
        if is_merge_key(&entry.key) {
            match maps(value) {
                Ok(entries) => brought.extend(entries),
                Err(value) => own.push(Entry {
                    key: entry.key,
                    value,
                }),
            }
        } else {
            own.push(Entry {
                key: entry.key,
                value,
            });
        }
    }
    let mut taken: std::collections::BTreeSet<String> = own
        .iter()
        .map(|entry| entry.key.as_str().to_owned())
        .collect();
    for entry in brought {
        if taken.insert(entry.key.as_str().to_owned()) {
            own.push(entry);
        }
    }
    own
}

/// Written plainly; `"<<"` in quotes is a key like any other.
fn is_merge_key(key: &Text) -> bool {
    key.as_str() == "<<" && key.span().len() == 2
}

fn maps(value: Node) -> Result<Vec<Entry>, Node> {
    let is_mergeable = match value.as_list() {
        Some(items) => items.iter().all(|item| item.as_map().is_some()),
        None => value.as_map().is_some(),
    };
    if is_mergeable {
        Ok(entries_of(value.kind))
    } else {
        Err(value)
    }
}

fn entries_of(kind: Kind) -> Vec<Entry> {
    match kind {
        Kind::Map(entries) => entries,
        Kind::List(items) => items
            .into_iter()
            .flat_map(|item| entries_of(item.kind))
            .collect(),
        Kind::Null | Kind::Bool(_) | Kind::Number(_) | Kind::Text(_) | Kind::Unknown(_) => {
            Vec::new()
        }
    }
}
