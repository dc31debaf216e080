//! `for` expressions, and the variables they bring.

use std::collections::BTreeMap;

use crate::syntax::Unknown;
use crate::syntax::hcl::{Expression, For};
use crate::text::{Origin, Span, Text, TextBuilder, quoted};

use super::Evaluator;
use crate::terraform::failure::fault;
use crate::terraform::policy_text::parts;
use crate::terraform::types::{to_bool, to_text};
use crate::terraform::value::{Mapping, Sequence, Value, ValueKind, sorted};
use crate::terraform::{Eval, Number};

/// Keys and values in the order in which Terraform goes through them: maps and objects by their keys.
pub(in super::super) fn turns(collection: &Value, at: Span) -> Eval<Vec<(Value, Value)>> {
    match &collection.kind {
        ValueKind::Sequence(kind, items) => Ok(items
            .iter()
            .enumerate()
            .map(|(index, item)| {
                let key = if *kind == Sequence::Set {
                    item.clone()
                } else {
                    let kind = ValueKind::Number(Number::from_length(index));
                    Value::new(kind, item.span())
                };
                (key, item.clone())
            })
            .collect()),
        ValueKind::Mapping(_, entries) => Ok(sorted(entries)
            .into_iter()
            .map(|(key, value)| (Value::text(key.clone()), value.clone()))
            .collect()),
        ValueKind::Null => Err(fault(at, "null cannot be gone through")),
        ValueKind::Bool(_)
        | ValueKind::Number(_)
        | ValueKind::Text(_)
        | ValueKind::Encoded(..)
        | ValueKind::Partial(_)
        | ValueKind::Unknown(_) => {
            let reason = format!("{} cannot be gone through", collection.kind_name());
            Err(fault(at, reason))
        }
    }
}

/// The results of a `{for …}` so far.
#[derive(Default)]
struct Gathered {
    entries: Vec<(Text, Vec<Value>)>,
    places: BTreeMap<String, usize>,
}

