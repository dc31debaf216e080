//! Values of a context key that the conditions on it can tell apart: one of each kind.
//!
//! Texts by [`words`](super::words); numbers, dates and addresses by the ends of the intervals that the conditions draw,
//! with a value in each gap; truth values and bytes by what is written. A key that is asked as several of these at once
//! gets the values of all, and that is told, since a kind could be missed.

use std::collections::BTreeSet;

use crate::model::policy::{BaseOperator, Family};

use super::super::Request;
use super::super::condition::ConditionTest;
use super::super::operators::Texts;
use super::super::pattern::{Glyph, Pattern};
use super::ends::Ends;
use super::letters::folding_to;
use super::realm::Sends;
use super::typed;
use super::words::{Budget, Shape, Step, TooTangled, Wish, Word, Words, examples, is_shaped};

/// One value of each kind.
#[derive(Debug, Default)]
pub(super) struct Kinds {
    pub(super) values: Vec<String>,
    /// Why a kind could be missing.
    pub(super) open: Option<String>,
}

/// One value of each kind that `tests` can tell apart, variables being filled in from `base`; of those that are sent.
pub(super) fn kinds(
    tests: &[(&ConditionTest, Wish)],
    sends: Sends,
    barred: &[Word],
    base: &Request,
    budget: &Budget,
) -> Result<Kinds, TooTangled> {
    if let Sends::One(all) = sends {
        let values = all.iter().map(ToString::to_string).collect();
        return Ok(Kinds { values, open: None });
    }
    let mut kinds = any_kinds(tests, sends, barred, base, budget)?;
    if let Sends::Typed(kind) = sends {
        typed::keep(kind, &mut kinds.values);
    }
    let mut seen = BTreeSet::new();
    kinds.values.retain(|value| seen.insert(value.clone()));
    Ok(kinds)
}

fn any_kinds(
    tests: &[(&ConditionTest, Wish)],
    sends: Sends,
    barred: &[Word],
    base: &Request,
    budget: &Budget,
) -> Result<Kinds, TooTangled> {
    let mut words = Words::default();
    let mut ends = Ends::default();
    let mut families = BTreeSet::new();
    let (mut numbers, mut dates): (Vec<&str>, Vec<&str>) = Default::default();
    for (test, wish) in tests {
        match test.operator.base.family() {
            Family::Null => continue,
            Family::String | Family::Arn => {
                families.insert("text");
                add_words(test, *wish, base, &mut words);
            }
            Family::Bool => {
                families.insert("text");
                let values = test.written.iter().map(|value| folded(value));
                values.for_each(|word| words.add(word, *wish));
            }
            Family::Binary => {
                families.insert("bytes");
                ends.values
                    .extend(test.written.iter().map(|value| value.to_string()));
            }
            Family::Numeric => {
                families.insert("number");
                numbers.extend(test.written.iter().map(|value| &**value));
            }
            Family::Date => {
                families.insert("date");
                dates.extend(test.written.iter().map(|value| &**value));
            }
            Family::Ip => {
                families.insert("address");
                ends.addresses(test.written.iter().map(|value| &**value));
            }
        }
    }
    ends.numbers(numbers.into_iter());
    ends.dates(dates.into_iter());
    let mut values = texts(&words, sends, barred, budget)?;
    values.extend(ends.values);
    let in_text = families.contains("text");
    if families.len() > 1 || in_text && typed::is_no_text(sends) {
        let asked: Vec<&str> = families.into_iter().collect();
        let both = format!("the key is asked as {}", asked.join(" and as "));
        ends.open.get_or_insert(both);
    }
    Ok(Kinds {
        values,
        open: ends.open,
    })
}

/// Texts of every kind that is sent.
fn texts(
    words: &Words,
    sends: Sends,
    barred: &[Word],
    budget: &Budget,
) -> Result<Vec<String>, TooTangled> {
    let mut never = match sends {
        Sends::Names => never_names(words),
        Sends::Text | Sends::One(_) | Sends::Typed(_) | Sends::Subjects => typed::never(sends),
    };
    never.extend(barred.iter().cloned());
    let arns = typed::shape(sends);
    let required = [arns.as_slice()];
    let shape = Shape {
        never: &never,
        required: if arns.is_empty() { &[] } else { &required },
    };
    examples(words, shape, budget)
}

/// Whether a service that sends this sends something that `word` matches; where that is too tangled, it is taken to.
pub(super) fn is_sent(word: Word, sends: Sends) -> bool {
    let mut words = Words::default();
    words.add(word.clone(), Wish::Any);
    let own = [word];
    let required = [&own[..]];
    let never = if sends == Sends::Names {
        never_names(&words)
    } else {
        Vec::new()
    };
    let shape = Shape {
        required: &required,
        never: &never,
    };
    match sends {
        Sends::One(all) => all.iter().any(|value| is_shaped(value, shape)),
        Sends::Names | Sends::Text | Sends::Typed(_) | Sends::Subjects => {
            let budget = Budget::new(MUCH, MUCH);
            examples(&Words::default(), shape, &budget).map_or(true, |found| !found.is_empty())
        }
    }
}

