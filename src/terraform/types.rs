//! Types and conversions between them, by Terraform's rules (zclconf/go-cty, package `convert`).

use std::collections::BTreeMap;

use crate::syntax::hcl::{Expression, Form, Key};
use crate::text::{Span, Text, TextBuilder, quoted};

use super::Eval;
use super::failure::{Failure, fault};
use super::number::Number;
use super::value::{Mapping, Sequence, Value, ValueKind, sorted};

/// A type.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Type {
    /// Not known, or any.
    Any,
    Bool,
    Number,
    Text,
    List(Box<Self>),
    Set(Box<Self>),
    Map(Box<Self>),
    Tuple(Vec<Self>),
    Object(BTreeMap<String, Self>),
    /// A type constraint with attributes that may be left out.
    Open(BTreeMap<String, (Self, Optional)>),
}

/// Whether an attribute of an object type may be left out.
#[derive(Debug, Clone)]
pub(super) enum Optional {
    No,
    Null,
    Default(Box<Value>),
    /// A default that cannot be evaluated.
    Unclear,
}

impl PartialEq for Optional {
    fn eq(&self, other: &Self) -> bool {
        matches!(
            (self, other),
            (Self::No, Self::No) | (Self::Null, Self::Null)
        )
    }
}

impl Type {
    pub(super) fn of(value: &Value) -> Self {
        match &value.kind {
            ValueKind::Null | ValueKind::Unknown(_) => Self::Any,
            ValueKind::Bool(_) => Self::Bool,
            ValueKind::Number(_) => Self::Number,
            ValueKind::Text(_) | ValueKind::Encoded(..) | ValueKind::Partial(_) => Self::Text,
            ValueKind::Sequence(Sequence::List, items) => Self::List(Box::new(element(items))),
            ValueKind::Sequence(Sequence::Set, items) => Self::Set(Box::new(element(items))),
            ValueKind::Sequence(Sequence::Tuple, items) => {
                Self::Tuple(items.iter().map(Self::of).collect())
            }
            ValueKind::Mapping(Mapping::Map, entries) => {
                let first = entries.first().map(|(_, value)| Self::of(value));
                Self::Map(Box::new(first.unwrap_or(Self::Any)))
            }
            ValueKind::Mapping(Mapping::Object, entries) => Self::Object(
                entries
                    .iter()
                    .map(|(key, value)| (key.as_str().to_owned(), Self::of(value)))
                    .collect(),
            ),
        }
    }

    fn is_primitive(&self) -> bool {
        matches!(self, Self::Bool | Self::Number | Self::Text)
    }

    /// The one type that both convert to; `None` when there is none, or when it is not worked out here.
    pub(super) fn unify(&self, other: &Self) -> Option<Self> {
        if self == other || *other == Self::Any {
            return Some(self.clone());
        }
        match (self, other) {
            (Self::Any, _) => Some(other.clone()),
            (Self::Text, b) if b.is_primitive() => Some(Self::Text),
            (a, Self::Text) if a.is_primitive() => Some(Self::Text),
            (Self::List(a), Self::List(b)) => Some(Self::List(Box::new(a.unify(b)?))),
            (Self::Set(a), Self::Set(b)) => Some(Self::Set(Box::new(a.unify(b)?))),
            (Self::Map(a), Self::Map(b)) => Some(Self::Map(Box::new(a.unify(b)?))),
            (Self::Tuple(a), Self::Tuple(b)) if a.len() == b.len() => {
                let both = a.iter().zip(b).map(|(a, b)| a.unify(b));
                Some(Self::Tuple(both.collect::<Option<_>>()?))
            }
            (Self::Tuple(items), Self::Tuple(more)) => {
                Some(Self::List(Box::new(unified(items.iter().chain(more))?)))
            }
            (Self::List(a), Self::Tuple(items)) | (Self::Tuple(items), Self::List(a)) => {
                let all = items.iter().chain(std::iter::once(a.as_ref()));
                Some(Self::List(Box::new(unified(all)?)))
            }
            (Self::Object(a), Self::Object(b)) if a.keys().eq(b.keys()) => {
                let both = a
                    .iter()
                    .zip(b.values())
                    .map(|((key, a), b)| Some((key.clone(), a.unify(b)?)));
                Some(Self::Object(both.collect::<Option<_>>()?))
            }
            (Self::Object(a), Self::Object(b)) => {
                let all = a.values().chain(b.values());
                Some(Self::Map(Box::new(unified(all)?)))
            }
            (Self::Map(a), Self::Object(b)) | (Self::Object(b), Self::Map(a)) => {
                let all = b.values().chain(std::iter::once(a.as_ref()));
                Some(Self::Map(Box::new(unified(all)?)))
            }
            _ => None,
        }
    }

