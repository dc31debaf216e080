//! `statement` blocks: sets of strings, principals, conditions.

use std::cmp::Reverse;

use crate::syntax::Unknown;
use crate::syntax::hcl::{Block, Form};
use crate::text::{Origin, Span, Text, TextBuilder};

use super::{as_part_text, is_said, key};
use crate::terraform::Eval;
use crate::terraform::evaluate::{Evaluator, Turn};
use crate::terraform::failure::{fault, provider};
use crate::terraform::value::{Chunk, Mapping, Sequence, Value, ValueKind};

/// Sets of strings: the attribute, the element, and whether `&{` stands for `${` in it.
const SETS: [(&str, &str, bool); 4] = [
    ("actions", "Action", false),
    ("not_actions", "NotAction", false),
    ("resources", "Resource", true),
    ("not_resources", "NotResource", true),
];

/// What several blocks say, gathered by a name, in the order in which the names came up.
type Gathered<T> = Vec<(Text, T)>;

impl<'m> Evaluator<'m> {
    /// One statement; `old` says that the document has a version without policy variables.
    pub(super) fn statement(&mut self, block: &'m Block, old: bool) -> Eval<Value> {
        let mut entries = Vec::new();
        let named = |name: &str| {
            let attribute = block.body.attribute(name);
            attribute.map_or(block.head, |attribute| attribute.name.span())
        };
        if let Some(sid) = self.attribute_text(block, "sid").filter(is_said) {
            entries.push((key("Sid", named("sid")), sid));
        }
        let effect = self.attribute_text(block, "effect");
        let effect = effect.unwrap_or_else(|| Value::text(key("Allow", block.head)));
        entries.push((key("Effect", named("effect")), effect));
        for (attribute, element, variables) in SETS {
            let Some(value) = self.strings(block, attribute)? else {
                continue;
            };
            let value = match value {
                Strings::Known(items, _) if items.is_empty() => continue,
                Strings::Known(items, at) => one_or_list(descending(items), at),
                Strings::Unknown(value) => value,
            };
            let value = if variables {
                replaced(value, old)?
            } else {
                value
            };
            entries.push((key(element, named(attribute)), value));
        }
        for (kind, element) in [
            ("principals", "Principal"),
            ("not_principals", "NotPrincipal"),
        ] {
            if let Some((at, value)) = self.principals(block, kind, old)? {
                entries.push((key(element, at), value));
            }
        }
        if let Some((at, value)) = self.conditions(block, old)? {
            entries.push((key("Condition", at), value));
        }
        let kind = ValueKind::Mapping(Mapping::Object, entries);
        Ok(Value::new(kind, block.span))
    }

    /// The strings of an attribute that holds a list or set of them; `None` where it is not set.
    fn strings(&mut self, block: &'m Block, name: &str) -> Eval<Option<Strings>> {
        let Some(attribute) = block.body.attribute(name) else {
            return Ok(None);
        };
        let at = attribute.value.span;
        if !matches!(attribute.value.unwrapped().form, Form::List(_)) {
            let value = self.part(&attribute.value);
            if value.is_null() {
                return Ok(None);
            }
            if matches!(value.kind, ValueKind::Unknown(_)) {
                return Ok(Some(Strings::Unknown(value)));
            }
            if let ValueKind::Sequence(_, items) = &value.kind {
                return Ok(Some(Strings::Known(texts(items), value.span())));
            }
            let reason = format!(
                "`{name}` takes a list of strings, but {} stands here",
                value.kind_name()
            );
            return Err(fault(value.span(), reason));
        }
        let items = self.items(&attribute.value);
        Ok(Some(Strings::Known(texts(&items), at)))
    }