/// A bound on the work for one word.
const MUCH: usize = 1_000_000;

/// What no normalised name matches: an empty label, and each character of `words` that Route 53 writes otherwise. Other
/// characters no word can tell from a plain one.
fn never_names(words: &Words) -> Vec<Word> {
    let run = Step::Run { colon: true };
    let dot = Step::Char('.');
    let plain = |letter: char| {
        letter.is_ascii_lowercase()
            || letter.is_ascii_digit()
            || matches!(letter, '-' | '_' | '.' | '\\')
    };
    let letters = words.iter().flatten().flat_map(|step| match step {
        Step::Char(letter) => vec![*letter],
        Step::Folded(letter) => folding_to(*letter).collect(),
        Step::One { .. } | Step::Run { .. } | Step::In(..) | Step::Out(..) | Step::Many(..) => {
            Vec::new()
        }
    });
    let letters: BTreeSet<char> = letters.collect();
    let escapes = letters.contains(&'\\').then(never_escapes);
    let other = letters.into_iter().filter(|letter| !plain(*letter));
    let with = |letter: char| vec![run, Step::Char(letter), run];
    let empty = [vec![dot, run], vec![run, dot], vec![run, dot, dot, run]];
    other
        .map(with)
        .chain(empty)
        .chain(escapes.into_iter().flatten())
        .collect()
}

/// What a backslash never begins: anything but three octal digits up to `\377`, and the code of a character that Route 53
/// writes as it is, or of a capital letter, which it writes small.
fn never_escapes() -> Vec<Word> {
    let run = Step::Run { colon: true };
    let one = Step::One { colon: true };
    let octal = Step::Out('0', '7');
    let behind = |rest: &[Step]| [&[run, Step::Char('\\')], rest].concat();
    let code = |a: char, b: char, c: (char, char)| {
        behind(&[Step::Char(a), Step::Char(b), Step::In(c.0, c.1), run])
    };
    let cut = [behind(&[]), behind(&[one]), behind(&[one, one])];
    let odd = [
        behind(&[octal, run]),
        behind(&[one, octal, run]),
        behind(&[one, one, octal, run]),
        behind(&[Step::In('4', '7'), run]),
    ];
    let plain = [
        code('0', '5', ('5', '5')),
        code('0', '6', ('0', '7')),
        code('0', '7', ('0', '1')),
        code('1', '0', ('1', '7')),
        code('1', '1', ('0', '7')),
        code('1', '2', ('0', '7')),
        code('1', '3', ('0', '2')),
        code('1', '3', ('7', '7')),
        code('1', '4', ('1', '7')),
        code('1', '5', ('0', '7')),
        code('1', '6', ('0', '7')),
        code('1', '7', ('0', '2')),
    ];
    cut.into_iter().chain(odd).chain(plain).collect()
}

fn folded(value: &str) -> Word {
    value
        .chars()
        .flat_map(char::to_lowercase)
        .map(Step::Folded)
        .collect()
}

fn add_words(test: &ConditionTest, wish: Wish, base: &Request, words: &mut Words) {
    let fold = matches!(
        test.operator.base,
        BaseOperator::StringEqualsIgnoreCase | BaseOperator::StringNotEqualsIgnoreCase
    );
    match test.texts() {
        Texts::Strings(patterns) => patterns
            .iter()
            .filter_map(|one| word(one, base, fold, true))
            .for_each(|word| words.add(word, wish)),
        Texts::Arns(arns) => arns
            .filter_map(|segments| arn(segments, base))
            .for_each(|word| words.add(word, wish)),
        Texts::None => {}
    }
}

/// The places of a pattern; `None` when a variable has no value, since it then matches nothing.
pub(super) fn word(pattern: &Pattern, base: &Request, fold: bool, colon: bool) -> Option<Word> {
    let glyphs = pattern.glyphs(base)?;
    let step = |glyph: &Glyph| match glyph {
        Glyph::Char(letter) => Step::Char(*letter),
        Glyph::One => Step::One { colon },
        Glyph::Run => Step::Run { colon },
    };
    if !fold {
        return Some(glyphs.iter().map(step).collect());
    }
    let fold = |glyph: Glyph| match glyph {
        Glyph::Char(letter) => letter.to_lowercase().map(Step::Folded).collect(),
        other @ (Glyph::One | Glyph::Run) => vec![step(&other)],
    };
    Some(glyphs.into_iter().flat_map(fold).collect())
}

/// An ARN pattern: a wildcard stays in its own segment, but in the last.
fn arn(segments: Option<&[Pattern; 6]>, base: &Request) -> Option<Word> {
    let Some(segments) = segments else {
        return Some(
            super::words::glob("arn:*:*:*:*:", false)
                .into_iter()
                .chain([Step::Run { colon: true }])
                .collect(),
        );
    };
    let mut whole = Word::new();
    for (index, segment) in segments.iter().enumerate() {
        if index > 0 {
            whole.push(Step::Char(':'));
        }
        whole.extend(word(segment, base, false, index == 5)?);
    }
    Some(whole)
}
