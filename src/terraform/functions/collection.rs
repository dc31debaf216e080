//! Functions of lists, sets, maps and objects.

use std::collections::{BTreeMap, BTreeSet};

use super::{Arguments, Signature, items, list_or_tuple, sees, takes};
use crate::syntax::{Part, Standing, Unknown};
use crate::terraform::evaluate::{equal, hold_any};
use crate::terraform::failure::fault;
use crate::terraform::policy_text::parts;
use crate::terraform::types::{Type, common, convert, to_number, to_text};
use crate::terraform::value::{Mapping, Sequence, Value, ValueKind, merged, sorted};
use crate::terraform::{Eval, Number};
use crate::text::{Text, quoted};

const ANY: usize = usize::MAX;

pub(super) fn signature(name: &str) -> Option<Signature> {
    Some(match name {
        "concat" => sees(1, ANY, concat),
        "merge" => sees(0, ANY, merge),
        "flatten" => sees(1, 1, flatten),
        "length" => takes(1, 1, length),
        "keys" => takes(1, 1, keys),
        "values" => takes(1, 1, values),
        "lookup" => sees(2, 3, lookup),
        "contains" => takes(2, 2, contains),
        "distinct" => takes(1, 1, distinct),
        "compact" => takes(1, 1, compact),
        "reverse" => takes(1, 1, reverse),
        "element" => sees(2, 2, element),
        "one" => takes(1, 1, one),
        "coalesce" => sees(1, ANY, coalesce),
        "sort" => takes(1, 1, sort),
        _ => return None,
    })
}

fn hole<'a>(values: impl Iterator<Item = &'a Value>) -> Option<Unknown> {
    merged(values.filter_map(Value::hole))
}

fn concat(given: &Arguments) -> Eval<Value> {
    if let Some(mut unknown) = hole(given.values.iter()) {
        // What the known lists hold is there, whatever the others are.
        unknown.hold(given.values.iter().flat_map(parts).collect());
        return Ok(given.result(ValueKind::Unknown(unknown)));
    }
    let mut all = Vec::new();
    let mut lists = true;
    for value in &given.values {
        if matches!(value.kind, ValueKind::Sequence(Sequence::Set, _)) {
            let reason = "`concat` takes lists, but a set stands here; write `tolist(…)` around it";
            return Err(fault(value.span(), reason));
        }
        all.extend_from_slice(items(value, "concat")?);
        lists &= matches!(value.kind, ValueKind::Sequence(Sequence::List, _));
    }
    let types: Vec<Type> = all.iter().map(Type::of).collect();
    let lists = lists && types.windows(2).all(|pair| pair.first() == pair.last());
    Ok(given.result(list_or_tuple(all, lists)))
}

/// Of repeated keys the last counts.
fn merge(given: &Arguments) -> Eval<Value> {
    let unknown = hole(given.values.iter());
    let mut all: Vec<(Text, Value)> = Vec::new();
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    let mut maps = true;
    for value in &given.values {
        let entries = match &value.kind {
            ValueKind::Mapping(kind, entries) => {
                maps &= *kind == Mapping::Map;
                entries
            }
            ValueKind::Null | ValueKind::Unknown(_) => continue,
            ValueKind::Bool(_)
            | ValueKind::Number(_)
            | ValueKind::Text(_)
            | ValueKind::Encoded(..)
            | ValueKind::Sequence(..)
            | ValueKind::Partial(_) => {
                if let Some(unknown) = unknown {
                    return Ok(given.result(ValueKind::Unknown(unknown)));
                }
                let reason = format!("`merge` takes maps, but {} stands here", value.kind_name());
                return Err(fault(value.span(), reason));
            }
        };
        for (key, value) in entries {
            let place = places.get(key.as_str());
            match place.and_then(|at| all.get_mut(*at)) {
                Some(entry) => *entry = (key.clone(), value.clone()),
                None => {
                    places.insert(key.as_str().to_owned(), all.len());
                    all.push((key.clone(), value.clone()));
                }
            }
        }
    }
    if let Some(mut unknown) = unknown {
        if !all.is_empty() {
            let known = Value::new(ValueKind::Mapping(Mapping::Object, all), given.span);
            unknown.hold(vec![Part {
                standing: Standing::Open,
                ..Part::certain(known.to_node())
            }]);
        }
        return Ok(given.result(ValueKind::Unknown(unknown)));
    }
    let kind = if maps && !given.values.is_empty() {
        Mapping::Map
    } else {
        Mapping::Object
    };
    Ok(given.result(ValueKind::Mapping(kind, all)))
}

