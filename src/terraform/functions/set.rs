//! Functions that make sets and lists of several.

use std::collections::BTreeMap;

use super::{Arguments, Signature, items, sees, takes};
use crate::terraform::Eval;
use crate::terraform::Number;
use crate::terraform::evaluate::equal;
use crate::terraform::failure::fault;
use crate::terraform::types::{Type, common, convert, set_of, to_bool, to_text};
use crate::terraform::value::{Mapping, Sequence, Value, ValueKind, sorted};
use crate::text::Text;

const ANY: usize = usize::MAX;

pub(super) fn signature(name: &str) -> Option<Signature> {
    Some(match name {
        "alltrue" => takes(1, 1, |given| given.truth(false)),
        "anytrue" => takes(1, 1, |given| given.truth(true)),
        "chunklist" => takes(2, 2, chunks),
        "coalescelist" => sees(1, ANY, coalesce_list),
        "index" => takes(2, 2, index),
        "matchkeys" => takes(3, 3, match_keys),
        "setintersection" => takes(1, ANY, |given| {
            given.sets(|all, item| all.iter().all(|set| holds(set, item)))
        }),
        "setsubtract" => takes(2, 2, |given| {
            given.sets(|all, item| all.iter().skip(1).all(|set| !holds(set, item)))
        }),
        "setunion" => takes(1, ANY, |given| given.sets(|_, _| true)),
        "setproduct" => takes(2, ANY, product),
        "slice" => takes(3, 3, slice),
        "transpose" => takes(1, 1, transpose),
        "zipmap" => takes(2, 2, zip),
        _ => return None,
    })
}

fn holds(set: &[Value], item: &Value) -> bool {
    set.iter().any(|other| equal(other, item) == Some(true))
}

impl Arguments {
    /// Whether any element is `wanted`; null is false.
    fn truth(&self, wanted: bool) -> Eval<Value> {
        let value = self.get(0)?;
        let mut unknown = None;
        for item in items(value, "this function")? {
            if let Some(hole) = item.hole() {
                unknown = Some(hole);
            } else if (!item.is_null() && to_bool(item)?) == wanted {
                return Ok(self.result(ValueKind::Bool(wanted)));
            }
        }
        Ok(self.result(unknown.map_or(ValueKind::Bool(!wanted), ValueKind::Unknown)))
    }

    /// The elements of all arguments, of one type, which `keep` keeps, as a set. What is kept of the first alone is
    /// found among all, too.
    fn sets(&self, keep: fn(&[Vec<Value>], &Value) -> bool) -> Eval<Value> {
        if let Some(unknown) = super::merged(self.values.iter().filter_map(Value::any_hole)) {
            return Ok(self.result(ValueKind::Unknown(unknown)));
        }
        let mut all = Vec::new();
        for value in &self.values {
            all.push(items(value, "this function")?.to_vec());
        }
        let Some(inner) = common(all.iter().flatten()) else {
            return Err(fault(self.span, "the elements have no type in common"));
        };
        let count: usize = all.iter().map(Vec::len).sum();
        self.afford(count.saturating_mul(count) / 16, 0)?;
        for list in &mut all {
            let converted: Eval<Vec<Value>> =
                list.iter().map(|item| convert(item, &inner)).collect();
            *list = converted?;
        }
        let kept = all
            .iter()
            .flatten()
            .filter(|item| keep(&all, item))
            .cloned()
            .collect();
        set_of(kept, &self.result(ValueKind::Null))
    }
}

fn chunks(given: &Arguments) -> Eval<Value> {
    items(given.get(0)?, "chunklist")?;
    let listed = convert(given.get(0)?, &Type::List(Box::new(Type::Any)))?;
    if let Some(unknown) = listed.hole() {
        return Ok(given.result(ValueKind::Unknown(unknown)));
    }
    let (all, size) = (items(&listed, "chunklist")?, given.whole(1)?);
    let Ok(size) = usize::try_from(size) else {
        return Err(fault(given.span, "a size is a whole number from 0"));
    };
    let chunk = |items: &[Value]| given.result(ValueKind::Sequence(Sequence::List, items.to_vec()));
    let chunks = if size == 0 {
        vec![chunk(all)]
    } else {
        all.chunks(size).map(chunk).collect()
    };
    Ok(given.result(ValueKind::Sequence(Sequence::List, chunks)))
}

fn coalesce_list(given: &Arguments) -> Eval<Value> {
    for value in &given.values {
        if let Some(unknown) = value.hole() {
            return Ok(given.result(ValueKind::Unknown(unknown)));
        }
        if !items(value, "coalescelist")?.is_empty() {
            return Ok(value.clone());
        }
    }
    Err(fault(
        given.span,
        "every argument of `coalescelist` is null or empty",
    ))
}

fn index(given: &Arguments) -> Eval<Value> {
    let (value, wanted) = (given.get(0)?, given.get(1)?);
    let unknown = super::merged([value, wanted].into_iter().filter_map(Value::any_hole));
    if let Some(unknown) = unknown {
        return Ok(given.result(ValueKind::Unknown(unknown)));
    }
    let at = items(value, "index")?
        .iter()
        .position(|item| equal(item, wanted) == Some(true));
    match at {
        Some(at) => Ok(given.result(ValueKind::Number(Number::from_length(at)))),
        None => Err(fault(given.span, "the list does not hold this value")),
    }
}

