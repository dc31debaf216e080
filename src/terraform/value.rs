//! The values of Terraform expressions: like [`Node`]s, but with the distinctions that Terraform's functions see, and
//! with strings that are known in part.

use std::collections::BTreeSet;

use unicode_normalization::char::canonical_combining_class;
use unicode_normalization::{IsNormalized, UnicodeNormalization as _, is_nfc_quick};

use crate::syntax::{Entry, Kind, Node, Unknown};
use crate::text::{Origin, Span, Text, TextBuilder};

use super::number::Number;

/// A value and where it comes from.
#[derive(Debug, Clone)]
pub struct Value {
    /// Where it comes from.
    pub origin: Origin,
    /// What it is.
    pub kind: ValueKind,
}

/// What a value is.
#[derive(Debug, Clone)]
pub enum ValueKind {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number.
    Number(Number),
    /// A string.
    Text(Text),
    /// The JSON text that is made of this value, by `jsonencode` or by a policy document. The value is kept, so that what
    /// was encoded keeps its places and its known parts.
    Encoded(Box<Value>, Layout),
    /// A list, set or tuple. A set is sorted and holds nothing twice.
    Sequence(Sequence, Vec<Value>),
    /// A map or object, in written order; no key stands twice.
    Mapping(Mapping, Vec<(Text, Value)>),
    /// A string of which only parts are known.
    Partial(Vec<Chunk>),
    /// A value that cannot be known here.
    Unknown(Unknown),
}

/// Which kind of sequence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sequence {
    /// Elements of one type.
    List,
    /// Elements of one type, sorted, none twice.
    Set,
    /// Elements of any types.
    Tuple,
}

/// Which kind of mapping.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mapping {
    /// Values of one type.
    Map,
    /// Values of any types.
    Object,
}

/// How JSON text is laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// Keys sorted, no space: `jsonencode`.
    Sorted,
    /// Keys as they stand, no space: `minified_json` of a policy document.
    Minified,
    /// Keys as they stand, indented by two: `json` of a policy document.
    Indented,
}

/// A part of a string.
#[derive(Debug, Clone)]
pub enum Chunk {
    /// Known text.
    Known(Text),
    /// What is inserted at this place is not known.
    Hole(Unknown, Span),
}

impl Value {
    /// A value made at `span`.
    #[must_use]
    pub fn new(kind: ValueKind, span: Span) -> Self {
        Self {
            origin: Origin::Source(span),
            kind,
        }
    }

    /// A string, in Unicode's composed form (NFC), as Terraform holds every string.
    #[must_use]
    pub fn text(text: Text) -> Self {
        let text = composed(text);
        Self {
            origin: text.origin(),
            kind: ValueKind::Text(text),
        }
    }

    /// A value that cannot be known, because of `missing`.
    #[must_use]
    pub fn unknown(why: impl Into<String>, missing: Vec<String>, span: Span) -> Self {
        let unknown = Unknown {
            why: why.into(),
            missing,
            ..Unknown::default()
        };
        Self::new(ValueKind::Unknown(unknown), span)
    }

    /// The place to point at.
    #[must_use]
    pub fn span(&self) -> Span {
        self.origin.span()
    }

    /// The same value, used once more at `place`.
    #[must_use]
    pub fn used_at(&self, place: Span) -> Self {
        let kind = match &self.kind {
            ValueKind::Text(text) => ValueKind::Text(text.used_at(place)),
            other @ (ValueKind::Null
            | ValueKind::Bool(_)
            | ValueKind::Number(_)
            | ValueKind::Encoded(..)
            | ValueKind::Sequence(..)
            | ValueKind::Mapping(..)
            | ValueKind::Partial(_)
            | ValueKind::Unknown(_)) => other.clone(),
        };
        Self {
            origin: self.origin.used_at(place),
            kind,
        }
    }

    /// Whether it is `null`.
    #[must_use]
    pub fn is_null(&self) -> bool {
        matches!(self.kind, ValueKind::Null)
    }