    fn shown(&self) -> &'static str {
        match self {
            Self::Any => "any value",
            Self::Bool => "a bool",
            Self::Number => "a number",
            Self::Text => "a string",
            Self::List(_) => "a list",
            Self::Set(_) => "a set",
            Self::Map(_) => "a map",
            Self::Tuple(_) => "a tuple",
            Self::Object(_) | Self::Open(_) => "an object",
        }
    }
}

fn unified<'a>(types: impl Iterator<Item = &'a Type>) -> Option<Type> {
    let mut all = Type::Any;
    for next in types {
        all = all.unify(next)?;
    }
    Some(all)
}

fn element(items: &[Value]) -> Type {
    items.first().map_or(Type::Any, Type::of)
}

/// The type that the elements of a list or map made of `values` have; `None` where it is not worked out.
pub(super) fn common<'a>(values: impl Iterator<Item = &'a Value>) -> Option<Type> {
    let types: Vec<Type> = values.map(Type::of).collect();
    unified(types.iter())
}

/// `value` as `wanted`.
pub(super) fn convert(value: &Value, wanted: &Type) -> Eval<Value> {
    if *wanted == Type::Any || value.is_null() || matches!(value.kind, ValueKind::Unknown(_)) {
        return Ok(value.clone());
    }
    let kind = match (wanted, &value.kind) {
        (Type::Text, _) => return to_text(value),
        (Type::Bool, _) => ValueKind::Bool(to_bool(value)?),
        (Type::Number, _) => return to_number_value(value),
        (Type::List(inner), ValueKind::Sequence(_, items)) => {
            ValueKind::Sequence(Sequence::List, convert_all(items, inner)?)
        }
        (Type::Set(inner), ValueKind::Sequence(_, items)) => {
            return set_of(convert_all(items, inner)?, value);
        }
        (Type::Map(inner), ValueKind::Mapping(_, entries)) => {
            let all = entries.iter().map(|(_, value)| value);
            let inner = settled(inner, all)?;
            let converted = entries
                .iter()
                .map(|(key, value)| Ok((key.clone(), convert(value, &inner)?)));
            ValueKind::Mapping(Mapping::Map, converted.collect::<Eval<_>>()?)
        }
        (Type::Tuple(types), ValueKind::Sequence(_, items)) if types.len() == items.len() => {
            let converted = items.iter().zip(types).map(|(item, to)| convert(item, to));
            ValueKind::Sequence(Sequence::Tuple, converted.collect::<Eval<_>>()?)
        }
        (Type::Object(types), ValueKind::Mapping(_, entries)) => {
            let open = types
                .iter()
                .map(|(name, to)| (name.clone(), (to.clone(), Optional::No)))
                .collect();
            return to_object(value, entries, &open);
        }
        (Type::Open(types), ValueKind::Mapping(_, entries)) => {
            return to_object(value, entries, types);
        }
        _ => return Err(mismatch(value, wanted.shown())),
    };
    Ok(Value {
        origin: value.origin.clone(),
        kind,
    })
}

