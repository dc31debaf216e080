//! Functions of strings. Every byte that is carried over keeps its place.

use super::{Arguments, Signature, items, sees, takes};
use crate::terraform::Eval;
use crate::terraform::types::{fault, to_number, to_text};
use crate::terraform::value::{Sequence, Value, ValueKind, merged};
use crate::text::{Origin, Text, TextBuilder};

const ANY: usize = usize::MAX;

pub(super) fn signature(name: &str) -> Option<Signature> {
    Some(match name {
        "format" => takes(1, ANY, format_text),
        "formatlist" => sees(1, ANY, format_each),
        "join" => takes(2, ANY, join),
        "split" => takes(2, 2, split),
        "lower" => takes(1, 1, |given| given.each_character(char::to_ascii_lowercase)),
        "upper" => takes(1, 1, |given| given.each_character(char::to_ascii_uppercase)),
        "replace" => takes(3, 3, replace),
        "trimspace" => takes(1, 1, |given| {
            let text = given.text(0)?;
            let start = text.as_str().len() - text.as_str().trim_start().len();
            let end = text.as_str().trim_end().len().max(start);
            Ok(given.part(&text, start, end))
        }),
        "chomp" => takes(1, 1, |given| {
            let text = given.text(0)?;
            let end = text.as_str().trim_end_matches(['\r', '\n']).len();
            Ok(given.part(&text, 0, end))
        }),
        "trimprefix" => takes(2, 2, |given| {
            let (text, prefix) = (given.text(0)?, given.text(1)?);
            let rest = text.as_str().strip_prefix(prefix.as_str());
            let start = text.as_str().len() - rest.unwrap_or(text.as_str()).len();
            Ok(given.part(&text, start, text.as_str().len()))
        }),
        "trimsuffix" => takes(2, 2, |given| {
            let (text, suffix) = (given.text(0)?, given.text(1)?);
            let rest = text.as_str().strip_suffix(suffix.as_str());
            Ok(given.part(&text, 0, rest.unwrap_or(text.as_str()).len()))
        }),
        "startswith" => takes(2, 2, |given| {
            given.test(|text, part| text.starts_with(part))
        }),
        "endswith" => takes(2, 2, |given| given.test(|text, part| text.ends_with(part))),
        "strcontains" => takes(2, 2, |given| given.test(|text, part| text.contains(part))),
        _ => return None,
    })
}

impl Arguments {
    /// The argument at `at` as a string.
    pub(super) fn text(&self, at: usize) -> Eval<Text> {
        let value = self.get(at)?;
        let text = to_text(value)?.as_text();
        text.ok_or_else(|| fault(value.span(), "null stands here, but a string is expected"))
    }

    fn built(&self, builder: TextBuilder) -> Value {
        self.result(ValueKind::Text(builder.finish(Origin::Source(self.span))))
    }

    fn part(&self, text: &Text, start: usize, end: usize) -> Value {
        let mut builder = TextBuilder::default();
        builder.push_text(text, start..end);
        self.built(builder)
    }

    fn test(&self, test: fn(&str, &str) -> bool) -> Eval<Value> {
        let answer = test(self.text(0)?.as_str(), self.text(1)?.as_str());
        Ok(self.result(ValueKind::Bool(answer)))
    }

    /// Changes the letters of ASCII text, each of which keeps its byte.
    fn each_character(&self, change: fn(&char) -> char) -> Eval<Value> {
        let text = self.text(0)?;
        if !text.as_str().is_ascii() {
            return Ok(self.not_evaluated("the case of letters beyond ASCII"));
        }
        let changed: String = text.as_str().chars().map(|c| change(&c)).collect();
        let origin = Origin::Source(self.span);
        let mut carried = TextBuilder::default();
        carried.push_whole(&text);
        let pieces = carried.finish(origin.clone()).pieces().to_vec();
        Ok(self.result(ValueKind::Text(Text::pieced(changed, origin, pieces))))
    }
}