    /// Why the value as a whole cannot be used: it is unknown, or a string that is known in part alone. Elements of a
    /// known collection may be unknown all the same.
    #[must_use]
    pub fn hole(&self) -> Option<Unknown> {
        match &self.kind {
            ValueKind::Unknown(unknown) => Some(unknown.bare()),
            ValueKind::Partial(chunks) => merged(chunks.iter().filter_map(|chunk| match chunk {
                Chunk::Known(_) => None,
                Chunk::Hole(unknown, _) => Some(unknown.clone()),
            })),
            ValueKind::Encoded(inner, _) => inner.any_hole(),
            ValueKind::Null
            | ValueKind::Bool(_)
            | ValueKind::Number(_)
            | ValueKind::Text(_)
            | ValueKind::Sequence(..)
            | ValueKind::Mapping(..) => None,
        }
    }

    /// As [`Self::hole`], with the elements of collections.
    #[must_use]
    pub fn any_hole(&self) -> Option<Unknown> {
        match &self.kind {
            ValueKind::Sequence(_, items) => merged(items.iter().filter_map(Self::any_hole)),
            ValueKind::Mapping(_, entries) => {
                merged(entries.iter().filter_map(|(_, value)| value.any_hole()))
            }
            ValueKind::Null
            | ValueKind::Bool(_)
            | ValueKind::Number(_)
            | ValueKind::Text(_)
            | ValueKind::Encoded(..)
            | ValueKind::Partial(_)
            | ValueKind::Unknown(_) => self.hole(),
        }
    }

    /// The string, if it is one and wholly known.
    #[must_use]
    pub fn as_text(&self) -> Option<Text> {
        match &self.kind {
            ValueKind::Text(text) => Some(text.clone()),
            ValueKind::Encoded(inner, layout) => inner.any_hole().is_none().then(|| {
                let mut json = TextBuilder::default();
                inner.write_json(&mut json, *layout, 0);
                json.finish(self.origin.clone())
            }),
            ValueKind::Null
            | ValueKind::Bool(_)
            | ValueKind::Number(_)
            | ValueKind::Sequence(..)
            | ValueKind::Mapping(..)
            | ValueKind::Partial(_)
            | ValueKind::Unknown(_) => None,
        }
    }

    /// The value as `jsonencode` writes it; `None` when something in it is not known.
    #[must_use]
    pub fn json(&self) -> Option<String> {
        if self.any_hole().is_some() {
            return None;
        }
        let mut json = TextBuilder::default();
        self.write_json(&mut json, Layout::Sorted, 0);
        Some(json.as_str().to_owned())
    }

    /// Number of values in it, strings by the 16 bytes: what work on it costs.
    #[must_use]
    pub fn size(&self) -> usize {
        let below: usize = match &self.kind {
            ValueKind::Sequence(_, items) => {
                items.iter().map(Self::size).fold(0, usize::saturating_add)
            }
            ValueKind::Mapping(_, entries) => {
                let sizes = entries.iter().map(|(_, value)| value.size());
                sizes.fold(entries.len(), usize::saturating_add)
            }
            // What is encoded once more may double: each backslash becomes two.
            ValueKind::Encoded(inner, _) => inner.size().saturating_mul(2),
            ValueKind::Text(text) => text.as_str().len() / 16,
            ValueKind::Partial(chunks) => chunks.len(),
            ValueKind::Unknown(unknown) => unknown.weight(),
            ValueKind::Null | ValueKind::Bool(_) | ValueKind::Number(_) => 0,
        };
        below.saturating_add(1)
    }

    /// How many levels of collections it has.
    #[must_use]
    pub fn nesting(&self) -> usize {
        match &self.kind {
            ValueKind::Sequence(_, items) => 1 + items.iter().map(Self::nesting).max().unwrap_or(0),
            ValueKind::Mapping(_, entries) => {
                let values = entries.iter().map(|(_, value)| value.nesting());
                1 + values.max().unwrap_or(0)
            }
            ValueKind::Encoded(inner, _) => 1 + inner.nesting(),
            ValueKind::Null
            | ValueKind::Bool(_)
            | ValueKind::Number(_)
            | ValueKind::Text(_)
            | ValueKind::Partial(_)
            | ValueKind::Unknown(_) => 0,
        }
    }

