//! `yamlencode` and `yamldecode` (zclconf/go-cty-yaml): YAML 1.1 words for truth, numbers without `_`, moments in UTC.

use super::{Arguments, Signature, takes};
use crate::syntax::{Kind, Node, yaml};
use crate::terraform::evaluate::text_at;
use crate::terraform::types::fault;
use crate::terraform::value::{Mapping, Sequence, Value, ValueKind, sorted};
use crate::terraform::{Eval, Number};
use crate::text::{Origin, SourceMap, Text, TextBuilder};

pub(super) fn signature(name: &str) -> Option<Signature> {
    Some(match name {
        "yamlencode" => takes(1, 1, encode),
        "yamldecode" => takes(1, 1, decode),
        _ => return None,
    })
}

fn encode(given: &Arguments) -> Eval<Value> {
    let value = given.get(0)?;
    if let Some(unknown) = value.any_hole() {
        return Ok(given.result(ValueKind::Unknown(unknown)));
    }
    given.afford(value.size().saturating_mul(2), 0)?;
    let mut out = TextBuilder::default();
    let written = Writer { out: &mut out }.document(value);
    match written {
        Some(()) => Ok(given.built(out)),
        None => Ok(given.not_evaluated("`yamlencode` of this text")),
    }
}

struct Writer<'a> {
    out: &'a mut TextBuilder,
}

impl Writer<'_> {
    fn push(&mut self, text: &str, at: &Value) {
        self.out.push_escape(text, at.span());
    }

    fn document(&mut self, value: &Value) -> Option<()> {
        match &value.kind {
            ValueKind::Sequence(_, items) if !items.is_empty() => self.list(value, items, 0),
            ValueKind::Mapping(_, entries) if !entries.is_empty() => self.map(value, entries, 0),
            ValueKind::Null | ValueKind::Bool(_) | ValueKind::Number(_) => {
                self.scalar(value, 0)?;
                // A plain word at the end of a document is followed by its mark.
                self.push("...\n", value);
                Some(())
            }
            ValueKind::Text(_)
            | ValueKind::Encoded(..)
            | ValueKind::Sequence(..)
            | ValueKind::Mapping(..)
            | ValueKind::Partial(_)
            | ValueKind::Unknown(_) => self.scalar(value, 0),
        }
    }

    /// The value behind `- `: what spans lines goes on two columns further right.
    fn item(&mut self, value: &Value, column: usize) -> Option<()> {
        match &value.kind {
            ValueKind::Sequence(_, items) if !items.is_empty() => self.list(value, items, column),
            ValueKind::Mapping(_, entries) if !entries.is_empty() => {
                self.map(value, entries, column)
            }
            ValueKind::Null
            | ValueKind::Bool(_)
            | ValueKind::Number(_)
            | ValueKind::Text(_)
            | ValueKind::Encoded(..)
            | ValueKind::Sequence(..)
            | ValueKind::Mapping(..)
            | ValueKind::Partial(_)
            | ValueKind::Unknown(_) => self.scalar(value, column.saturating_sub(2)),
        }
    }

    /// The first line begins where the cursor stands, the others at `column`.
    fn list(&mut self, value: &Value, items: &[Value], column: usize) -> Option<()> {
        for (at, item) in items.iter().enumerate() {
            if at > 0 {
                self.push(&" ".repeat(column), value);
            }
            self.push("- ", value);
            self.item(item, column + 2)?;
        }
        Some(())
    }

    fn map(&mut self, value: &Value, entries: &[(Text, Value)], column: usize) -> Option<()> {
        for (at, (key, inner)) in sorted(entries).into_iter().enumerate() {
            if at > 0 {
                self.push(&" ".repeat(column), value);
            }
            if key.as_str().contains('\n') || key.as_str().len() > 120 {
                return None;
            }
            self.quoted(key)?;
            self.push(":", value);
            match &inner.kind {
                ValueKind::Sequence(_, items) if !items.is_empty() => {
                    self.push("\n", value);
                    self.push(&" ".repeat(column), value);
                    self.list(inner, items, column)?;
                }
                ValueKind::Mapping(_, more) if !more.is_empty() => {
                    self.push("\n", value);
                    self.push(&" ".repeat(column + 2), value);
                    self.map(inner, more, column + 2)?;
                }
                ValueKind::Null
                | ValueKind::Bool(_)
                | ValueKind::Number(_)
                | ValueKind::Text(_)
                | ValueKind::Encoded(..)
                | ValueKind::Sequence(..)
                | ValueKind::Mapping(..)
                | ValueKind::Partial(_)
                | ValueKind::Unknown(_) => {
                    self.push(" ", value);
                    self.scalar(inner, column)?;
                }
            }
        }
        Some(())
    }

    /// A value of one line, or a block of lines below `column`, with the line break behind it.
    fn scalar(&mut self, value: &Value, column: usize) -> Option<()> {
        match &value.kind {
            ValueKind::Null => self.push("null", value),
            ValueKind::Bool(flag) => self.push(if *flag { "true" } else { "false" }, value),
            ValueKind::Number(number) => self.push(&number.to_string(), value),
            ValueKind::Sequence(..) => self.push("[]", value),
            ValueKind::Mapping(..) => self.push("{}", value),
            ValueKind::Text(_) | ValueKind::Encoded(..) => {
                let text = value.as_text()?;
                if text.as_str().contains('\n') {
                    return self.block(&text, value, column);
                }
                // Longer lines are folded at blanks.
                if text.as_str().len() > 40 && text.as_str().contains(' ') {
                    return None;
                }
                self.quoted(&text)?;
            }
            ValueKind::Partial(_) | ValueKind::Unknown(_) => return None,
        }
        self.push("\n", value);
        Some(())
    }

    /// A string in double quotes.
    fn quoted(&mut self, text: &Text) -> Option<()> {
        self.out.push_escape("\"", text.span());
        let mut plain = 0;
        for (at, character) in text.as_str().char_indices() {
            let escape = match character {
                '"' => "\\\"",
                '\\' => "\\\\",
                '\t' => "\\t",
                '\r' => "\\r",
                '\0'..='\u{1f}' | '\u{7f}'..='\u{a0}' | '\u{2028}' | '\u{2029}' | '\u{feff}' => {
                    return None;
                }
                _ => continue,
            };
            self.out.push_text(text, plain..at);
            plain = at + character.len_utf8();
            self.out.push_escape(escape, text.span_of(at..plain));
        }
        self.out.push_text(text, plain..text.as_str().len());
        self.out.push_escape("\"", text.span());
        Some(())
    }

    /// A string of several lines as a literal block.
    fn block(&mut self, text: &Text, value: &Value, column: usize) -> Option<()> {
        let written = text.as_str();
        let printable = |c: char| {
            c == '\n' || !c.is_control() && !matches!(c, '\u{feff}' | '\u{2028}' | '\u{2029}')
        };
        if written.ends_with(' ') || !written.chars().all(printable) {
            return None;
        }
        let hint = if written.starts_with([' ', '\n']) {
            "2"
        } else {
            ""
        };
        let chomp = match written.strip_suffix('\n') {
            None => "-",
            Some("") => "+",
            Some(rest) if rest.ends_with('\n') => "+",
            Some(_) => "",
        };
        self.push(&format!("|{hint}{chomp}\n"), value);
        let body = written.strip_suffix('\n').unwrap_or(written);
        let mut at = 0;
        for line in body.split('\n') {
            if !line.is_empty() {
                self.push(&" ".repeat(column + 2), value);
                self.out.push_text(text, at..at + line.len());
            }
            self.push("\n", value);
            at += line.len() + 1;
        }
        Some(())
    }
}

