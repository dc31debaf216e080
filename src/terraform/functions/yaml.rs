//! `yamlencode` and `yamldecode` (zclconf/go-cty-yaml): YAML 1.1 words for truth, numbers without `_`, moments in UTC.

use std::collections::BTreeMap;

use super::{Arguments, Signature, takes};
use crate::syntax::{Entry, Kind, Node, yaml};
use crate::terraform::evaluate::text_at;
use crate::terraform::failure::fault;
use crate::terraform::value::{Mapping, Sequence, Value, ValueKind, sorted};
use crate::terraform::{Eval, Number};
use crate::text::{Origin, SourceMap, Span, Text, TextBuilder};

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
        let at = self.text.span_of(range.clone());
        if let Some(tag) = self.tag(range.start)
            && !matches!(
                (tag.as_str(), &node.kind),
                ("!!map", Kind::Map(_)) | ("!!seq", Kind::List(_))
            )
        {
            let kind = self.tagged(&tag, node, written, at)?;
            return Ok(Value::new(kind, at));
        }
        let kind = match &node.kind {
            Kind::List(items) => {
                let items: Eval<Vec<Value>> = items.iter().map(|item| self.value(item)).collect();
                ValueKind::Sequence(Sequence::Tuple, items?)
            }
            Kind::Map(entries) => ValueKind::Mapping(Mapping::Object, self.map(entries)?),
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
            Kind::Text(text) => match (self.plain(text.as_str()), moment(text.as_str())) {
                (Some(kind), _) => kind,
                (None, Some(moment)) => ValueKind::Text(text_at(&moment, at)),
                (None, None) => ValueKind::Text(self.text_of(text)),
            },
            Kind::Unknown(unknown) => ValueKind::Unknown((**unknown).clone()),
        };
        Ok(Value::new(kind, at))
    }

    /// Entries, of which those behind `<<` are taken in; of repeated keys the last counts, at the place of the first.
    fn map(&self, entries: &[Entry]) -> Eval<Vec<(Text, Value)>> {
        let mut all: Vec<(Text, Value)> = Vec::new();
        let mut places: BTreeMap<String, usize> = BTreeMap::new();
        let mut put = |key: Text, value: Value| match places
            .get(key.as_str())
            .and_then(|at| all.get_mut(*at))
        {
            Some(entry) => *entry = (key, value),
            None => {
                places.insert(key.as_str().to_owned(), all.len());
                all.push((key, value));
            }
        };
        for entry in entries {
            let value = self.value(&entry.value)?;
            if entry.key.as_str() != "<<" {
                put(self.key(&entry.key)?, value);
                continue;
            }
            let ValueKind::Mapping(_, inner) = value.kind else {
                return Err(fault(value.span(), "`<<` in YAML takes a map here"));
            };
            for (key, value) in inner {
                put(key, value);
            }
        }
        Ok(all)
    }

    /// The tag before a value that begins at `start`, in its short form.
    fn tag(&self, start: usize) -> Option<String> {
        let before = self.text.as_str().get(..start)?;
        let before = before.strip_suffix([' ', '\n', '\t'])?.trim_end();
        let word = before.rsplit([' ', '\n', '\t']).next()?;
        let word = word.get(word.find('!')?..)?;
        let long = word.strip_prefix("!<tag:yaml.org,2002:");
        let long = long.and_then(|rest| rest.strip_suffix('>'));
        word.starts_with('!')
            .then(|| long.map_or_else(|| word.to_owned(), |kind| format!("!!{kind}")))
    }

    /// A scalar with a tag. Quotes make a string of it in spite of the tag.
    fn tagged(&self, tag: &str, node: &Node, written: &str, at: Span) -> Eval<ValueKind> {
        let refused = || {
            fault(
                at,
                format!("`yamldecode` takes no tag `{tag}` for this value"),
            )
        };
        let quoted = written.starts_with(['"', '\'', '|', '>']);
        let text = match &node.kind {
            Kind::Text(text) => self.text_of(text),
            Kind::Unknown(_) if quoted => {
                return Ok(self.given.not_evaluated("this tag in YAML").kind);
            }
            // What a number, a truth value or null is written with has no escapes.
            Kind::Null | Kind::Bool(_) | Kind::Number(_) | Kind::Unknown(_) => {
                text_at(written.trim_matches(['"', '\'']), at)
            }
            Kind::List(_) | Kind::Map(_) => return Err(refused()),
        };
        let known = [
            "!!str",
            "!!binary",
            "!!null",
            "!!bool",
            "!!int",
            "!!float",
            "!!timestamp",
        ];
        if !known.contains(&tag) {
            return Err(refused());
        }
        match (tag, self.plain(text.as_str())) {
            ("!!str" | "!!binary", _) => Ok(ValueKind::Text(text)),
            _ if quoted => Ok(ValueKind::Text(text)),
            ("!!null", _) => Ok(ValueKind::Null),
            ("!!bool", Some(kind @ ValueKind::Bool(_)))
            | ("!!int" | "!!float", Some(kind @ (ValueKind::Number(_) | ValueKind::Unknown(_)))) => {
                Ok(kind)
            }
            ("!!timestamp", _) => match moment(text.as_str()) {
                Some(moment) => Ok(ValueKind::Text(text_at(&moment, at))),
                None => Err(refused()),
            },
            _ => Err(refused()),
        }
    }

    /// A key as a string: a plain word is what it means first, so that `on` becomes `true`.
    fn key(&self, key: &Text) -> Eval<Text> {
        let range = key.span().range();
        let written = self.text.as_str().get(range).unwrap_or_default();
        let is_quoted = written.starts_with(['"', '\'']);
        let meaning = match self.plain(key.as_str()) {
            Some(ValueKind::Bool(flag)) => flag.to_string(),
            Some(ValueKind::Number(number)) => number.to_string(),
            Some(ValueKind::Null) if !is_quoted => {
                let at = self.text.span_of(key.span().range());
                return Err(fault(at, "a key in YAML cannot be null"));
            }
            _ => return Ok(self.text_of(key)),
        };
        if is_quoted || meaning == key.as_str() {
            return Ok(self.text_of(key));
        }
        Ok(text_at(&meaning, self.text.span_of(key.span().range())))
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

/// A moment as go-cty-yaml writes it: `2001-12-14`, with a time behind a blank, or behind `T` with a zone. Parts of seconds
/// are lost.
fn moment(word: &str) -> Option<String> {
    let (date, time) = match word.split_once(['T', 't', ' ']) {
        Some((date, time)) => (date, Some(time)),
        None => (word, None),
    };
    let mut parts = date.split('-');
    let year = parts.next().filter(|year| year.len() == 4)?;
    let (year, month) = (part(year, 9999)?, part(parts.next()?, 12)?);
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        2 => 28 + u32::from(leap),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    };
    let day = part(parts.next()?, days)?;
    if parts.next().is_some() || month == 0 || day == 0 {
        return None;
    }
    let has_zone = !word.contains(' ');
    let (time, zone) = match time {
        None => ("0:0:0", "Z"),
        Some(time) if !has_zone => (time, "Z"),
        Some(time) => {
            let at = time.find(['Z', '+', '-'])?;
            (time.get(..at)?, time.get(at..)?)
        }
    };
    let (whole, fraction) = time.split_once('.').unwrap_or((time, "0"));
    if !fraction.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let mut parts = whole.split(':');
    let mut next = |most| part(parts.next()?, most);
    let (hour, minute, second) = (next(23)?, next(59)?, next(59)?);
    let is_zone = zone == "Z" || zone.len() == 6 && zone.get(3..4) == Some(":");
    (is_zone && parts.next().is_none())
        .then(|| format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}{zone}"))
}

/// A number of a moment.
fn part(digits: &str, most: u32) -> Option<u32> {
    let fits =
        matches!(digits.len(), 1 | 2 | 4) && digits.bytes().all(|byte| byte.is_ascii_digit());
    digits.parse().ok().filter(|number| fits && *number <= most)
}