    /// What kind of value it is, in Terraform's words.
    #[must_use]
    pub fn kind_name(&self) -> &'static str {
        match &self.kind {
            ValueKind::Null => "null",
            ValueKind::Bool(_) => "a bool",
            ValueKind::Number(_) => "a number",
            ValueKind::Text(_) | ValueKind::Encoded(..) | ValueKind::Partial(_) => "a string",
            ValueKind::Sequence(Sequence::List, _) => "a list",
            ValueKind::Sequence(Sequence::Set, _) => "a set",
            ValueKind::Sequence(Sequence::Tuple, _) => "a tuple",
            ValueKind::Mapping(Mapping::Map, _) => "a map",
            ValueKind::Mapping(Mapping::Object, _) => "an object",
            ValueKind::Unknown(_) => "an unknown value",
        }
    }

    /// The value of `key`, if it is a mapping that has it.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Self> {
        let ValueKind::Mapping(_, entries) = &self.kind else {
            return None;
        };
        let found = entries.iter().find(|(name, _)| name.as_str() == key);
        found.map(|(_, value)| value)
    }

    /// The value as a tree: strings that are known in part are unknown, mappings keep the order they are written in.
    #[must_use]
    pub fn to_node(&self) -> Node {
        let kind = match &self.kind {
            ValueKind::Null => Kind::Null,
            ValueKind::Bool(value) => Kind::Bool(*value),
            ValueKind::Number(number) => Kind::Number(number.to_string()),
            ValueKind::Text(text) => Kind::Text(text.clone()),
            ValueKind::Sequence(_, items) => Kind::List(items.iter().map(Self::to_node).collect()),
            ValueKind::Mapping(_, entries) => Kind::Map(
                entries
                    .iter()
                    .map(|(key, value)| Entry {
                        key: key.clone(),
                        value: value.to_node(),
                    })
                    .collect(),
            ),
            ValueKind::Encoded(..) | ValueKind::Partial(_) | ValueKind::Unknown(_) => {
                match (self.as_text(), self.hole()) {
                    (Some(text), _) => Kind::Text(text),
                    (None, Some(mut unknown)) => {
                        unknown.around = self.around();
                        if let ValueKind::Unknown(own) = &self.kind {
                            unknown.parts.clone_from(&own.parts);
                        }
                        Kind::unknown(unknown)
                    }
                    (None, None) => Kind::Null,
                }
            }
        };
        Node {
            origin: self.origin.clone(),
            kind,
        }
    }

    /// What is known of a string that is known in part: a hole stands between each two.
    fn around(&self) -> Vec<String> {
        let ValueKind::Partial(chunks) = &self.kind else {
            return Vec::new();
        };
        let mut around = vec![String::new()];
        for chunk in chunks {
            match (chunk, around.last_mut()) {
                (Chunk::Known(text), Some(last)) => last.push_str(text.as_str()),
                (Chunk::Known(_), None) | (Chunk::Hole(..), _) => around.push(String::new()),
            }
        }
        around
    }

    /// Writes the value as `jsonencode` does: `<`, `>`, `&`, U+2028 and U+2029 escaped (facts of Terraform 1.11:
    /// zclconf/go-cty over Go's `encoding/json`, which providers use as well). `level` is how deep it stands.
    fn write_json(&self, out: &mut TextBuilder, layout: Layout, level: usize) {
        let span = self.span();
        match &self.kind {
            ValueKind::Null | ValueKind::Unknown(_) | ValueKind::Partial(_) => {
                out.push_escape("null", span);
            }
            ValueKind::Bool(value) => out.push_escape(if *value { "true" } else { "false" }, span),
            ValueKind::Number(number) => out.push_escape(&number.to_string(), span),
            ValueKind::Text(text) => write_json_text(text, out),
            ValueKind::Encoded(..) => {
                if let Some(text) = self.as_text() {
                    write_json_text(&text, out);
                }
            }
            ValueKind::Sequence(_, items) => {
                out.push_escape("[", span);
                for (at, item) in items.iter().enumerate() {
                    if at > 0 {
                        out.push_escape(",", span);
                    }
                    layout.new_line(out, level + 1, span);
                    item.write_json(out, layout, level + 1);
                }
                if !items.is_empty() {
                    layout.new_line(out, level, span);
                }
                out.push_escape("]", span);
            }
            ValueKind::Mapping(_, entries) => {
                out.push_escape("{", span);
                for (at, (key, value)) in layout.ordered(entries).into_iter().enumerate() {
                    if at > 0 {
                        out.push_escape(",", span);
                    }
                    layout.new_line(out, level + 1, span);
                    write_json_text(key, out);
                    out.push_escape(layout.colon(), span);
                    value.write_json(out, layout, level + 1);
                }
                if !entries.is_empty() {
                    layout.new_line(out, level, span);
                }
                out.push_escape("}", span);
            }
        }
    }
}