fn decode(given: &Arguments) -> Eval<Value> {
    let text = given.text(0)?;
    given.afford(
        text.as_str().matches(['\n', ',', ':']).count(),
        text.as_str().len(),
    )?;
    // The reader of YAML says where things stand in the text; that is found again in the text's own places.
    let mut sources = SourceMap::default();
    let file = sources.add("yaml", text.as_str());
    let Some(copy) = sources.text(file) else {
        return Ok(given.not_evaluated("this YAML"));
    };
    let mut parsed = yaml::read(&copy);
    if let Some(found) = parsed.faults.pop() {
        let at = text.span_of(found.at.range());
        return Err(fault(at, found.reason));
    }
    let more = parsed.documents.len() > 1;
    match parsed.documents.pop() {
        Some(root) if !more => Reader { given, text: &text }.value(&root),
        Some(_) => Err(fault(text.span(), "`yamldecode` takes one document")),
        None => Err(fault(text.span(), "there is no YAML in this string")),
    }
}

struct Reader<'a> {
    given: &'a Arguments,
    text: &'a Text,
}

impl Reader<'_> {
    fn value(&self, node: &Node) -> Eval<Value> {
        let range = node.span().range();
        let written = self.text.as_str().get(range.clone()).unwrap_or_default();
        let at = self.text.span_of(range);
        let kind = match &node.kind {
            Kind::List(items) => {
                let items: Eval<Vec<Value>> = items.iter().map(|item| self.value(item)).collect();
                ValueKind::Sequence(Sequence::Tuple, items?)
            }
            Kind::Map(entries) => {
                let mut all: Vec<(Text, Value)> = Vec::new();
                for entry in entries {
                    if entry.key.as_str() == "<<" {
                        return Ok(self.given.not_evaluated("`<<` in YAML"));
                    }
                    all.push((self.key(&entry.key), self.value(&entry.value)?));
                }
                ValueKind::Mapping(Mapping::Object, all)
            }
            Kind::Null | Kind::Bool(_) | Kind::Number(_) | Kind::Text(_)
                if written.starts_with(['&', '*', '!']) =>
            {
                return Ok(self.given.not_evaluated("an anchor or a tag in YAML"));
            }
            Kind::Text(text) if written.starts_with(['"', '\'', '|', '>']) => {
                ValueKind::Text(self.text_of(text))
            }
            Kind::Null | Kind::Bool(_) | Kind::Number(_) => match self.plain(written) {
                Some(kind) => kind,
                None => ValueKind::Text(text_at(written, at)),
            },
            Kind::Text(text) => match self.plain(text.as_str()) {
                Some(kind) => kind,
                None => ValueKind::Text(self.text_of(text)),
            },
            Kind::Unknown(unknown) => ValueKind::Unknown(unknown.clone()),
        };
        Ok(Value::new(kind, at))
    }

    /// A key as a string: a plain word is what it means first, so that `on` becomes `true`.
    fn key(&self, key: &Text) -> Text {
        let range = key.span().range();
        let written = self.text.as_str().get(range).unwrap_or_default();
        let meaning = match self.plain(key.as_str()) {
            Some(ValueKind::Bool(flag)) => flag.to_string(),
            Some(ValueKind::Number(number)) => number.to_string(),
            _ => return self.text_of(key),
        };
        if written.starts_with(['"', '\'']) || meaning == key.as_str() {
            return self.text_of(key);
        }
        text_at(&meaning, self.text.span_of(key.span().range()))
    }

    /// What a plain word is; `None` for a string.
    fn plain(&self, word: &str) -> Option<ValueKind> {
        Some(match word {
            "" | "~" | "null" | "Null" | "NULL" => ValueKind::Null,
            "y" | "Y" | "yes" | "Yes" | "YES" | "true" | "True" | "TRUE" | "on" | "On" | "ON" => {
                ValueKind::Bool(true)
            }
            "n" | "N" | "no" | "No" | "NO" | "false" | "False" | "FALSE" | "off" | "Off"
            | "OFF" => ValueKind::Bool(false),
            ".inf" | "+.inf" | "-.inf" | ".Inf" | "-.Inf" | ".INF" | "-.INF" | ".nan" | ".NaN"
            | ".NAN" => self.given.not_evaluated("an infinite number").kind,
            _ => return self.number(word),
        })
    }

    fn number(&self, word: &str) -> Option<ValueKind> {
        let (sign, digits) = match word.strip_prefix('-') {
            Some(digits) => ("-", digits),
            None => ("", word.strip_prefix('+').unwrap_or(word)),
        };
        if !digits.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
            return None;
        }
        let radix = [("0x", 16), ("0o", 8)];
        let of_radix = radix.iter().find_map(|(mark, radix)| {
            let digits = word.strip_prefix(mark)?;
            i128::from_str_radix(digits, *radix)
                .ok()
                .filter(|_| !digits.starts_with(['+', '-']))
        });
        if let Some(value) = of_radix {
            return Some(ValueKind::Number(Number::from_whole(value)));
        }
        if is_date(digits) && sign.is_empty() {
            return Some(self.given.not_evaluated("a moment in YAML").kind);
        }
        let is_number = digits.parse::<f64>().is_ok()
            && digits.bytes().all(|byte| {
                byte.is_ascii_digit() || matches!(byte, b'.' | b'e' | b'E' | b'+' | b'-')
            });
        if !is_number {
            return None;
        }
        let digits = digits.strip_suffix('.').unwrap_or(digits);
        let whole = if digits.starts_with('.') {
            format!("{sign}0{digits}")
        } else {
            format!("{sign}{digits}")
        };
        Some(match Number::parse(&whole) {
            Some(number) => ValueKind::Number(number),
            None => self.given.number_result(None).kind,
        })
    }

    /// A text of the copy, with the places of the text it was copied from.
    fn text_of(&self, inner: &Text) -> Text {
        let mut builder = TextBuilder::default();
        let mut done = 0;
        let value = inner.as_str();
        let push = |builder: &mut TextBuilder,
                    from: usize,
                    to: usize,
                    plain: bool,
                    range: std::ops::Range<usize>| {
            let part = value.get(from..to).unwrap_or_default();
            if plain {
                builder.push_text(self.text, range);
            } else {
                builder.push_escape(part, self.text.span_of(range));
            }
        };
        for piece in inner.pieces().iter() {
            if piece.value.start > done {
                push(
                    &mut builder,
                    done,
                    piece.value.start,
                    false,
                    inner.span().range(),
                );
            }
            let range = piece.span.range();
            let written = self.text.as_str().get(range.clone());
            let plain = written == value.get(piece.value.clone());
            push(
                &mut builder,
                piece.value.start,
                piece.value.end,
                plain,
                range,
            );
            done = piece.value.end;
        }
        if done < value.len() {
            push(&mut builder, done, value.len(), false, inner.span().range());
        }
        let at = self.text.span_of(inner.span().range());
        builder.finish(Origin::Source(at))
    }
}

/// `2001-01-01` and what goes on behind it.
fn is_date(word: &str) -> bool {
    let mut bytes = word.bytes();
    let year = bytes.by_ref().take(4).all(|byte| byte.is_ascii_digit());
    year && bytes.next() == Some(b'-') && bytes.next().is_some_and(|byte| byte.is_ascii_digit())
}