fn flatten(given: &Arguments) -> Eval<Value> {
    let value = given.get(0)?;
    if let Some(unknown) = value.hole() {
        return Ok(given.result(ValueKind::Unknown(unknown)));
    }
    let mut flat = Vec::new();
    if let Some(mut unknown) = flatten_into(items(value, "flatten")?, &mut flat) {
        unknown.hold(flat.iter().flat_map(held).collect());
        return Ok(given.result(ValueKind::Unknown(unknown)));
    }
    Ok(given.result(ValueKind::Sequence(Sequence::Tuple, flat)))
}

/// What is known of an element of a flat list: all that it is, or what is known of the list that it may be.
fn held(item: &Value) -> Vec<Part> {
    match &item.kind {
        ValueKind::Unknown(unknown) => unknown.parts.clone(),
        ValueKind::Null
        | ValueKind::Bool(_)
        | ValueKind::Number(_)
        | ValueKind::Text(_)
        | ValueKind::Encoded(..)
        | ValueKind::Sequence(..)
        | ValueKind::Mapping(..)
        | ValueKind::Partial(_) => vec![Part::certain(item.to_node())],
    }
}

/// An unknown element may be a list, so that not even the number of elements is known.
fn flatten_into(items: &[Value], flat: &mut Vec<Value>) -> Option<Unknown> {
    let mut hole = None;
    for item in items {
        match &item.kind {
            ValueKind::Sequence(_, inner) => {
                let inner = flatten_into(inner, flat);
                hole = hole.or(inner);
            }
            ValueKind::Unknown(unknown) => {
                hole = hole.or_else(|| Some(unknown.bare()));
                flat.push(item.clone());
            }
            ValueKind::Null
            | ValueKind::Bool(_)
            | ValueKind::Number(_)
            | ValueKind::Text(_)
            | ValueKind::Encoded(..)
            | ValueKind::Mapping(..)
            | ValueKind::Partial(_) => flat.push(item.clone()),
        }
    }
    hole
}

fn length(given: &Arguments) -> Eval<Value> {
    let value = given.get(0)?;
    let length = match &value.kind {
        ValueKind::Sequence(_, items) => items.len(),
        ValueKind::Mapping(_, entries) => entries.len(),
        ValueKind::Null
        | ValueKind::Bool(_)
        | ValueKind::Number(_)
        | ValueKind::Text(_)
        | ValueKind::Encoded(..)
        | ValueKind::Partial(_)
        | ValueKind::Unknown(_) => match value.as_text() {
            Some(text) => super::text::clusters(text.as_str()).len(),
            None => {
                let reason = format!("`length` does not take {}", value.kind_name());
                return Err(fault(value.span(), reason));
            }
        },
    };
    Ok(given.result(ValueKind::Number(Number::from_length(length))))
}

impl Arguments {
    pub(super) fn not_evaluated(&self, what: &str) -> Value {
        Value::unknown(format!("{what} is not evaluated"), Vec::new(), self.span)
    }

    fn entries(&self, name: &str) -> Eval<&[(Text, Value)]> {
        let value = self.get(0)?;
        match &value.kind {
            ValueKind::Mapping(_, entries) => Ok(entries),
            ValueKind::Null
            | ValueKind::Bool(_)
            | ValueKind::Number(_)
            | ValueKind::Text(_)
            | ValueKind::Encoded(..)
            | ValueKind::Sequence(..)
            | ValueKind::Partial(_)
            | ValueKind::Unknown(_) => Err(fault(
                value.span(),
                format!(
                    "`{name}` takes a map, but {} stands here",
                    value.kind_name()
                ),
            )),
        }
    }
}

fn keys(given: &Arguments) -> Eval<Value> {
    let entries = sorted(given.entries("keys")?).into_iter();
    let keys = entries.map(|(key, _)| Value::text(key.clone())).collect();
    let maps = matches!(given.get(0)?.kind, ValueKind::Mapping(Mapping::Map, _));
    Ok(given.result(list_or_tuple(keys, maps)))
}

