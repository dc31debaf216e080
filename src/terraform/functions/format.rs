//! `format` and `formatlist`: the verbs of Go, as Terraform has them (zclconf/go-cty, `stdlib/format.go`).

use super::{Arguments, Signature, sees, takes};
use crate::terraform::Eval;
use num_bigint::{BigInt, Sign};

use crate::terraform::Number;
use crate::terraform::failure::{fault, limit};
use crate::terraform::types::{to_bool, to_number, to_text};
use crate::terraform::value::{Sequence, Value, ValueKind, merged};
use crate::text::{Origin, Span, Text, TextBuilder};

use super::text::clusters;

const ANY: usize = usize::MAX;

pub(super) fn signature(name: &str) -> Option<Signature> {
    Some(match name {
        "format" => takes(1, ANY, format_text),
        "formatlist" => sees(1, ANY, format_each),
        _ => return None,
    })
}

/// One verb: `%-8.3f`, `%[2]s`.
#[derive(Default)]
struct Verb {
    sharp: bool,
    plus: bool,
    minus: bool,
    space: bool,
    zero: bool,
    width: Option<usize>,
    precision: Option<usize>,
    index: Option<usize>,
    letter: char,
    /// Where it ends.
    end: usize,
}

/// The longest padding.
const MAX_WIDTH: usize = 10_000;

impl Verb {
    /// The verb behind the `%` at `at`.
    fn read(written: &str, at: usize) -> Option<Self> {
        let mut verb = Self::default();
        let mut rest = written.get(at + 1..)?;
        loop {
            match rest.chars().next()? {
                '#' => verb.sharp = true,
                '+' => verb.plus = true,
                '-' => verb.minus = true,
                ' ' => verb.space = true,
                '0' => verb.zero = true,
                _ => break,
            }
            rest = rest.get(1..)?;
        }
        verb.width = digits(&mut rest);
        if let Some(behind) = rest.strip_prefix('.') {
            rest = behind;
            verb.precision = Some(digits(&mut rest).unwrap_or_default());
        }
        if let Some(behind) = rest.strip_prefix('[') {
            rest = behind;
            verb.index = Some(digits(&mut rest)?.checked_sub(1)?);
            rest = rest.strip_prefix(']')?;
        }
        verb.letter = rest.chars().next()?;
        verb.end = written.len() - rest.len() + verb.letter.len_utf8();
        Some(verb)
    }

    /// Whether it pads to more than is looked at.
    fn is_wide(&self) -> bool {
        let mut widths = [self.width, self.precision].into_iter().flatten();
        widths.any(|width| width > MAX_WIDTH)
    }
}

fn digits(rest: &mut &str) -> Option<usize> {
    let length = rest.bytes().take_while(u8::is_ascii_digit).count();
    let (number, behind) = rest.split_at_checked(length)?;
    let number = number.parse().ok()?;
    *rest = behind;
    Some(number)
}

fn format_text(given: &Arguments) -> Eval<Value> {
    let pattern = given.text(0)?;
    let written = pattern.as_str();
    let mut builder = TextBuilder::default();
    let (mut next, mut from, mut most, mut indexed) = (1, 0, 0, false);
    for (at, _) in written.match_indices('%') {
        if at < from {
            continue;
        }
        builder.push_text(&pattern, from..at);
        if written
            .get(at + 1..)
            .is_some_and(|rest| rest.starts_with('%'))
        {
            builder.push_text(&pattern, at..at + 1);
            from = at + 2;
            continue;
        }
        let Some(verb) = Verb::read(written, at) else {
            return Err(fault(
                pattern.span_of(at..at + 1),
                "this is no verb of `format`",
            ));
        };
        let place = pattern.span_of(at..verb.end);
        if verb.is_wide() {
            let reason = format!("`format` pads to more than {MAX_WIDTH} characters");
            return Err(limit(place, reason));
        }
        from = verb.end;
        if let Some(index) = verb.index {
            next = index + 1;
            indexed = true;
        }
        let Some(value) = given.values.get(next) else {
            return Err(fault(place, "`format` has more verbs than values"));
        };
        most = most.max(next);
        next += 1;
        match verb.formatted(value, place)? {
            Some(text) => builder.push_whole(&text),
            None => return Ok(given.not_evaluated("`format` of this value")),
        }
        given.afford(0, builder.as_str().len())?;
    }
    if most + 1 < given.values.len() && !indexed {
        return Err(fault(given.span, "`format` has more values than verbs"));
    }
    builder.push_text(&pattern, from..written.len());
    Ok(given.built(builder))
}