/// The values whose keys are searched for.
fn match_keys(given: &Arguments) -> Eval<Value> {
    let (values, keys, wanted) = (
        items(given.get(0)?, "matchkeys")?,
        items(given.get(1)?, "matchkeys")?,
        items(given.get(2)?, "matchkeys")?,
    );
    if values.len() != keys.len() {
        return Err(fault(
            given.span,
            "the lists of values and of keys are of one length",
        ));
    }
    if let Some(unknown) = super::merged(given.values.iter().filter_map(Value::any_hole)) {
        return Ok(given.result(ValueKind::Unknown(unknown)));
    }
    let inner = common(keys.iter().chain(wanted));
    let inner = inner.ok_or_else(|| fault(given.span, "the keys have no type in common"))?;
    let wanted: Eval<Vec<Value>> = wanted.iter().map(|item| convert(item, &inner)).collect();
    let wanted = wanted?;
    given.afford(keys.len().saturating_mul(wanted.len()) / 16, 0)?;
    let mut kept = Vec::new();
    for (value, key) in values.iter().zip(keys) {
        if holds(&wanted, &convert(key, &inner)?) {
            kept.push(value.clone());
        }
    }
    Ok(given.result(ValueKind::Sequence(Sequence::List, kept)))
}

/// Every combination, the last list the fastest; of lists a list, else a set.
fn product(given: &Arguments) -> Eval<Value> {
    let mut lists = Vec::new();
    let mut is_set = false;
    let mut count = 1_usize;
    for value in &given.values {
        is_set |= matches!(value.kind, ValueKind::Sequence(Sequence::Set, _));
        let listed = convert(value, &Type::List(Box::new(Type::Any)))?;
        let list = items(&listed, "setproduct")?.to_vec();
        count = count.saturating_mul(list.len());
        lists.push(list);
    }
    given.afford(count.saturating_mul(lists.len()), 0)?;
    let mut rows: Vec<Vec<Value>> = vec![Vec::new()];
    for list in &lists {
        let with = |row: &Vec<Value>, item: &Value| {
            let mut row = row.clone();
            row.push(item.clone());
            row
        };
        rows = rows
            .iter()
            .flat_map(|row| list.iter().map(move |item| with(row, item)))
            .collect();
    }
    let tuples = rows
        .into_iter()
        .map(|row| given.result(ValueKind::Sequence(Sequence::Tuple, row)));
    let tuples: Vec<Value> = tuples.collect();
    if is_set {
        return set_of(tuples, &given.result(ValueKind::Null));
    }
    Ok(given.result(ValueKind::Sequence(Sequence::List, tuples)))
}

fn slice(given: &Arguments) -> Eval<Value> {
    let value = given.get(0)?;
    if matches!(value.kind, ValueKind::Sequence(Sequence::Set, _)) {
        return Err(fault(value.span(), "a set has no order to take a part of"));
    }
    let all = items(value, "slice")?;
    let (start, end) = (given.whole(1)?, given.whole(2)?);
    let range = usize::try_from(start).ok().zip(usize::try_from(end).ok());
    match range.and_then(|(start, end)| all.get(start..end)) {
        Some(part) => {
            let tuple = matches!(value.kind, ValueKind::Sequence(Sequence::Tuple, _));
            Ok(given.result(super::list_or_tuple(part.to_vec(), !tuple)))
        }
        None => {
            let reason = format!(
                "the list has {} elements, not those from {start} to {end}",
                all.len()
            );
            Err(fault(given.span, reason))
        }
    }
}

/// Keys and elements change places.
fn transpose(given: &Arguments) -> Eval<Value> {
    let value = given.get(0)?;
    if let Some(unknown) = value.any_hole() {
        return Ok(given.result(ValueKind::Unknown(unknown)));
    }
    let ValueKind::Mapping(_, entries) = &value.kind else {
        let reason = format!(
            "`transpose` takes a map, but {} stands here",
            value.kind_name()
        );
        return Err(fault(value.span(), reason));
    };
    let mut turned: BTreeMap<String, (Text, Vec<Value>)> = BTreeMap::new();
    for (key, list) in sorted(entries) {
        for item in items(list, "transpose")? {
            let text = to_text(item)?.as_text();
            let name = text.ok_or_else(|| fault(item.span(), "`transpose` takes strings"))?;
            let turn = turned.entry(name.as_str().to_owned());
            let (_, keys) = turn.or_insert_with(|| (name, Vec::new()));
            keys.push(Value::text(key.clone()));
        }
    }
    let entries = turned.into_values().map(|(key, keys)| {
        let keys = given.result(ValueKind::Sequence(Sequence::List, keys));
        (key, keys)
    });
    Ok(given.result(ValueKind::Mapping(Mapping::Map, entries.collect())))
}

fn zip(given: &Arguments) -> Eval<Value> {
    let (keys, value) = (items(given.get(0)?, "zipmap")?, given.get(1)?);
    let values = items(value, "zipmap")?;
    if keys.len() != values.len() {
        let reason = format!(
            "{} keys and {} values stand here; their number is the same",
            keys.len(),
            values.len()
        );
        return Err(fault(given.span, reason));
    }
    let mut entries: Vec<(Text, Value)> = Vec::new();
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    for (key, value) in keys.iter().zip(values) {
        if let Some(unknown) = key.hole() {
            return Ok(given.result(ValueKind::Unknown(unknown)));
        }
        let text = to_text(key)?.as_text();
        let name = text.ok_or_else(|| fault(key.span(), "a key cannot be null"))?;
        let place = *places
            .entry(name.as_str().to_owned())
            .or_insert(entries.len());
        match entries.get_mut(place) {
            Some(entry) => *entry = (name, value.clone()),
            None => entries.push((name, value.clone())),
        }
    }
    let tuple = matches!(value.kind, ValueKind::Sequence(Sequence::Tuple, _));
    let kind = if tuple { Mapping::Object } else { Mapping::Map };
    Ok(given.result(ValueKind::Mapping(kind, entries)))
}