fn values(given: &Arguments) -> Eval<Value> {
    let entries = sorted(given.entries("values")?).into_iter();
    let values = entries.map(|(_, value)| value.clone()).collect();
    let maps = matches!(given.get(0)?.kind, ValueKind::Mapping(Mapping::Map, _));
    Ok(given.result(list_or_tuple(values, maps)))
}

impl Arguments {
    /// What stands at a place of a collection where the collection or the place is not known, or `other`.
    fn chosen_by_unknown(&self, other: Option<&Value>) -> Eval<Option<Value>> {
        let (all, at) = (self.get(0)?, self.get(1)?);
        if let Some(unknown) = all.hole() {
            return Ok(Some(self.result(ValueKind::Unknown(unknown))));
        }
        let Some(mut unknown) = at.hole() else {
            return Ok(None);
        };
        hold_any(&mut unknown, all);
        let other = other.map(parts).unwrap_or_default().into_iter();
        unknown.hold(other.map(|part| part.possible(None)).collect());
        Ok(Some(self.result(ValueKind::Unknown(unknown))))
    }
}

fn lookup(given: &Arguments) -> Eval<Value> {
    if let Some(unknown) = given.chosen_by_unknown(given.values.get(2))? {
        return Ok(unknown);
    }
    given.entries("lookup")?;
    let key = given.text(1)?;
    if let Some(found) = given.get(0)?.get(key.as_str()) {
        return Ok(found.clone());
    }
    match given.values.get(2) {
        // The elements of a map have one type, and so has what stands for a missing one.
        Some(default) => {
            if let Type::Map(element) = Type::of(given.get(0)?) {
                convert(default, &element)
            } else {
                Ok(default.clone())
            }
        }
        None => Err(fault(
            key.span(),
            format!("the map has no key {}", quoted(key.as_str())),
        )),
    }
}

fn contains(given: &Arguments) -> Eval<Value> {
    let all = items(given.get(0)?, "contains")?;
    let wanted = given.get(1)?;
    if wanted.is_null() {
        return Err(fault(wanted.span(), "`contains` cannot look for null"));
    }
    let unknown = merged(all.iter().chain([wanted]).filter_map(Value::any_hole));
    let answers: Vec<Option<bool>> = all.iter().map(|item| equal(item, wanted)).collect();
    if unknown.is_none() && answers.contains(&Some(true)) {
        return Ok(given.result(ValueKind::Bool(true)));
    }
    match unknown {
        Some(unknown) => Ok(given.result(ValueKind::Unknown(unknown))),
        None if answers.contains(&None) => Ok(given.not_evaluated("this comparison")),
        None => Ok(given.result(ValueKind::Bool(false))),
    }
}

fn distinct(given: &Arguments) -> Eval<Value> {
    let listed = convert(given.get(0)?, &Type::List(Box::new(Type::Any)))?;
    if let Some(unknown) = listed.any_hole() {
        return Ok(given.result(ValueKind::Unknown(unknown)));
    }
    let all = items(&listed, "distinct")?;
    let mut kept: Vec<Value> = Vec::new();
    let mut seen = BTreeSet::new();
    for item in all {
        // Elements of one list have one type, so those that are equal are written alike.
        let key = item.json().map(|json| (item.is_null(), json));
        let Some(key) = key else {
            return Ok(given.not_evaluated("`distinct` of these elements"));
        };
        if seen.insert(key) {
            kept.push(item.clone());
        }
    }
    Ok(given.result(ValueKind::Sequence(Sequence::List, kept)))
}

/// The strings that are neither empty nor null.
fn compact(given: &Arguments) -> Eval<Value> {
    let all = items(given.get(0)?, "compact")?;
    if let Some(unknown) = hole(all.iter()) {
        return Ok(given.result(ValueKind::Unknown(unknown)));
    }
    let mut kept = Vec::new();
    for item in all {
        let text = to_text(item)?;
        if text.as_text().is_some_and(|text| !text.as_str().is_empty()) {
            kept.push(text);
        }
    }
    Ok(given.result(ValueKind::Sequence(Sequence::List, kept)))
}

