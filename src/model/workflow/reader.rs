//! What is expected where, and what is told when it is not there: the part that all readers of workflows share. A value that
//! has not the right shape becomes [`Malformed`]; one that is not known becomes nothing and is told elsewhere.

use crate::syntax::{Comment, Entry, Kind, Node, yaml};
use crate::text::{Text, nearest};

use super::{Malformed, Variable};

pub(super) struct Reader<'a> {
    pub(super) source: &'a str,
    pub(super) comments: &'a [Comment],
    pub(super) malformed: Vec<Malformed>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(source: &'a str, comments: &'a [Comment]) -> Self {
        Self {
            source,
            comments,
            malformed: Vec::new(),
        }
    }
}

impl Reader<'_> {
    pub(super) fn variables(&mut self, value: &Node, what: &str) -> Vec<Variable> {
        // An expression may stand for the whole map.
        if value.as_str().is_some_and(|text| text.contains("${{")) {
            return Vec::new();
        }
        let mut found = Vec::new();
        for entry in self.map(value, what) {
            if entry.key.as_str() == "<<" {
                self.near_miss(&entry.key, &[]);
                continue;
            }
            let value = if is_null(&entry.value) {
                None
            } else {
                self.string(&entry.value, &format!("`{}`", entry.key.as_str()))
            };
            found.push(Variable {
                name: entry.key.clone(),
                value,
            });
        }
        found
    }

    pub(super) fn strings(&mut self, value: &Node, what: &str) -> Vec<Text> {
        match value.as_list() {
            Some(items) => items
                .iter()
                .filter_map(|item| self.string(item, what))
                .collect(),
            None => self.string(value, what).into_iter().collect(),
        }
    }

    /// A string, or a number or boolean as it is written.
    pub(super) fn string(&mut self, value: &Node, what: &str) -> Option<Text> {
        let text = yaml::as_written(value);
        if text.is_none() && value.as_unknown().is_none() {
            let found = if is_null(value) {
                "empty"
            } else {
                value.kind_name()
            };
            self.wrong(value, format!("{what} is {found}, but must be a string"));
        }
        text
    }

    pub(super) fn map<'n>(&mut self, value: &'n Node, what: &str) -> &'n [Entry] {
        if let Some(entries) = value.as_map() {
            return entries;
        }
        if value.as_unknown().is_none() {
            let found = if is_null(value) {
                "empty"
            } else {
                value.kind_name()
            };
            self.wrong(value, format!("{what} is {found}, but must be a map"));
        }
        &[]
    }

    /// A key that is nearly a known one: GitHub refuses it, and a reader takes it for the other.
    pub(super) fn near_miss(&mut self, key: &Text, known: &[&str]) {
        let written = key.as_str();
        if written == "<<" {
            self.malformed.push(Malformed {
                at: key.span(),
                reason: "`<<` merges nothing here: GitHub knows aliases, but no merge keys"
                    .to_owned(),
            });
        }
        if !known.contains(&written)
            && let Some(known) = nearest(written, known.iter().copied())
        {
            self.malformed.push(Malformed {
                at: key.span(),
                reason: format!("`{written}` is no key that GitHub knows; it is written `{known}`"),
            });
        }
    }

    pub(super) fn wrong(&mut self, value: &Node, reason: impl Into<String>) {
        self.malformed.push(Malformed {
            at: value.span(),
            reason: reason.into(),
        });
    }
}

pub(super) fn is_null(node: &Node) -> bool {
    matches!(node.kind, Kind::Null)
}