impl Evaluator<'_> {
    /// Brings the names of one turn into scope; gives back how many names were there.
    pub(super) fn enter(
        &mut self,
        key_name: Option<&Text>,
        value_name: &Text,
        key: Value,
        value: Value,
    ) -> usize {
        let before = self.scope.len();
        if let Some(name) = key_name {
            self.scope.push((name.as_str().to_owned(), key));
        }
        self.scope.push((value_name.as_str().to_owned(), value));
        before
    }

    pub(super) fn leave(&mut self, before: usize) {
        self.scope.truncate(before);
    }

    pub(super) fn for_expression(&mut self, inner: &For, span: Span) -> Eval<Value> {
        let collection = self.eval(&inner.collection)?;
        if let Some(mut unknown) = collection.hole() {
            if inner.key.is_none() {
                self.some_turn(inner, &mut unknown);
            }
            return Ok(Value::new(ValueKind::Unknown(unknown), span));
        }
        self.charge_for(&collection)?;
        let turns = turns(&collection, inner.collection.span)?;
        match &inner.key {
            None => self.for_list(inner, turns, span),
            Some(key) => self.for_map(inner, key, turns, span),
        }
    }

    /// What a turn gives, if there is one: what it goes through is not known.
    fn some_turn(&mut self, inner: &For, unknown: &mut Unknown) {
        let open = || Value::new(ValueKind::Unknown(unknown.bare()), inner.collection.span);
        let (key, value) = (open(), open());
        let before = self.enter(inner.key_name.as_ref(), &inner.value_name, key, value);
        let turn = self.eval(&inner.value);
        self.leave(before);
        if let Ok(value) = turn {
            // A list in a list is an element, not its elements.
            let is_list = matches!(value.kind, ValueKind::Sequence(..));
            let parts = if is_list { Vec::new() } else { parts(&value) };
            let parts = parts.into_iter().map(|part| part.possible(None));
            unknown.hold(parts.collect());
        }
    }

    /// Whether the turn is taken; `Err` inside when that is not known.
    fn taken(&mut self, inner: &For) -> Eval<Result<bool, Unknown>> {
        let Some(condition) = &inner.condition else {
            return Ok(Ok(true));
        };
        let value = self.eval(condition)?;
        match value.hole() {
            Some(unknown) => Ok(Err(unknown)),
            None => Ok(Ok(to_bool(&value)?)),
        }
    }

    fn for_list(&mut self, inner: &For, turns: Vec<(Value, Value)>, span: Span) -> Eval<Value> {
        let mut items = Vec::new();
        let mut hole = None;
        for (key, value) in turns {
            let before = self.enter(inner.key_name.as_ref(), &inner.value_name, key, value);
            let turn = self.taken(inner).and_then(|taken| match taken {
                Ok(true) => self.eval(&inner.value).map(|item| items.push(item)),
                Ok(false) => Ok(()),
                Err(unknown) => {
                    hole = Some(unknown);
                    Ok(())
                }
            });
            self.leave(before);
            turn?;
        }
        let kind = match hole {
            Some(unknown) => ValueKind::Unknown(unknown),
            None => ValueKind::Sequence(Sequence::Tuple, items),
        };
        Ok(Value::new(kind, span))
    }

    fn for_map(
        &mut self,
        inner: &For,
        key: &Expression,
        turns: Vec<(Value, Value)>,
        span: Span,
    ) -> Eval<Value> {
        let mut gathered = Gathered::default();
        let mut hole = None;
        for (index, value) in turns {
            let before = self.enter(inner.key_name.as_ref(), &inner.value_name, index, value);
            let turn = self.map_turn(inner, key, &mut gathered);
            self.leave(before);
            hole = turn?.or(hole);
        }
        if let Some(unknown) = hole {
            return Ok(Value::new(ValueKind::Unknown(unknown), span));
        }
        let entries = gathered.entries.into_iter().map(|(key, mut values)| {
            let value = match (inner.groups, values.pop()) {
                (false, Some(value)) => value,
                (_, last) => {
                    values.extend(last);
                    Value::new(ValueKind::Sequence(Sequence::Tuple, values), span)
                }
            };
            (key, value)
        });
        let kind = ValueKind::Mapping(Mapping::Object, entries.collect());
        Ok(Value::new(kind, span))
    }

    /// One turn; why its key or its being taken is not known, if it is not.
    fn map_turn(
        &mut self,
        inner: &For,
        key: &Expression,
        gathered: &mut Gathered,
    ) -> Eval<Option<Unknown>> {
        match self.taken(inner)? {
            Ok(true) => {}
            Ok(false) => return Ok(None),
            Err(unknown) => return Ok(Some(unknown)),
        }
        let name = to_text(&self.eval(key)?)?;
        if let Some(unknown) = name.hole() {
            return Ok(Some(unknown));
        }
        let Some(name) = name.as_text() else {
            return Err(fault(key.span, "a key cannot be null"));
        };
        let value = self.eval(&inner.value)?;
        let place = gathered.places.get(name.as_str());
        match place.and_then(|at| gathered.entries.get_mut(*at)) {
            Some((_, values)) if inner.groups => values.push(value),
            Some(_) => {
                let reason = format!(
                    "two elements give the key {}; write `...` behind the value to gather them",
                    quoted(name.as_str())
                );
                return Err(fault(key.span, reason));
            }
            None => {
                let at = gathered.entries.len();
                gathered.places.insert(name.as_str().to_owned(), at);
                gathered.entries.push((name, vec![value]));
            }
        }
        Ok(None)
    }
}

/// A key made of a number or another value that is no string.
pub(in super::super) fn text_at(written: &str, span: Span) -> Text {
    let mut builder = TextBuilder::default();
    builder.push_escape(written, span);
    builder.finish(Origin::Source(span))
}
