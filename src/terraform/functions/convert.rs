//! Conversions and encodings.

use std::collections::BTreeMap;

use super::{Arguments, Signature, sees, takes};
use crate::syntax::{Kind, Node, json};
use crate::terraform::failure::fault;
use crate::terraform::types::{Type, convert};
use crate::terraform::value::{Layout, Mapping, Sequence, Value, ValueKind, composed};
use crate::terraform::{Eval, Number};

pub(super) fn signature(name: &str) -> Option<Signature> {
    Some(match name {
        "jsonencode" => sees(1, 1, jsonencode),
        "jsondecode" => sees(1, 1, jsondecode),
        "tostring" => sees(1, 1, |given| given.converted(&Type::Text)),
        "tonumber" => takes(1, 1, |given| given.converted(&Type::Number)),
        "tobool" => takes(1, 1, |given| given.converted(&Type::Bool)),
        "tolist" => sees(1, 1, |given| {
            given.converted(&Type::List(Box::new(Type::Any)))
        }),
        "toset" => sees(1, 1, |given| {
            given.converted(&Type::Set(Box::new(Type::Any)))
        }),
        "tomap" => sees(1, 1, |given| {
            given.converted(&Type::Map(Box::new(Type::Any)))
        }),
        "sensitive" | "nonsensitive" | "ephemeralasnull" => {
            sees(1, 1, |given| Ok(given.get(0)?.clone()))
        }
        _ => return None,
    })
}

impl Arguments {
    fn converted(&self, wanted: &Type) -> Eval<Value> {
        convert(self.get(0)?, wanted)
    }
}

/// Keeps the value, so that what was encoded keeps its places and its known parts.
fn jsonencode(given: &Arguments) -> Eval<Value> {
    let value = given.get(0)?.clone();
    Ok(given.result(ValueKind::Encoded(Box::new(value), Layout::Sorted)))
}

fn jsondecode(given: &Arguments) -> Eval<Value> {
    let value = given.get(0)?;
    if let ValueKind::Encoded(inner, _) = &value.kind {
        return Ok(decoded(inner));
    }
    if let Some(unknown) = value.hole() {
        return Ok(given.result(ValueKind::Unknown(unknown)));
    }
    let Some(text) = value.as_text() else {
        return Err(fault(value.span(), "`jsondecode` takes a string"));
    };
    let parts = text.as_str().matches([',', '[', '{']).count();
    given.afford(parts, text.as_str().len())?;
    let parsed = json::read(&text);
    match (parsed.documents.first(), parsed.faults.into_iter().next()) {
        (Some(node), None) => Ok(from_node(node)),
        (_, Some(found)) => Err(Box::new(found.into())),
        (None, None) => Err(fault(value.span(), "there is no JSON in this string")),
    }
}

/// What decoding gives back: lists and sets are tuples then, maps are objects.
fn decoded(value: &Value) -> Value {
    let kind = match &value.kind {
        ValueKind::Sequence(_, items) => {
            ValueKind::Sequence(Sequence::Tuple, items.iter().map(decoded).collect())
        }
        ValueKind::Mapping(_, entries) => ValueKind::Mapping(
            Mapping::Object,
            entries
                .iter()
                .map(|(key, value)| (key.clone(), decoded(value)))
                .collect(),
        ),
        other @ (ValueKind::Null
        | ValueKind::Bool(_)
        | ValueKind::Number(_)
        | ValueKind::Text(_)
        | ValueKind::Encoded(..)
        | ValueKind::Partial(_)
        | ValueKind::Unknown(_)) => other.clone(),
    };
    Value {
        origin: value.origin.clone(),
        kind,
    }
}

/// A JSON tree as a value; of repeated keys the last counts.
pub(in super::super) fn from_node(node: &Node) -> Value {
    let kind = match &node.kind {
        Kind::Null => ValueKind::Null,
        Kind::Bool(flag) => ValueKind::Bool(*flag),
        Kind::Number(written) => match Number::parse(written) {
            Some(number) => ValueKind::Number(number),
            None => {
                let why = format!("the number `{written}` is not held exactly");
                return Value::unknown(why, Vec::new(), node.span());
            }
        },
        Kind::Text(text) => ValueKind::Text(composed(text.clone())),
        Kind::List(items) => {
            ValueKind::Sequence(Sequence::Tuple, items.iter().map(from_node).collect())
        }
        Kind::Map(entries) => {
            let indexed = entries.iter().enumerate();
            let last: BTreeMap<&str, usize> = indexed
                .map(|(at, entry)| (entry.key.as_str(), at))
                .collect();
            let kept = entries
                .iter()
                .enumerate()
                .filter(|(at, entry)| last.get(entry.key.as_str()) == Some(at));
            let entries = kept.map(|(_, entry)| (entry.key.clone(), from_node(&entry.value)));
            ValueKind::Mapping(Mapping::Object, entries.collect())
        }
        Kind::Unknown(unknown) => ValueKind::Unknown((**unknown).clone()),
    };
    Value {
        origin: node.origin.clone(),
        kind,
    }
}
