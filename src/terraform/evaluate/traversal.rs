//! Steps into values: attributes, indexes, splats.

use crate::syntax::Unknown;
use crate::syntax::hcl::{Step, StepKind};
use crate::text::Span;

use super::Evaluator;
use crate::terraform::failure::fault;
use crate::terraform::policy_text::parts;
use crate::terraform::types::{to_number, to_text};
use crate::terraform::value::{Sequence, Value, ValueKind};
use crate::terraform::{Eval, Number};

impl Evaluator<'_> {
    /// Goes from `value` along `steps`.
    pub(in super::super) fn walk(&mut self, mut value: Value, mut steps: &[Step]) -> Eval<Value> {
        while let Some((step, rest)) = steps.split_first() {
            if let ValueKind::Unknown(unknown) = &mut value.kind {
                unknown.parts.clear();
                return Ok(value);
            }
            steps = rest;
            value = match &step.kind {
                StepKind::Splat => {
                    steps = &[];
                    self.splat(&value, rest, step.span)?
                }
                StepKind::AttributeSplat => {
                    let names = rest.iter().take_while(|step| is_attribute(step)).count();
                    let (each, behind) = rest.split_at_checked(names).unwrap_or((rest, &[]));
                    steps = behind;
                    self.splat(&value, each, step.span)?
                }
                StepKind::Attribute(name) => attribute(&value, name.as_str(), step.span)?,
                StepKind::OldIndex(digits) => {
                    let index = digits.parse();
                    let index = index.map_err(|_error| fault(step.span, "this index is too large"));
                    element(&value, index?, step.span)?
                }
                StepKind::Index(index) => {
                    let index = self.eval(index)?;
                    indexed(&value, &index, step.span)?
                }
            };
        }
        Ok(value)
    }

    /// `each` goes to every element. null is no element, any other single value is one.
    fn splat(&mut self, value: &Value, each: &[Step], at: Span) -> Eval<Value> {
        let items = match &value.kind {
            ValueKind::Null => Vec::new(),
            ValueKind::Sequence(_, items) => items.clone(),
            ValueKind::Bool(_)
            | ValueKind::Number(_)
            | ValueKind::Text(_)
            | ValueKind::Encoded(..)
            | ValueKind::Mapping(..)
            | ValueKind::Partial(_)
            | ValueKind::Unknown(_) => vec![value.clone()],
        };
        self.charge(items.len(), at)?;
        self.deeper(at)?;
        let results: Eval<Vec<Value>> = items
            .into_iter()
            .map(|item| self.walk(item, each))
            .collect();
        self.depth -= 1;
        Ok(Value {
            origin: value.origin.clone(),
            kind: ValueKind::Sequence(Sequence::Tuple, results?),
        })
    }
}

fn is_attribute(step: &Step) -> bool {
    matches!(step.kind, StepKind::Attribute(_) | StepKind::OldIndex(_))
}

fn attribute(value: &Value, name: &str, at: Span) -> Eval<Value> {
    if matches!(value.kind, ValueKind::Unknown(_)) {
        return Ok(value.clone());
    }
    if let Some(found) = value.get(name) {
        return Ok(found.clone());
    }
    let reason = match value.kind {
        ValueKind::Mapping(..) => format!("there is no attribute `{name}` in this value"),
        ValueKind::Null
        | ValueKind::Bool(_)
        | ValueKind::Number(_)
        | ValueKind::Text(_)
        | ValueKind::Encoded(..)
        | ValueKind::Sequence(..)
        | ValueKind::Partial(_)
        | ValueKind::Unknown(_) => format!("{} has no attribute `{name}`", value.kind_name()),
    };
    Err(fault(at, reason))
}

fn element(value: &Value, index: usize, at: Span) -> Eval<Value> {
    match &value.kind {
        ValueKind::Unknown(_) => Ok(value.clone()),
        ValueKind::Sequence(Sequence::List | Sequence::Tuple, items) => {
            items.get(index).cloned().ok_or_else(|| {
                let length = items.len();
                fault(
                    at,
                    format!("there is no element {index}; the list has {length}"),
                )
            })
        }
        ValueKind::Mapping(..) => attribute(value, &index.to_string(), at),
        ValueKind::Null
        | ValueKind::Bool(_)
        | ValueKind::Number(_)
        | ValueKind::Text(_)
        | ValueKind::Encoded(..)
        | ValueKind::Sequence(..)
        | ValueKind::Partial(_) => Err(fault(
            at,
            format!("{} has no elements by index", value.kind_name()),
        )),
    }
}

/// Holds what stands at some index or key of `value`: one of its elements, which is not known.
pub(in super::super) fn hold_any(unknown: &mut Unknown, value: &Value) {
    let by = unknown.missing.join("`, `");
    let named: Vec<(String, &Value)> = match &value.kind {
        ValueKind::Mapping(_, entries) => {
            let entries = entries.iter();
            entries
                .map(|(key, item)| (key.as_str().to_owned(), item))
                .collect()
        }
        ValueKind::Sequence(_, items) => {
            let items = items.iter().enumerate();
            items.map(|(at, item)| (at.to_string(), item)).collect()
        }
        ValueKind::Null
        | ValueKind::Bool(_)
        | ValueKind::Number(_)
        | ValueKind::Text(_)
        | ValueKind::Encoded(..)
        | ValueKind::Partial(_)
        | ValueKind::Unknown(_) => Vec::new(),
    };
    for (name, item) in named {
        let when = format!("where `{by}` chooses `{name}`");
        let parts = parts(item).into_iter();
        unknown.hold(parts.map(|part| part.possible(Some(&when))).collect());
    }
}

/// `value[index]`.
pub(in super::super) fn indexed(value: &Value, index: &Value, at: Span) -> Eval<Value> {
    if let Some(mut unknown) = index.hole() {
        hold_any(&mut unknown, value);
        return Ok(Value::new(ValueKind::Unknown(unknown), at));
    }
    if index.is_null() {
        return Err(fault(at, "null is no index"));
    }
    match &value.kind {
        ValueKind::Unknown(unknown) => Ok(Value {
            origin: value.origin.clone(),
            kind: ValueKind::Unknown(unknown.bare()),
        }),
        ValueKind::Mapping(..) => match to_text(index)?.as_text() {
            Some(key) => attribute(value, key.as_str(), at),
            None => Err(fault(at, "this is no key")),
        },
        ValueKind::Null
        | ValueKind::Bool(_)
        | ValueKind::Number(_)
        | ValueKind::Text(_)
        | ValueKind::Encoded(..)
        | ValueKind::Sequence(..)
        | ValueKind::Partial(_) => match to_number(index)?.and_then(Number::as_index) {
            Some(index) => element(value, index, at),
            None => Err(fault(at, "an index is a whole number from 0")),
        },
    }
}