fn reverse(given: &Arguments) -> Eval<Value> {
    let value = given.get(0)?;
    let mut all = items(value, "reverse")?.to_vec();
    all.reverse();
    let tuples = matches!(value.kind, ValueKind::Sequence(Sequence::Tuple, _));
    Ok(given.result(list_or_tuple(all, !tuples)))
}

/// The element at an index, counted round and round: in a list from the end too, in a tuple (a literal) only where a
/// negative index divides evenly, as Terraform 1.11 has it.
fn element(given: &Arguments) -> Eval<Value> {
    if let Some(unknown) = given.chosen_by_unknown(None)? {
        return Ok(unknown);
    }
    let all = items(given.get(0)?, "element")?;
    let kind = if let ValueKind::Sequence(kind, _) = &given.get(0)?.kind {
        Some(kind)
    } else {
        None
    };
    if matches!(kind, Some(Sequence::Set)) {
        let reason = "`element` takes a list, but a set stands here, which has no order; write `tolist(…)` around it";
        return Err(fault(given.span, reason));
    }
    let index = to_number(given.get(1)?)?.and_then(Number::as_whole);
    let length = i128::try_from(all.len()).unwrap_or(i128::MAX);
    let round = |index: i128| match kind {
        Some(Sequence::List) => index.checked_rem_euclid(length),
        _ => index.checked_rem(length),
    };
    let Some(index) = index else {
        let reason = "the index of `element` is a whole number";
        return Err(fault(given.get(1)?.span(), reason));
    };
    let Some(at) = round(index) else {
        return Err(fault(given.span, "`element` of an empty list"));
    };
    let found = usize::try_from(at).ok().and_then(|at| all.get(at));
    found.cloned().ok_or_else(|| {
        let reason = "the index of `element` is negative; write `tolist(…)` around the literal to count from its end";
        fault(given.span, reason)
    })
}

fn one(given: &Arguments) -> Eval<Value> {
    match items(given.get(0)?, "one")? {
        [] => Ok(given.result(ValueKind::Null)),
        [only] => Ok(only.clone()),
        all => {
            let reason = format!(
                "`one` takes at most one element, the list has {}",
                all.len()
            );
            Err(fault(given.span, reason))
        }
    }
}

/// The first argument that is neither null nor an empty string, as the type that all convert to.
fn coalesce(given: &Arguments) -> Eval<Value> {
    let wanted = match common(given.values.iter()) {
        Some(wanted) => wanted,
        // A null of no type lets the others be of any.
        None if given.values.iter().any(Value::is_null) => Type::Any,
        None => return Err(fault(given.span, "the arguments have no type in common")),
    };
    for (at, value) in given.values.iter().enumerate() {
        if let Some(unknown) = value.hole() {
            let open = unknown_before(unknown, given.values.iter().skip(at));
            return Ok(given.result(ValueKind::Unknown(open)));
        }
        let value = convert(value, &wanted)?;
        let empty = value.as_text().is_some_and(|text| text.as_str().is_empty());
        if !value.is_null() && !empty {
            return Ok(value);
        }
    }
    Err(fault(
        given.span,
        "every argument of `coalesce` is null or empty",
    ))
}

/// What stands there where the first of these values is not known, and may be none: it, or the first behind it.
fn unknown_before<'a>(mut unknown: Unknown, values: impl Iterator<Item = &'a Value>) -> Unknown {
    for value in values {
        let parts = parts(value).into_iter();
        unknown.hold(parts.map(|part| part.possible(None)).collect());
        if value.hole().is_none() && !value.is_null() {
            break;
        }
    }
    unknown
}

fn sort(given: &Arguments) -> Eval<Value> {
    let all = items(given.get(0)?, "sort")?;
    if let Some(unknown) = hole(all.iter()) {
        return Ok(given.result(ValueKind::Unknown(unknown)));
    }
    let mut texts = Vec::new();
    for item in all {
        let text = to_text(item)?.as_text();
        texts.push(text.ok_or_else(|| fault(item.span(), "`sort` takes strings"))?);
    }
    texts.sort();
    let sorted = texts.into_iter().map(Value::text).collect();
    Ok(given.result(ValueKind::Sequence(Sequence::List, sorted)))
}
