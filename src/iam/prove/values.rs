//! Values of a context key that the conditions on it can tell apart: one of each kind.
//!
//! Texts by [`words`](super::words); numbers, dates and addresses by the ends of the intervals that the conditions draw,
//! with a value in each gap; truth values and bytes by what is written. A key that is asked as several of these at once
//! gets the values of all, and that is told, since a kind could be missed.

use std::collections::BTreeSet;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use crate::model::calendar::moment;
use crate::model::policy::{BaseOperator, Family};

use super::super::Request;
use super::super::condition::ConditionTest;
use super::super::operators::{Texts, seconds_since_1970};
use super::super::pattern::{Glyph, Pattern};
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
    base: &Request,
    budget: &Budget,
) -> Result<Kinds, TooTangled> {
    if let Sends::One(all) = sends {
        let values = all.iter().map(ToString::to_string).collect();
        return Ok(Kinds { values, open: None });
    }
    let mut kinds = any_kinds(tests, sends, base, budget)?;
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
    let never = match sends {
        Sends::Names => never_names(&words),
        Sends::Text | Sends::One(_) | Sends::Typed(_) | Sends::Subjects => typed::never(sends),
    };
    let arns = typed::shape(sends);
    let required = [arns.as_slice()];
    let shape = Shape {
        never: &never,
        required: if arns.is_empty() { &[] } else { &required },
    };
    let mut values = examples(&words, shape, budget)?;
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
        Step::One { .. } | Step::Run { .. } | Step::In(..) | Step::Out(..) => Vec::new(),
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

/// Values around the ends of intervals.
#[derive(Default)]
struct Ends {
    values: Vec<String>,
    open: Option<String>,
}

impl Ends {
    /// Each number, and numbers closer to it than any two of them are to each other.
    fn numbers<'a>(&mut self, written: impl Iterator<Item = &'a str>) {
        let texts: Vec<&str> = written.collect();
        let longest = texts
            .iter()
            .filter_map(|text| text.split_once('.').map(|(_, fraction)| fraction.len()))
            .max()
            .unwrap_or(0);
        let places = longest + 1;
        for text in texts {
            match scaled(text, places) {
                Some(number) => {
                    let around = [Some(number), number.checked_sub(1), number.checked_add(1)];
                    self.values
                        .extend(around.into_iter().flatten().map(|one| decimal(one, places)));
                }
                None => {
                    self.values.push(text.to_owned());
                    self.open.get_or_insert_with(|| {
                        format!("`{text}` is no number that can be counted with")
                    });
                }
            }
        }
    }

    /// Each date, and one in each gap: the evaluator counts in nanoseconds.
    fn dates<'a>(&mut self, written: impl Iterator<Item = &'a str>) {
        let mut instants = BTreeSet::new();
        for text in written {
            match seconds_since_1970(text) {
                Some((seconds, nanoseconds)) => {
                    instants.insert(i128::from(seconds) * SECOND + i128::from(nanoseconds));
                }
                None => self.values.push(text.to_owned()),
            }
        }
        let ends = instants.first().map(|first| first - SECOND);
        let ends = ends
            .into_iter()
            .chain(instants.last().map(|last| last + SECOND));
        let next = instants.iter().skip(1);
        let gaps = instants
            .iter()
            .zip(next)
            .map(|(one, next)| between(*one, *next));
        let all: Vec<i128> = instants.iter().copied().chain(ends).chain(gaps).collect();
        for instant in all {
            match date(instant) {
                Some(text) => self.values.push(text),
                None => {
                    self.open
                        .get_or_insert_with(|| "a date lies too far off to be written".to_owned());
                }
            }
        }
    }

    /// Of each network its first and last address, and the addresses just outside.
    fn addresses<'a>(&mut self, written: impl Iterator<Item = &'a str>) {
        for text in written {
            let (base, bits) = text.split_once('/').unwrap_or((text, ""));
            let Ok(address) = base.parse::<IpAddr>() else {
                continue;
            };
            match address {
                IpAddr::V4(address) => {
                    let ends = around(address.to_bits().into(), bits.parse().unwrap_or(32), 32);
                    let ends = ends.filter_map(|end| u32::try_from(end).ok());
                    self.values
                        .extend(ends.map(|end| Ipv4Addr::from_bits(end).to_string()));
                }
                IpAddr::V6(address) => {
                    let ends = around(address.to_bits(), bits.parse().unwrap_or(128), 128);
                    self.values
                        .extend(ends.map(|end| Ipv6Addr::from_bits(end).to_string()));
                }
            }
        }
    }
}

