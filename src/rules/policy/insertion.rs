//! Elements put into JSON objects, in the notation of the place: JSON as it stands, JSON in a string, or percent-encoded
//! (RFC 3986), each laid out as what stands beside it.

use crate::diag::Edit;
use crate::rules::Sink;
use crate::syntax::{Entry, Node};
use crate::text::{STDIN, Span};

/// How JSON is written at a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Notation {
    Plain,
    /// Inside a JSON string: quotes have a backslash.
    InString,
    /// Percent-encoded.
    Encoded,
}

impl Notation {
    fn at(sink: &Sink<'_>, object: Span, key: Span) -> Option<Self> {
        let path = sink.path(object);
        let is_json = [".json", ".jsonl", ".ndjson", STDIN]
            .iter()
            .any(|ending| path.ends_with(ending));
        let (open, quote) = (sink.written(object), sink.written(key));
        let all = [Self::Plain, Self::InString, Self::Encoded];
        all.into_iter().find(|notation| {
            is_json && open.starts_with(notation.brace()) && quote.starts_with(notation.quote())
        })
    }

    fn brace(self) -> &'static str {
        match self {
            Self::Plain | Self::InString => "{",
            Self::Encoded => "%7B",
        }
    }

    fn quote(self) -> &'static str {
        match self {
            Self::Plain => "\"",
            Self::InString => "\\\"",
            Self::Encoded => "%22",
        }
    }

    /// JSON without white space in it, as it is written here.
    fn write(self, json: &str) -> String {
        match self {
            Self::Plain => json.to_owned(),
            Self::InString => json.replace('\\', "\\\\").replace('"', "\\\""),
            Self::Encoded => json.bytes().map(encoded).collect(),
        }
    }

    fn is_blank(self, written: &str) -> bool {
        let plain = match self {
            Self::Plain => written.to_owned(),
            Self::InString => written
                .replace("\\n", "")
                .replace("\\r", "")
                .replace("\\t", ""),
            Self::Encoded => ["%20", "%09", "%0A", "%0D"]
                .iter()
                .fold(written.to_owned(), |rest, blank| rest.replace(blank, "")),
        };
        plain.trim().is_empty()
    }

    fn breaks_line(self, gap: &str) -> bool {
        let line = match self {
            Self::Plain => "\n",
            Self::InString => "\\n",
            Self::Encoded => "%0A",
        };
        gap.contains(line)
    }
}

fn encoded(byte: u8) -> String {
    if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
        char::from(byte).to_string()
    } else {
        format!("%{byte:02X}")
    }
}

/// An object that something can be put into: at least one element, and nothing but white space before it.
struct Object<'a> {
    notation: Notation,
    /// What stands before the first element.
    gap: &'a str,
    first: Span,
    end_of_last: Span,
}

impl<'a> Object<'a> {
    fn of(sink: &Sink<'a>, object: &Node) -> Option<Self> {
        let entries = object.as_map()?;
        let (first, last) = (entries.first()?, entries.last()?);
        let key = first.key.span();
        let span = object.span();
        if !span.contains(key) || !span.contains(last.value.span()) {
            return None;
        }
        let notation = Notation::at(sink, span, key)?;
        let open = notation.brace().len();
        let before = span.slice(open, (key.start - span.start) as usize);
        let gap = sink.written(before);
        let end = last.value.span().end as usize;
        notation.is_blank(gap).then(|| Self {
            notation,
            gap,
            first: Span::at(key.file, key.start as usize),
            end_of_last: Span::at(key.file, end),
        })
    }
}

/// The edit that makes `"key": "value"` the first element of `object`.
pub(super) fn first(sink: &Sink<'_>, object: &Node, key: &str, value: &str) -> Option<Edit> {
    let Object {
        notation,
        gap,
        first,
        ..
    } = Object::of(sink, object)?;
    let colon = notation.write(": ");
    let (key, value) = (string(notation, key), string(notation, value));
    let comma = notation.write(",");
    Some(Edit {
        at: first,
        with: format!("{key}{colon}{value}{comma}{gap}"),
    })
}

/// The edit that puts `"key": "value"` for each of `keys` behind the last element of `object`.
pub(super) fn last(sink: &Sink<'_>, object: &Node, keys: &[&str], value: &str) -> Option<Edit> {
    let object = Object::of(sink, object)?;
    let comma = object.notation.write(",");
    let gap = between(&object);
    let with = keys
        .iter()
        .map(|key| format!("{comma}{gap}{}", pair(object.notation, key, value)))
        .collect();
    Some(Edit {
        at: object.end_of_last,
        with,
    })
}

/// The edit that puts `"name": {"key": "value", …}` behind the last element of `object`, laid out as that element's
/// neighbours are.
pub(super) fn last_block(
    sink: &Sink<'_>,
    object: &Node,
    name: &str,
    keys: &[&str],
    value: &str,
) -> Option<Edit> {
    let inner = object
        .as_map()?
        .iter()
        .rev()
        .find_map(|Entry { value, .. }| Object::of(sink, value));
    let outer = Object::of(sink, object)?;
    let notation = outer.notation;
    let inside = inner.map_or("", |inner| inner.gap);
    let (open, comma) = (notation.write("{"), notation.write(","));
    let blank = if notation.breaks_line(inside) {
        inside.to_owned()
    } else {
        notation.write(" ")
    };
    let pairs: Vec<String> = keys.iter().map(|key| pair(notation, key, value)).collect();
    let pairs = pairs.join(&format!("{comma}{blank}"));
    let closing = if notation.breaks_line(inside) {
        outer.gap
    } else {
        inside
    };
    let (name, colon) = (string(notation, name), notation.write(": "));
    let gap = between(&outer);
    let close = notation.write("}");
    Some(Edit {
        at: outer.end_of_last,
        with: format!("{comma}{gap}{name}{colon}{open}{inside}{pairs}{closing}{close}"),
    })
}

/// What stands between two elements of an object.
fn between(object: &Object<'_>) -> String {
    if object.gap.is_empty() {
        object.notation.write(" ")
    } else {
        object.gap.to_owned()
    }
}

fn pair(notation: Notation, key: &str, value: &str) -> String {
    let colon = notation.write(": ");
    format!(
        "{}{colon}{}",
        string(notation, key),
        string(notation, value)
    )
}

fn string(notation: Notation, value: &str) -> String {
    let escaped = value.replace('\\', "\\\\").replace('"', "\\\"");
    notation.write(&format!("\"{escaped}\""))
}