    /// Where principals begin, and what they come to.
    fn principals(
        &mut self,
        block: &'m Block,
        kind: &str,
        old: bool,
    ) -> Eval<Option<(Span, Value)>> {
        let mut found: Gathered<Joined> = Vec::new();
        let (mut first, mut hole) = (None, None);
        self.each_block(&block.body, kind, &mut |evaluator, turn| {
            let block = match turn {
                Turn::Block(block) => block,
                Turn::Unknown(unknown, at, _) => {
                    first.get_or_insert(at);
                    hole = Some(unknown);
                    return Ok(());
                }
            };
            first.get_or_insert(block.head);
            let Some(name) = evaluator.required_text(block, "type", &mut hole)? else {
                return Ok(());
            };
            let mut identifiers = evaluator.values_of(block, "identifiers")?;
            identifiers.values = descending(identifiers.values);
            gather(&mut found, name, identifiers);
            Ok(())
        })?;
        let Some(at) = first else {
            return Ok(None);
        };
        if let Some(unknown) = hole {
            return Ok(Some((at, Value::new(ValueKind::Unknown(unknown), at))));
        }
        if let [(name, joined)] = found.as_slice()
            && let ("*", [everyone]) = (name.as_str(), joined.values.as_slice())
            && everyone.as_text().is_some_and(|text| text.as_str() == "*")
        {
            return Ok(Some((at, everyone.clone())));
        }
        let entries = found.into_iter().map(|(name, joined)| {
            let value = one_or_list(joined.values, joined.at);
            Ok((name, replaced(value, old)?))
        });
        let entries = by_name(entries.collect::<Eval<_>>()?);
        let kind = ValueKind::Mapping(Mapping::Object, entries);
        Ok(Some((at, Value::new(kind, at))))
    }

    /// Where conditions begin, and what they come to.
    fn conditions(&mut self, block: &'m Block, old: bool) -> Eval<Option<(Span, Value)>> {
        let mut found: Gathered<(Span, Gathered<Joined>)> = Vec::new();
        let (mut first, mut hole) = (None, None);
        self.each_block(&block.body, "condition", &mut |evaluator, turn| {
            let block = match turn {
                Turn::Block(block) => block,
                Turn::Unknown(unknown, at, _) => {
                    first.get_or_insert(at);
                    hole = Some(unknown);
                    return Ok(());
                }
            };
            first.get_or_insert(block.head);
            let test = evaluator.required_text(block, "test", &mut hole)?;
            let variable = evaluator.required_text(block, "variable", &mut hole)?;
            let (Some(test), Some(variable)) = (test, variable) else {
                return Ok(());
            };
            let values = evaluator.values_of(block, "values")?;
            let place = found.iter_mut().find(|(name, _)| *name == test);
            match place {
                Some((name, (_, variables))) => {
                    // It stands in two places now, so no edit of one of them changes it.
                    *name = Text::whole(name.as_str(), name.origin());
                    gather(variables, variable, values);
                }
                None => found.push((test, (block.span, vec![(variable, values)]))),
            }
            Ok(())
        })?;
        let Some(at) = first else {
            return Ok(None);
        };
        if let Some(unknown) = hole {
            return Ok(Some((at, Value::new(ValueKind::Unknown(unknown), at))));
        }
        let mut tests = Vec::new();
        for (test, (at, variables)) in found {
            let entries = variables.into_iter().map(|(variable, joined)| {
                let value = one_or_list(joined.values, joined.at);
                Ok((variable, replaced(value, old)?))
            });
            let entries = by_name(entries.collect::<Eval<_>>()?);
            let kind = ValueKind::Mapping(Mapping::Object, entries);
            tests.push((test, Value::new(kind, at)));
        }
        let kind = ValueKind::Mapping(Mapping::Object, by_name(tests));
        Ok(Some((at, Value::new(kind, at))))
    }

    /// The string that a block must have; where it is not known, `hole` says why.
    fn required_text(
        &mut self,
        block: &'m Block,
        name: &str,
        hole: &mut Option<Unknown>,
    ) -> Eval<Option<Text>> {
        let Some(value) = self.attribute_text(block, name) else {
            let reason = format!("`{name}` is missing in this block");
            return Err(fault(block.head, reason));
        };
        let text = value.as_text();
        if text.is_none() {
            *hole = value.hole();
        }
        Ok(text)
    }

    /// The values of a condition or a principal; one that is not known stands for itself.
    fn values_of(&mut self, block: &'m Block, name: &str) -> Eval<Joined> {
        match self.strings(block, name)? {
            Some(Strings::Known(values, at)) => Ok(Joined { values, at }),
            Some(Strings::Unknown(value)) => Ok(Joined {
                at: value.span(),
                values: vec![value],
            }),
            None => {
                let reason = format!("`{name}` is missing in this block");
                Err(fault(block.head, reason))
            }
        }
    }
}