/// `format` for each element: lists are gone through side by side, what is no list stands in every turn.
fn format_each(given: &Arguments) -> Eval<Value> {
    let mut length = None;
    for value in &given.values {
        if matches!(value.kind, ValueKind::Unknown(_)) {
            return Ok(value.clone());
        }
        if let ValueKind::Sequence(_, items) = &value.kind
            && length
                .replace(items.len())
                .is_some_and(|other| other != items.len())
        {
            return Err(fault(
                value.span(),
                "the lists of `formatlist` are of one length",
            ));
        }
    }
    let length = length.unwrap_or(1);
    // A single value is used in every turn; the elements of a list were paid for when they were made.
    let single = given.values.iter().filter_map(Value::as_text);
    let single: usize = single.map(|text| text.as_str().len()).sum();
    given.afford(length, length.saturating_mul(single))?;
    let turn = |at: usize| {
        let of_turn = given.values.iter().map(|value| {
            let ValueKind::Sequence(_, items) = &value.kind else {
                return value.clone();
            };
            items.get(at).unwrap_or(value).clone()
        });
        let values: Vec<Value> = of_turn.collect();
        match merged(values.iter().filter_map(Value::hole)) {
            Some(unknown) => Ok(given.result(ValueKind::Unknown(unknown))),
            None => format_text(&Arguments {
                values,
                span: given.span,
                room: given.room,
            }),
        }
    };
    let texts: Eval<Vec<Value>> = (0..length).map(turn).collect();
    Ok(given.result(ValueKind::Sequence(Sequence::List, texts?)))
}

impl Verb {
    /// The value by this verb; `None` where it is not known, or not evaluated.
    fn formatted(&self, value: &Value, place: Span) -> Eval<Option<Text>> {
        if value.is_null() {
            return Ok(None);
        }
        let collection = matches!(value.kind, ValueKind::Sequence(..) | ValueKind::Mapping(..));
        let text = match self.letter {
            'v' if !self.sharp && matches!(value.kind, ValueKind::Number(_)) => {
                let shortest = Self {
                    letter: 'g',
                    ..Self::default()
                };
                match to_number(value)? {
                    Some(number) => shortest
                        .number(number, place)?
                        .map(|text| made(&text, value)),
                    None => None,
                }
            }
            'v' if collection || self.sharp => value.json().map(|json| made(&json, value)),
            'v' => to_text(value)?.as_text(),
            's' => to_text(value)?.as_text().map(|text| self.cut(&text)),
            'q' => {
                let text = Value {
                    origin: value.origin.clone(),
                    kind: to_text(value)?.kind,
                };
                text.json().map(|json| made(&json, value))
            }
            't' => Some(made(&to_bool(value)?.to_string(), value)),
            'd' | 'b' | 'o' | 'x' | 'X' | 'f' | 'F' | 'e' | 'E' | 'g' | 'G' => {
                match to_number(value)? {
                    Some(number) => self.number(number, place)?.map(|text| made(&text, value)),
                    None => None,
                }
            }
            _ => return Err(fault(place, "this is no verb of `format`")),
        };
        let plain = matches!(value.kind, ValueKind::Bool(_)) && !self.sharp;
        if self.letter == 't' || self.letter == 'v' && plain {
            return Ok(text);
        }
        Ok(text.and_then(|text| self.padded(text)))
    }

