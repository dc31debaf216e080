//! Functions of strings. Every byte that is carried over keeps its place.

use unicode_segmentation::UnicodeSegmentation as _;

use super::{Arguments, Signature, items, sees, takes};
use crate::terraform::Eval;
use crate::terraform::failure::fault;
use crate::terraform::types::to_text;
use crate::terraform::value::{Chunk, Sequence, Value, ValueKind, merged};
use crate::text::{Origin, Text, TextBuilder};

const ANY: usize = usize::MAX;

pub(super) fn signature(name: &str) -> Option<Signature> {
    Some(match name {
        "join" => takes(2, ANY, join),
        "split" => takes(2, 2, split),
        "lower" => takes(1, 1, |given| given.each_character(|_, c| lower(c))),
        "upper" => takes(1, 1, |given| given.each_character(|_, c| upper(c))),
        "title" => takes(1, 1, |given| {
            given.each_character(|before, c| {
                if before.is_none_or(separates) {
                    title(c)
                } else {
                    c
                }
            })
        }),
        "indent" => takes(2, 2, indent),
        "strrev" => takes(1, 1, reverse),
        "substr" => takes(3, 3, substring),
        "trim" => takes(2, 2, |given| {
            let (text, set) = (given.text(0)?, given.text(1)?);
            let inner = |c: char| set.as_str().contains(c);
            let start = text.as_str().len() - text.as_str().trim_start_matches(inner).len();
            let end = text.as_str().trim_end_matches(inner).len().max(start);
            Ok(given.part(&text, start, end))
        }),
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
        "startswith" => sees(2, 2, |given| {
            if let Some(known) = given.known_begin()? {
                return Ok(known);
            }
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

    /// A part of a text, with its places.
    pub(super) fn cut(&self, text: &Text, start: usize, end: usize) -> Text {
        let mut builder = TextBuilder::default();
        builder.push_text(text, start..end);
        builder.finish(Origin::Source(self.span))
    }

    /// What `startswith` is where the text or the prefix is not known as a whole: its known beginning may decide it.
    fn known_begin(&self) -> Eval<Option<Value>> {
        let (value, prefix) = (self.get(0)?, self.get(1)?);
        let unknown = merged([value, prefix].into_iter().filter_map(Value::hole));
        let Some(unknown) = unknown else {
            return Ok(None);
        };
        if let (ValueKind::Partial(chunks), Some(prefix)) = (&value.kind, prefix.as_text())
            && let Some(Chunk::Known(begin)) = chunks.first()
        {
            let (begin, prefix) = (begin.as_str(), prefix.as_str());
            if begin.starts_with(prefix) {
                return Ok(Some(self.result(ValueKind::Bool(true))));
            }
            if !prefix.starts_with(begin) {
                return Ok(Some(self.result(ValueKind::Bool(false))));
            }
        }
        Ok(Some(self.result(ValueKind::Unknown(unknown))))
    }

    pub(super) fn built(&self, builder: TextBuilder) -> Value {
        Value::text(builder.finish(Origin::Source(self.span)))
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

    /// Changes letters one by one, each of which keeps its place; `change` sees the letter before, too.
    fn each_character(&self, change: fn(Option<char>, char) -> char) -> Eval<Value> {
        let text = self.text(0)?;
        let mut builder = TextBuilder::default();
        let mut before = None;
        let mut plain = 0;
        for (at, character) in text.as_str().char_indices() {
            let changed = change(before, character);
            before = Some(character);
            if changed == character {
                continue;
            }
            builder.push_text(&text, plain..at);
            plain = at + character.len_utf8();
            let span = text.span_of(at..plain);
            let written = changed.encode_utf8(&mut [0; 4]).to_owned();
            if span.len() == written.len() {
                builder.push_plain(&written, span);
            } else {
                builder.push_escape(&written, span);
            }
        }
        builder.push_text(&text, plain..text.as_str().len());
        Ok(self.built(builder))
    }
}

/// The upper-case letter, where it is one character: Go has no other.
fn upper(character: char) -> char {
    let mut letters = character.to_uppercase();
    let first = letters.next().filter(|_| letters.next().is_none());
    first.unwrap_or(character)
}

/// As [`upper`], but for letters that are two in one, and Georgian ones, which begin no title.
fn title(character: char) -> char {
    match character {
        'Ǆ'..='ǆ' => 'ǅ',
        'Ǉ'..='ǉ' => 'ǈ',
        'Ǌ'..='ǌ' => 'ǋ',
        'Ǳ'..='ǳ' => 'ǲ',
        'ა'..='ჿ' => character,
        _ => upper(character),
    }
}

/// As [`upper`]. That of `İ` is `i` in Go.
fn lower(character: char) -> char {
    let mut letters = character.to_lowercase();
    match (letters.next(), letters.next()) {
        (Some(first), None) => first,
        _ if character == 'İ' => 'i',
        _ => character,
    }
}

/// Whether a word begins behind this character (Go's `strings.Title`).
fn separates(character: char) -> bool {
    if character.is_ascii() {
        return !character.is_ascii_alphanumeric() && character != '_';
    }
    !character.is_alphanumeric() && character.is_whitespace()
}

/// Where the characters begin that people see: grapheme clusters of Unicode 15, as apparentlymart/go-textseg finds them.
pub(super) fn clusters(text: &str) -> Vec<usize> {
    let mut starts = Vec::new();
    for (at, cluster) in text.grapheme_indices(true) {
        starts.push(at);
        let mut before = None;
        for (inside, character) in cluster.char_indices() {
            if before.is_some_and(|before| parts_of_conjunct(before, character)) {
                starts.push(at + inside);
            }
            before = Some(character);
        }
    }
    starts
}

/// Whether one cluster that is made of two consonants and what joins them (UAX #29, rule `GB9c`, which is newer) ends between
/// these two characters.
fn parts_of_conjunct(before: char, character: char) -> bool {
    let joins = matches!(before, '\u{200d}')
        || !before.is_alphabetic() && ('\u{900}'..='\u{1cff}').contains(&before);
    joins && ('\u{900}'..='\u{1cff}').contains(&character) && breaks_alone(character)
}

/// Whether a cluster begins with this character wherever nothing joins it to what stands before.
fn breaks_alone(character: char) -> bool {
    let mut pair = "a".to_owned();
    pair.push(character);
    pair.graphemes(true).count() == 2
}

fn reverse(given: &Arguments) -> Eval<Value> {
    let text = given.text(0)?;
    let starts = clusters(text.as_str());
    let mut builder = TextBuilder::default();
    let mut end = text.as_str().len();
    for start in starts.into_iter().rev() {
        builder.push_text(&text, start..end);
        end = start;
    }
    Ok(given.built(builder))
}

/// From an offset, from the end where it is negative; of a length, to the end where it is -1.
fn substring(given: &Arguments) -> Eval<Value> {
    let (text, offset, length) = (given.text(0)?, given.whole(1)?, given.whole(2)?);
    let mut starts = clusters(text.as_str());
    let count = starts.len();
    starts.push(text.as_str().len());
    let magnitude = usize::try_from(offset.unsigned_abs()).unwrap_or(usize::MAX);
    let from = if offset < 0 {
        count.saturating_sub(magnitude)
    } else {
        magnitude.min(count)
    };
    let to = match usize::try_from(length) {
        Ok(length) => from.saturating_add(length).min(count),
        Err(_) => count,
    };
    let at = |index: usize| starts.get(index).copied().unwrap_or(text.as_str().len());
    Ok(given.part(&text, at(from), at(to)))
}

/// Spaces at the beginning of every line but the first.
fn indent(given: &Arguments) -> Eval<Value> {
    let (spaces, text) = (given.whole(0)?, given.text(1)?);
    let Ok(spaces) = usize::try_from(spaces) else {
        return Err(fault(given.span, "the number of spaces is not negative"));
    };
    let lines = text.as_str().matches('\n').count();
    given.afford(
        lines,
        lines
            .saturating_mul(spaces)
            .saturating_add(text.as_str().len()),
    )?;
    let blank = " ".repeat(spaces);
    let mut builder = TextBuilder::default();
    let mut from = 0;
    for (at, _) in text.as_str().match_indices('\n') {
        builder.push_text(&text, from..at + 1);
        builder.push_escape(&blank, text.span_of(at..at + 1));
        from = at + 1;
    }
    builder.push_text(&text, from..text.as_str().len());
    Ok(given.built(builder))
}

/// A pattern between slashes is a regular expression.
fn replace(given: &Arguments) -> Eval<Value> {
    let (text, pattern, with) = (given.text(0)?, given.text(1)?, given.text(2)?);
    let wanted = pattern.as_str();
    if wanted.len() > 1 && wanted.starts_with('/') && wanted.ends_with('/') {
        return given.replaced(&text, &pattern, &with);
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
        let characters = text.as_str().char_indices();
        let parts = characters.map(|(at, c)| given.part(&text, at, at + c.len_utf8()));
        let parts = parts.collect();
        given.afford(text.as_str().len(), 0)?;
        return Ok(given.result(ValueKind::Sequence(Sequence::List, parts)));
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
