//! Documents merged by the provider's rules: a statement takes the place of one with its Sid, all others are added.

use std::collections::BTreeSet;

use crate::syntax::Node;
use crate::syntax::hcl::Block;
use crate::text::Text;

use super::key;
use crate::terraform::Eval;
use crate::terraform::failure::provider;
use crate::terraform::functions::from_node;
use crate::terraform::value::{Mapping, Sequence, Value, ValueKind, sorted};

/// A document in the making.
#[derive(Debug, Default)]
pub(super) struct Merged {
    pub(super) version: Option<Value>,
    pub(super) id: Option<Value>,
    pub(super) statements: Vec<Value>,
}

impl Merged {
    /// A document out of its JSON text, as the provider reads it.
    pub(super) fn read(root: &Node) -> Self {
        let root = from_node(root);
        let statements = match root.get("Statement").map(|value| &value.kind) {
            Some(ValueKind::Sequence(_, items)) => items.clone(),
            _ => root.get("Statement").cloned().into_iter().collect(),
        };
        let whole_is_open = matches!(root.kind, ValueKind::Unknown(_));
        Self {
            version: root.get("Version").cloned(),
            id: root.get("Id").filter(|id| super::is_said(id)).cloned(),
            statements: if whole_is_open {
                vec![root]
            } else {
                statements.into_iter().map(as_read).collect()
            },
        }
    }

    /// Takes in what `newer` says.
    pub(super) fn take(&mut self, newer: Self) {
        if newer.id.is_some() {
            self.id = newer.id;
        }
        let written = |version: &Option<Value>| version.as_ref().and_then(Value::as_text);
        let is_later = match (written(&newer.version), written(&self.version)) {
            (Some(newer), Some(older)) => newer.as_str() > older.as_str(),
            (Some(_), None) => true,
            (None, _) => newer.version.is_some(),
        };
        if is_later {
            self.version = newer.version;
        }
        for statement in newer.statements {
            let sid = sid(&statement);
            let same = |other: &&mut Value| sid.is_some() && self::sid(other) == sid;
            match self.statements.iter_mut().find(same) {
                Some(place) => *place = statement,
                None => self.statements.push(statement),
            }
        }
    }

    /// An error where a statement of `other` has a Sid that was there before.
    pub(super) fn no_sid_of(&self, other: &Self) -> Eval<()> {
        let both = self.statements.iter().chain(&other.statements);
        unique(both, "the source documents")
    }

    /// An error where two of its statements have one Sid.
    pub(super) fn without_repeated_sid(&self) -> Eval<()> {
        unique(self.statements.iter(), "this document")
    }

    /// The policy; its keys stand at the head of the block.
    pub(super) fn finish(self, block: &Block) -> Value {
        let mut entries = Vec::new();
        entries.extend(
            self.version
                .map(|value| (key("Version", block.head), value)),
        );
        entries.extend(self.id.map(|value| (key("Id", block.head), value)));
        if !self.statements.is_empty() {
            let kind = ValueKind::Sequence(Sequence::Tuple, self.statements);
            let statements = Value::new(kind, block.span);
            entries.push((key("Statement", block.head), statements));
        }
        let kind = ValueKind::Mapping(Mapping::Object, entries);
        Value::new(kind, block.span)
    }
}

fn unique<'a>(statements: impl Iterator<Item = &'a Value>, place: &str) -> Eval<()> {
    let mut seen = BTreeSet::new();
    for text in statements.filter_map(sid) {
        if !seen.insert(text.as_str().to_owned()) {
            let reason = format!("the Sid `{}` stands in {place} twice", text.as_str());
            return Err(provider(text.span(), reason));
        }
    }
    Ok(())
}

/// The Sid of a statement, if it has one.
fn sid(statement: &Value) -> Option<Text> {
    let text = statement.get("Sid")?.as_text()?;
    (!text.as_str().is_empty()).then_some(text)
}

/// A statement of another document as the provider writes it again: no empty Sid, principals sorted, one condition value
/// alone, truth values as strings.
fn as_read(statement: Value) -> Value {
    let ValueKind::Mapping(kind, entries) = statement.kind else {
        return statement;
    };
    let entries = entries.into_iter().filter_map(|(name, value)| {
        let value = match name.as_str() {
            "Sid" if !super::is_said(&value) => return None,
            "Principal" | "NotPrincipal" => each_entry(value, &principals),
            "Condition" => each_entry(value, &|block| each_entry(block, &condition_values)),
            _ => value,
        };
        Some((name, value))
    });
    Value {
        origin: statement.origin,
        kind: ValueKind::Mapping(kind, entries.collect()),
    }
}

/// Changes every value of a mapping, and sorts its keys.
fn each_entry(value: Value, change: &dyn Fn(Value) -> Value) -> Value {
    let ValueKind::Mapping(kind, entries) = &value.kind else {
        return value;
    };
    let entries = sorted(entries).into_iter();
    let entries = entries.map(|(name, value)| (name.clone(), change(value.clone())));
    Value {
        kind: ValueKind::Mapping(*kind, entries.collect()),
        origin: value.origin,
    }
}

fn principals(value: Value) -> Value {
    let ValueKind::Sequence(kind, mut items) = value.kind else {
        return value;
    };
    items.sort_by_cached_key(|item| std::cmp::Reverse(super::statement::written(item)));
    Value {
        origin: value.origin,
        kind: ValueKind::Sequence(kind, items),
    }
}

fn condition_values(value: Value) -> Value {
    if let ValueKind::Bool(flag) = value.kind {
        return Value::text(key(if flag { "true" } else { "false" }, value.span()));
    }
    if let ValueKind::Sequence(_, items) = &value.kind
        && let [only] = items.as_slice()
    {
        return only.clone();
    }
    value
}