fn convert_all(items: &[Value], inner: &Type) -> Eval<Vec<Value>> {
    let inner = settled(inner, items.iter())?;
    items.iter().map(|item| convert(item, &inner)).collect()
}

/// `any` inside a collection means: the one type that all elements convert to.
fn settled<'a>(inner: &Type, values: impl Iterator<Item = &'a Value>) -> Eval<Type> {
    if *inner != Type::Any {
        return Ok(inner.clone());
    }
    let values: Vec<&Value> = values.collect();
    let place = values.first().map(|value| value.span());
    match (common(values.into_iter()), place) {
        (Some(common), _) => Ok(common),
        (None, Some(at)) => Err(fault(at, "the elements have no type in common")),
        (None, None) => Ok(Type::Any),
    }
}

/// A set: sorted, and nothing twice. A set with an unknown element is unknown as a whole.
pub(super) fn set_of(items: Vec<Value>, like: &Value) -> Eval<Value> {
    let origin = like.origin.clone();
    if let Some(unknown) = super::value::merged(items.iter().filter_map(Value::any_hole)) {
        let kind = ValueKind::Unknown(unknown);
        return Ok(Value { origin, kind });
    }
    let mut keyed = Vec::new();
    for item in items {
        let Some(key) = SetKey::of(&item) else {
            let why = "the order of a set of collections is not evaluated";
            return Ok(Value::unknown(why, Vec::new(), like.span()));
        };
        keyed.push((key, item));
    }
    keyed.sort_by(|(a, _), (b, _)| a.cmp(b));
    keyed.dedup_by(|(a, _), (b, _)| a == b);
    let items = keyed.into_iter().map(|(_, item)| item).collect();
    let kind = ValueKind::Sequence(Sequence::Set, items);
    Ok(Value { origin, kind })
}

/// What the elements of a set are sorted by; all of one set are of one kind.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum SetKey {
    Bool(bool),
    Whole(i128),
    Text(String),
    /// Of a collection what cty makes its hash of.
    Bytes(Vec<u8>),
}

impl SetKey {
    fn of(value: &Value) -> Option<Self> {
        match &value.kind {
            ValueKind::Bool(flag) => Some(Self::Bool(*flag)),
            ValueKind::Number(number) => number.to_string().parse().ok().map(Self::Whole),
            ValueKind::Text(_) | ValueKind::Encoded(..) => {
                Some(Self::Text(value.as_text()?.as_str().to_owned()))
            }
            ValueKind::Sequence(..) | ValueKind::Mapping(..) => {
                let mut bytes = String::new();
                hashed(value, &mut bytes)?;
                Some(Self::Bytes(bytes.into_bytes()))
            }
            ValueKind::Null | ValueKind::Partial(_) | ValueKind::Unknown(_) => None,
        }
    }
}

/// What zclconf/go-cty hashes of a value (`cty/set_internals.go`): collections in a set are in the order of these bytes.
fn hashed(value: &Value, out: &mut String) -> Option<()> {
    match &value.kind {
        ValueKind::Null => out.push('~'),
        ValueKind::Bool(flag) => out.push(if *flag { 'T' } else { 'F' }),
        ValueKind::Number(number) => out.push_str(&number.to_string()),
        ValueKind::Text(_) | ValueKind::Encoded(..) => {
            // Go's quoting of a string, but for what is not printable.
            out.push('"');
            for character in value.as_text()?.as_str().chars() {
                match character {
                    '"' => out.push_str("\\\""),
                    '\\' => out.push_str("\\\\"),
                    '\n' => out.push_str("\\n"),
                    '\t' => out.push_str("\\t"),
                    '\r' => out.push_str("\\r"),
                    _ if character.is_control() => return None,
                    _ => out.push(character),
                }
            }
            out.push('"');
        }
        ValueKind::Sequence(kind, items) => {
            let (open, close) = match kind {
                Sequence::List | Sequence::Set => ('[', ']'),
                Sequence::Tuple => ('<', '>'),
            };
            out.push(open);
            for item in items {
                hashed(item, out)?;
                out.push(';');
            }
            out.push(close);
        }
        ValueKind::Mapping(kind, entries) => {
            let map = *kind == Mapping::Map;
            out.push(if map { '{' } else { '<' });
            for (key, value) in sorted(entries) {
                if map {
                    hashed(&Value::text(key.clone()), out)?;
                    out.push(':');
                }
                hashed(value, out)?;
                out.push(';');
            }
            out.push(if map { '}' } else { '>' });
        }
        ValueKind::Partial(_) | ValueKind::Unknown(_) => return None,
    }
    Some(())
}