/// A pattern between slashes is a regular expression.
fn replace(given: &Arguments) -> Eval<Value> {
    let (text, pattern, with) = (given.text(0)?, given.text(1)?, given.text(2)?);
    let wanted = pattern.as_str();
    if wanted.len() > 1 && wanted.starts_with('/') && wanted.ends_with('/') {
        return Ok(given.not_evaluated("`replace` with a regular expression"));
    }
    if wanted.is_empty() {
        return Ok(given.not_evaluated("`replace` of nothing"));
    }
    let matches = text.as_str().matches(wanted).count();
    let inserted = matches.saturating_mul(with.as_str().len());
    given.afford(matches, text.as_str().len().saturating_add(inserted))?;
    let mut builder = TextBuilder::default();
    let mut from = 0;
    for (at, _) in text.as_str().match_indices(wanted) {
        builder.push_text(&text, from..at);
        builder.push_whole(&with);
        from = at + wanted.len();
    }
    builder.push_text(&text, from..text.as_str().len());
    Ok(given.built(builder))
}

fn join(given: &Arguments) -> Eval<Value> {
    let separator = given.text(0)?;
    // One element is joined to nothing: it stays what it is, with its known parts.
    if let [_, list] = given.values.as_slice()
        && let [only] = items(list, "join")?
        && !only.is_null()
    {
        return to_text(only);
    }
    let mut builder = TextBuilder::default();
    let mut first = true;
    for value in given.values.iter().skip(1) {
        let all = items(value, "join")?;
        if let Some(unknown) = merged(all.iter().filter_map(Value::hole)) {
            return Ok(given.result(ValueKind::Unknown(unknown)));
        }
        for item in all {
            let text = to_text(item)?.as_text();
            let text = text.ok_or_else(|| fault(item.span(), "null cannot be joined"))?;
            if !first {
                builder.push_whole(&separator);
            }
            first = false;
            builder.push_whole(&text);
            given.afford(0, builder.as_str().len())?;
        }
    }
    Ok(given.built(builder))
}

fn split(given: &Arguments) -> Eval<Value> {
    let (separator, text) = (given.text(0)?, given.text(1)?);
    if separator.as_str().is_empty() {
        return Ok(given.not_evaluated("`split` at nothing"));
    }
    let matches = text.as_str().matches(separator.as_str()).count();
    given.afford(matches, text.as_str().len())?;
    let mut from = 0;
    let mut parts = Vec::new();
    for (at, _) in text.as_str().match_indices(separator.as_str()) {
        parts.push(given.part(&text, from, at));
        from = at + separator.as_str().len();
    }
    parts.push(given.part(&text, from, text.as_str().len()));
    Ok(given.result(ValueKind::Sequence(Sequence::List, parts)))
}

/// The verbs `%s`, `%d`, `%v` and `%%`; what else Go knows is not evaluated.
fn format_text(given: &Arguments) -> Eval<Value> {
    let pattern = given.text(0)?;
    let mut builder = TextBuilder::default();
    let mut next = 1;
    let mut from = 0;
    let written = pattern.as_str();
    for (at, _) in written.match_indices('%') {
        if at < from {
            continue;
        }
        builder.push_text(&pattern, from..at);
        from = at + 2;
        let verb = written.as_bytes().get(at + 1).copied();
        if verb == Some(b'%') {
            builder.push_text(&pattern, at..at + 1);
            continue;
        }
        if !matches!(verb, Some(b's' | b'd' | b'v')) {
            return Ok(given.not_evaluated("this verb of `format`"));
        }
        let Some(value) = given.values.get(next) else {
            let reason = "`format` has more verbs than values";
            return Err(fault(pattern.span_of(at..at + 2), reason));
        };
        next += 1;
        match formatted(verb, value)? {
            Some(text) => {
                builder.push_whole(&text);
                given.afford(0, builder.as_str().len())?;
            }
            None => return Ok(given.not_evaluated("`format` of this value")),
        }
    }
    if next < given.values.len() {
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

fn formatted(verb: Option<u8>, value: &Value) -> Eval<Option<Text>> {
    if value.is_null() {
        return Ok(None);
    }
    if verb == Some(b'd') {
        let whole = to_number(value)?.filter(|number| number.is_whole());
        let Some(number) = whole else {
            return Ok(None);
        };
        let kind = ValueKind::Number(number);
        let origin = value.origin.clone();
        return Ok(to_text(&Value { origin, kind })?.as_text());
    }
    let collection = matches!(value.kind, ValueKind::Sequence(..) | ValueKind::Mapping(..));
    if verb == Some(b'v') && collection {
        return Ok(None);
    }
    Ok(to_text(value)?.as_text())
}