/// The strings of an attribute.
enum Strings {
    Known(Vec<Value>, Span),
    Unknown(Value),
}

/// Values of one name, and where the first of them stand.
struct Joined {
    values: Vec<Value>,
    at: Span,
}

/// The elements as strings; null is none.
fn texts(items: &[Value]) -> Vec<Value> {
    let texts = items.iter().map(as_part_text);
    texts.filter(|text| !text.is_null()).collect()
}

/// Adds `more` to what is there under `name`.
fn gather(found: &mut Gathered<Joined>, name: Text, more: Joined) {
    match found.iter_mut().find(|(known, _)| *known == name) {
        Some((_, joined)) => joined.values.extend(more.values),
        None => found.push((name, more)),
    }
}

/// Sorted by the bytes of the name, as Go writes maps.
fn by_name(mut entries: Vec<(Text, Value)>) -> Vec<(Text, Value)> {
    entries.sort_by(|(a, _), (b, _)| a.as_str().cmp(b.as_str()));
    entries
}

/// One value stands alone, several in a list.
fn one_or_list(mut values: Vec<Value>, at: Span) -> Value {
    match (values.pop(), values.is_empty()) {
        (Some(only), true) => only,
        (last, _) => {
            values.extend(last);
            Value::new(ValueKind::Sequence(Sequence::Tuple, values), at)
        }
    }
}

/// As the provider lists a set: nothing twice, the greatest first.
fn descending(mut items: Vec<Value>) -> Vec<Value> {
    items.sort_by_cached_key(|item| Reverse(written(item)));
    items.dedup_by(|a, b| written(a) == written(b));
    items
}

/// What a value is sorted by; where it is not known, the address that is missing stands for it.
pub(super) fn written(value: &Value) -> String {
    let hole = |unknown: &Unknown| format!("<<{}>>", unknown.missing.join(", "));
    if let ValueKind::Partial(chunks) = &value.kind {
        let chunks = chunks.iter().map(|chunk| match chunk {
            Chunk::Known(text) => text.as_str().to_owned(),
            Chunk::Hole(unknown, _) => hole(unknown),
        });
        return chunks.collect();
    }
    match (value.as_text(), value.hole()) {
        (Some(text), _) => text.as_str().to_owned(),
        (None, Some(unknown)) => hole(&unknown),
        (None, None) => String::new(),
    }
}

/// `&{…}` is how a policy variable is written, for `${…}` is Terraform's own; versions before 2012 have none.
fn replaced(value: Value, old: bool) -> Eval<Value> {
    let kind = match value.kind {
        ValueKind::Text(text) => ValueKind::Text(with_variables(text, old)?),
        ValueKind::Sequence(kind, items) => {
            let items = items.into_iter().map(|item| replaced(item, old));
            ValueKind::Sequence(kind, items.collect::<Eval<_>>()?)
        }
        ValueKind::Partial(chunks) => {
            let chunks = chunks.into_iter().map(|chunk| match chunk {
                Chunk::Known(text) => Ok(Chunk::Known(with_variables(text, old)?)),
                hole @ Chunk::Hole(..) => Ok(hole),
            });
            ValueKind::Partial(chunks.collect::<Eval<_>>()?)
        }
        other @ (ValueKind::Null
        | ValueKind::Bool(_)
        | ValueKind::Number(_)
        | ValueKind::Encoded(..)
        | ValueKind::Mapping(..)
        | ValueKind::Unknown(_)) => other,
    };
    Ok(Value {
        origin: value.origin,
        kind,
    })
}

fn with_variables(text: Text, old: bool) -> Eval<Text> {
    const WRITTEN: &str = "&{";
    if !text.as_str().contains(WRITTEN) {
        return Ok(text);
    }
    if old {
        let reason = format!("`{WRITTEN}` is not taken in a document of version 2008-10-17");
        return Err(provider(text.span(), reason));
    }
    let mut builder = TextBuilder::default();
    let mut from = 0;
    for (at, _) in text.as_str().match_indices(WRITTEN) {
        let end = at + WRITTEN.len();
        builder.push_text(&text, from..at);
        builder.push_escape("${", text.span_of(at..end));
        from = end;
    }
    builder.push_text(&text, from..text.as_str().len());
    let origin: Origin = text.origin();
    Ok(builder.finish(origin))
}