fn to_object(
    value: &Value,
    entries: &[(Text, Value)],
    types: &BTreeMap<String, (Type, Optional)>,
) -> Eval<Value> {
    let mut converted = Vec::new();
    for (name, (to, optional)) in types {
        match (
            entries.iter().find(|(key, _)| key.as_str() == name),
            optional,
        ) {
            (Some((key, inner)), Optional::Default(default)) if inner.is_null() => {
                converted.push((key.clone(), convert(default, to)?));
            }
            (Some((key, inner)), Optional::Unclear) if inner.is_null() => {
                converted.push((key.clone(), default_not_evaluated(name, inner.span())));
            }
            (Some((key, inner)), _) => converted.push((key.clone(), convert(inner, to)?)),
            (None, Optional::No) => {
                let reason =
                    format!("the object has no attribute `{name}`, which its type asks for");
                return Err(fault(value.span(), reason));
            }
            (None, absent) => {
                let key = Text::whole(name.clone(), value.origin.clone());
                let absent = match absent {
                    Optional::Default(default) => convert(default, to)?,
                    Optional::Unclear => default_not_evaluated(name, value.span()),
                    Optional::Null | Optional::No => Value::new(ValueKind::Null, value.span()),
                };
                converted.push((key, absent));
            }
        }
    }
    Ok(Value {
        origin: value.origin.clone(),
        kind: ValueKind::Mapping(Mapping::Object, converted),
    })
}

fn default_not_evaluated(name: &str, span: Span) -> Value {
    let why = format!("the default that `optional` gives to `{name}` is not evaluated");
    Value::unknown(why, Vec::new(), span)
}

/// `value` as a string; a string known in part stays what it is.
pub(super) fn to_text(value: &Value) -> Eval<Value> {
    let written = match &value.kind {
        ValueKind::Text(_)
        | ValueKind::Encoded(..)
        | ValueKind::Partial(_)
        | ValueKind::Unknown(_)
        | ValueKind::Null => return Ok(value.clone()),
        ValueKind::Bool(flag) => flag.to_string(),
        ValueKind::Number(number) => number.to_string(),
        ValueKind::Sequence(..) | ValueKind::Mapping(..) => {
            return Err(mismatch(value, "a string"));
        }
    };
    let mut builder = TextBuilder::default();
    builder.push_escape(&written, value.span());
    Ok(Value {
        origin: value.origin.clone(),
        kind: ValueKind::Text(builder.finish(value.origin.clone())),
    })
}

pub(super) fn to_bool(value: &Value) -> Eval<bool> {
    if let ValueKind::Bool(flag) = value.kind {
        return Ok(flag);
    }
    match value.as_text().as_ref().map(Text::as_str) {
        Some("true" | "1") => Ok(true),
        Some("false" | "0") => Ok(false),
        _ => Err(mismatch(value, "a bool")),
    }
}

/// `value` as a number; `None` when it is one that is too large or too small to be held.
pub(super) fn to_number(value: &Value) -> Eval<Option<Number>> {
    if let ValueKind::Number(number) = value.kind {
        return Ok(Some(number));
    }
    let Some(text) = value.as_text() else {
        return Err(mismatch(value, "a number"));
    };
    let written = text.as_str();
    if let Some(number) = Number::parse(written) {
        return Ok(Some(number));
    }
    if Number::is_written(written) {
        return Ok(None);
    }
    Err(mismatch(value, "a number"))
}