impl Layout {
    fn new_line(self, out: &mut TextBuilder, level: usize, span: Span) {
        if self == Self::Indented {
            out.push_escape("\n", span);
            out.push_escape(&"  ".repeat(level), span);
        }
    }

    fn colon(self) -> &'static str {
        match self {
            Self::Sorted | Self::Minified => ":",
            Self::Indented => ": ",
        }
    }

    fn ordered(self, entries: &[(Text, Value)]) -> Vec<&(Text, Value)> {
        match self {
            Self::Sorted => sorted(entries),
            Self::Minified | Self::Indented => entries.iter().collect(),
        }
    }
}

/// Entries in the order in which Terraform goes through them.
#[must_use]
pub(super) fn sorted(entries: &[(Text, Value)]) -> Vec<&(Text, Value)> {
    let mut sorted: Vec<_> = entries.iter().collect();
    sorted.sort_by(|(a, _), (b, _)| a.as_str().cmp(b.as_str()));
    sorted
}

/// Several reasons as one: the first reason, and everything that is missing.
pub(super) fn merged(unknowns: impl Iterator<Item = Unknown>) -> Option<Unknown> {
    let mut all: Option<Unknown> = None;
    let mut seen = BTreeSet::new();
    for unknown in unknowns {
        let into = all.get_or_insert_with(|| Unknown {
            why: unknown.why.clone(),
            ..Unknown::default()
        });
        for address in unknown.missing {
            if seen.insert(address.clone()) {
                into.missing.push(address);
            }
        }
    }
    all
}

/// The same text in Unicode's composed form.
pub(super) fn composed(text: Text) -> Text {
    let written = text.as_str();
    if written.is_ascii() || is_nfc_quick(written.chars()) == IsNormalized::Yes {
        return text;
    }
    let starts = written.char_indices().filter(|(_, character)| {
        canonical_combining_class(*character) == 0
            && is_nfc_quick(std::iter::once(*character)) == IsNormalized::Yes
    });
    let mut bounds: Vec<usize> = starts.map(|(at, _)| at).collect();
    bounds.push(written.len());
    let mut builder = TextBuilder::default();
    let mut from = 0;
    for to in bounds {
        let part = written.get(from..to).unwrap_or_default();
        let whole: String = part.nfc().collect();
        if whole == part {
            builder.push_text(&text, from..to);
        } else {
            builder.push_escape(&whole, text.span_of(from..to));
        }
        from = to;
    }
    builder.finish(text.origin())
}

fn write_json_text(text: &Text, out: &mut TextBuilder) {
    let place = |start: usize, end: usize| text.span_of(start..end);
    out.push_escape("\"", text.span());
    let mut plain = 0;
    for (at, character) in text.as_str().char_indices() {
        let escape = match character {
            '"' => "\\\"".to_owned(),
            '\\' => "\\\\".to_owned(),
            '\n' => "\\n".to_owned(),
            '\r' => "\\r".to_owned(),
            '\t' => "\\t".to_owned(),
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' | '\0'..='\u{1f}' => {
                format!("\\u{:04x}", u32::from(character))
            }
            _ => continue,
        };
        out.push_text(text, plain..at);
        plain = at + character.len_utf8();
        out.push_escape(&escape, place(at, plain));
    }
    out.push_text(text, plain..text.as_str().len());
    out.push_escape("\"", text.span());
}