/// A second, in nanoseconds.
const SECOND: i128 = 1_000_000_000;

/// An instant between two, the plainest; the first of them where there is none between.
fn between(one: i128, next: i128) -> i128 {
    if next - one > SECOND {
        one + SECOND
    } else {
        i128::midpoint(one, next)
    }
}

/// How an instant is written so that the evaluator reads it.
fn date(instant: i128) -> Option<String> {
    let seconds = i64::try_from(instant.div_euclid(SECOND)).ok()?;
    let nanoseconds = instant.rem_euclid(SECOND);
    let whole = moment(seconds);
    let text = if nanoseconds == 0 {
        whole
    } else {
        let fraction = format!("{nanoseconds:09}");
        format!(
            "{}.{}Z",
            whole.strip_suffix('Z')?,
            fraction.trim_end_matches('0')
        )
    };
    let is_read = |text: &String| {
        let read = seconds_since_1970(text);
        read.is_some_and(|(own, rest)| own == seconds && i128::from(rest) == nanoseconds)
    };
    let digits = (nanoseconds == 0).then(|| seconds.to_string());
    [Some(text), digits].into_iter().flatten().find(is_read)
}

/// The ends of a network and their neighbours, as numbers of `width` bits.
fn around(address: u128, bits: u32, width: u32) -> impl Iterator<Item = u128> {
    let all = u128::MAX >> (128 - width);
    let hosts = all.checked_shr(bits).unwrap_or(0);
    let (first, last) = (address & !hosts, address | hosts);
    let after = last.checked_add(1).filter(|after| *after <= all);
    let ends = [Some(first), Some(last), first.checked_sub(1), after];
    ends.into_iter().flatten()
}

/// The number in units of the last of `places` decimal places.
fn scaled(text: &str, places: usize) -> Option<i128> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let all_digits = |part: &str| part.bytes().all(|digit| digit.is_ascii_digit());
    if whole.is_empty() || !all_digits(whole) || !all_digits(fraction) || fraction.len() > places {
        return None;
    }
    let padded = format!("{whole}{fraction:0<places$}");
    let number: i128 = padded.parse().ok()?;
    Some(if negative { -number } else { number })
}

fn decimal(number: i128, places: usize) -> String {
    let sign = if number < 0 { "-" } else { "" };
    let digits = format!("{:0>width$}", number.unsigned_abs(), width = places + 1);
    let (whole, fraction) = digits
        .split_at_checked(digits.len() - places)
        .unwrap_or((&digits, ""));
    match fraction.trim_end_matches('0') {
        "" => format!("{sign}{whole}"),
        fraction => format!("{sign}{whole}.{fraction}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_neighbours_on_both_sides() {
        let mut ends = Ends::default();
        ends.numbers(["10", "-0.25"].into_iter());
        assert_eq!(
            ends.values,
            ["10", "9.999", "10.001", "-0.25", "-0.251", "-0.249"]
        );
        assert_eq!(ends.open, None);
        let mut ends = Ends::default();
        ends.numbers(["99999999999999999999999999999999999999999"].into_iter());
        assert!(ends.open.is_some());
    }

    #[test]
    fn dates_have_a_neighbour_in_each_gap() {
        let mut ends = Ends::default();
        ends.dates(["2020-01-01T00:00:00Z", "2020-01-01T00:00:01Z"].into_iter());
        assert_eq!(
            ends.values,
            [
                "2020-01-01T00:00:00Z",
                "2020-01-01T00:00:01Z",
                "2019-12-31T23:59:59Z",
                "2020-01-01T00:00:02Z",
                "2020-01-01T00:00:00.5Z"
            ]
        );
        let mut ends = Ends::default();
        ends.dates(["99999999999999"].into_iter());
        assert!(
            ends.values.contains(&"99999999999999".to_owned()),
            "{:?}",
            ends.values
        );
        assert_eq!(ends.open, None);
    }

    #[test]
    fn networks_have_their_ends_and_what_lies_outside() {
        let mut ends = Ends::default();
        ends.addresses(["203.0.113.77/24", "::/0", "0.0.0.0/0"].into_iter());
        assert_eq!(
            ends.values,
            [
                "203.0.113.0",
                "203.0.113.255",
                "203.0.112.255",
                "203.0.114.0",
                "::",
                "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
                "0.0.0.0",
                "255.255.255.255"
            ]
        );
    }
}