fn to_number_value(value: &Value) -> Eval<Value> {
    if let Some(unknown) = value.hole() {
        return Ok(Value::new(ValueKind::Unknown(unknown), value.span()));
    }
    Ok(match to_number(value)? {
        Some(number) => Value {
            origin: value.origin.clone(),
            kind: ValueKind::Number(number),
        },
        None => Value::unknown("this number is not held exactly", Vec::new(), value.span()),
    })
}

fn mismatch(value: &Value, wanted: &str) -> Box<Failure> {
    let reason = match &value.kind {
        ValueKind::Text(text) => format!("{} is not {wanted}", quoted(text.as_str())),
        ValueKind::Null
        | ValueKind::Bool(_)
        | ValueKind::Number(_)
        | ValueKind::Encoded(..)
        | ValueKind::Sequence(..)
        | ValueKind::Mapping(..)
        | ValueKind::Partial(_)
        | ValueKind::Unknown(_) => format!(
            "{} stands here, but {wanted} is expected",
            value.kind_name()
        ),
    };
    fault(value.span(), reason)
}

/// The type that a type expression such as `list(object({ a = optional(string) }))` names; `None` where it is none.
pub(super) fn constraint(
    expression: &Expression,
    default: &mut dyn FnMut(&Expression) -> Option<Value>,
) -> Option<Type> {
    if let Form::Variable(name) = &expression.form {
        return named(name.as_str());
    }
    if let Some(text) = expression.literal() {
        // The words of old versions: `type = "string"`.
        return match text.as_str() {
            "string" | "list" | "map" => named(text.as_str()),
            _ => None,
        };
    }
    let Form::Call(call) = &expression.form else {
        return None;
    };
    let [argument] = call.arguments.as_slice() else {
        return None;
    };
    match (call.name.as_str(), &argument.form) {
        ("list", _) => Some(Type::List(Box::new(constraint(argument, default)?))),
        ("set", _) => Some(Type::Set(Box::new(constraint(argument, default)?))),
        ("map", _) => Some(Type::Map(Box::new(constraint(argument, default)?))),
        ("tuple", Form::List(items)) => {
            let types: Option<_> = items.iter().map(|item| constraint(item, default)).collect();
            Some(Type::Tuple(types?))
        }
        ("object", Form::Object(items)) => {
            let mut types = BTreeMap::new();
            for item in items {
                let name = match &item.key {
                    Key::Name(name) => name.as_str(),
                    Key::Expression(key) => key.literal()?.as_str(),
                };
                types.insert(name.to_owned(), attribute_type(&item.value, default)?);
            }
            Some(Type::Open(types))
        }
        _ => None,
    }
}

fn named(word: &str) -> Option<Type> {
    Some(match word {
        "any" => Type::Any,
        "bool" => Type::Bool,
        "number" => Type::Number,
        "string" => Type::Text,
        "list" => Type::List(Box::new(Type::Any)),
        "map" => Type::Map(Box::new(Type::Any)),
        "set" => Type::Set(Box::new(Type::Any)),
        _ => return None,
    })
}

fn attribute_type(
    expression: &Expression,
    default: &mut dyn FnMut(&Expression) -> Option<Value>,
) -> Option<(Type, Optional)> {
    let Some(call) = expression
        .call()
        .filter(|call| call.name.as_str() == "optional")
    else {
        return Some((constraint(expression, default)?, Optional::No));
    };
    let inner = constraint(call.arguments.first()?, default)?;
    let optional = match call.arguments.as_slice() {
        [_] => Optional::Null,
        [_, written] => match default(written) {
            Some(value) if value.is_null() => Optional::Null,
            Some(value) => Optional::Default(Box::new(value)),
            None => Optional::Unclear,
        },
        _ => return None,
    };
    Some((inner, optional))
}