    /// As many characters as the precision says.
    fn cut(&self, text: &Text) -> Text {
        let Some((end, _)) = self
            .precision
            .and_then(|most| text.as_str().char_indices().nth(most))
        else {
            return text.clone();
        };
        let mut builder = TextBuilder::default();
        builder.push_text(text, 0..end);
        builder.finish(text.origin())
    }

    fn number(&self, number: Number, place: Span) -> Eval<Option<String>> {
        let whole = || {
            let reason = "this verb takes a whole number";
            if number.is_whole() {
                Ok(number.as_integer())
            } else {
                Err(fault(place, reason))
            }
        };
        let magnitude = |value: &BigInt, before: &str, radix: u32| {
            let negative = value.sign() == Sign::Minus;
            let sign = if negative { "-" } else { self.plus_sign() };
            format!("{sign}{before}{}", value.magnitude().to_str_radix(radix))
        };
        Ok(match self.letter {
            'd' => whole()?.map(|value| magnitude(&value, "", 10)),
            'b' | 'o' | 'x' | 'X' => whole()?.map(|value| {
                let (before, radix) = match self.letter {
                    'b' => ("0b", 2),
                    'o' => ("0", 8),
                    _ => ("0x", 16),
                };
                let before = if self.sharp { before } else { "" };
                let written = magnitude(&value, before, radix);
                if self.letter == 'X' {
                    written.to_uppercase()
                } else {
                    written
                }
            }),
            'e' | 'E' | 'g' | 'G' => Some(self.exponent(number)),
            'f' | 'F' => {
                let written = number.rounded(self.precision.unwrap_or(6));
                let negative = written.starts_with('-');
                let sign = if negative { "" } else { self.plus_sign() };
                Some(format!("{sign}{written}"))
            }
            _ => None,
        })
    }

    /// With an exponent, or with `%g` where that is shorter.
    fn exponent(&self, number: Number) -> String {
        let written = if matches!(self.letter, 'g' | 'G') {
            number.general(self.precision)
        } else {
            number.with_exponent(self.precision.unwrap_or(6))
        };
        let sign = if written.starts_with('-') {
            ""
        } else {
            self.plus_sign()
        };
        let written = if self.letter.is_ascii_uppercase() {
            written.to_ascii_uppercase()
        } else {
            written
        };
        format!("{sign}{written}")
    }

    fn plus_sign(&self) -> &'static str {
        match (self.plus, self.space) {
            (true, _) => "+",
            (false, true) => " ",
            (false, false) => "",
        }
    }

    /// With blanks or zeros to the width.
    fn padded(&self, text: Text) -> Option<Text> {
        let Some(width) = self.width else {
            return Some(text);
        };
        let length = clusters(text.as_str()).len();
        let missing = width.saturating_sub(length);
        if missing == 0 {
            return Some(text);
        }
        let span = text.span();
        let mut builder = TextBuilder::default();
        if self.minus {
            builder.push_whole(&text);
            builder.push_escape(&" ".repeat(missing), span);
        } else if self.zero {
            let signed =
                !matches!(self.letter, 's' | 'v') && text.as_str().starts_with(['-', '+', ' ']);
            let mut begin = usize::from(signed);
            let behind = text.as_str().get(begin..).unwrap_or_default();
            let of_base = matches!(self.letter, 'b' | 'x' | 'X') && self.sharp;
            if of_base && behind.starts_with(['0']) {
                begin += 2;
            }
            builder.push_text(&text, 0..begin);
            builder.push_escape(&"0".repeat(missing), span);
            builder.push_text(&text, begin..text.as_str().len());
        } else {
            builder.push_escape(&" ".repeat(missing), span);
            builder.push_whole(&text);
        }
        Some(builder.finish(text.origin()))
    }
}

fn made(written: &str, value: &Value) -> Text {
    let mut builder = TextBuilder::default();
    builder.push_escape(written, value.span());
    let origin: Origin = value.origin.clone();
    builder.finish(origin)
}
