//! Finds what is wrong with the spelling of a record name in an IAM condition value, and offers the right spelling.
//!
//! IAM compares the text that Route 53 sends, so a value in any other spelling never matches, without a word.

use std::ops::Range;

use super::record_name::{RecordName, is_plain, octal};

/// How the condition operator compares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Matching {
    /// `StringEquals` and its kin: `*` and `?` are plain characters.
    Exact,
    /// `StringLike` and its kin: `*` and `?` are patterns.
    Pattern,
}

/// One wrong spelling.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NameFault {
    /// What is wrong.
    pub kind: NameFaultKind,
    /// Which bytes of the value.
    pub at: Range<usize>,
}

/// What can be wrong with a name in a condition value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum NameFaultKind {
    /// A `*` as it is, where Route 53 sends `\052`.
    UnescapedWildcard,
    /// A letter in upper case.
    Uppercase,
    /// The final dot, which Route 53 leaves out.
    TrailingDot,
    /// A backslash without three octal digits up to 377.
    BadEscape,
    /// An escape for a character that Route 53 sends as it is.
    NeedlessEscape,
    /// An escape that reads as an unlikely character in octal and as a likely one in decimal.
    SuspectEscape,
    /// A character that Route 53 sends only as an escape.
    UnescapedCharacter,
    /// An escaped star that is not the whole first label: no DNS wildcard.
    StarNotWildcard,
    /// Two dots in a row, or one at the start.
    EmptyLabel,
    /// A label over 63 or a name over 255 bytes.
    TooLong,
    /// A character outside ASCII.
    NonAscii,
}

/// A condition value, taken apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spelling {
    /// What is wrong, in order of place.
    pub faults: Vec<NameFault>,
    /// The right spelling for the condition key, where there is exactly one.
    pub repaired: Option<String>,
}

/// A character of the value, after escapes and `${*}`.
struct Unit {
    at: Range<usize>,
    byte: u8,
    form: Form,
}

#[derive(PartialEq, Eq)]
enum Form {
    Plain,
    Octal,
    /// `*` or `?` under a pattern operator.
    Pattern,
}

impl Spelling {
    /// Judges `value`. `None` when it holds a policy variable, which only a request can fill in; `${*}`, `${?}` and
    /// `${$}` are literal characters and are judged.
    #[must_use]
    pub fn of(value: &str, matching: Matching) -> Option<Self> {
        let mut faults = Vec::new();
        let (units, certain) = units(value, matching, &mut faults)?;
        label_faults(value, &units, matching, &mut faults);
        faults.sort_by_key(|fault| (fault.at.start, fault.kind));
        let broken = faults.iter().any(|fault| {
            matches!(
                fault.kind,
                NameFaultKind::EmptyLabel | NameFaultKind::TooLong | NameFaultKind::NonAscii
            )
        });
        let repaired = (certain && !broken).then(|| repaired(&units));
        Some(Self { faults, repaired })
    }

    /// The name that the value means, if it is spelled rightly and holds no pattern.
    #[must_use]
    pub fn name(&self, matching: Matching) -> Option<RecordName> {
        let text = self.repaired.as_deref()?;
        if matching == Matching::Pattern && text.contains(['*', '?']) {
            return None;
        }
        RecordName::parse(text).ok()
    }
}

/// Takes the value apart; false when a broken escape leaves open what was meant, `None` at a policy variable.
fn units(
    value: &str,
    matching: Matching,
    faults: &mut Vec<NameFault>,
) -> Option<(Vec<Unit>, bool)> {
    let mut units = Vec::new();
    let mut certain = true;
    let mut at = 0;
    while let Some(character) = value.get(at..).and_then(|rest| rest.chars().next()) {
        let rest = value.get(at..).unwrap_or_default();
        let length = if rest.starts_with("${") {
            push_plain(&mut units, faults, at..at + 4, literal(rest)?);
            4
        } else if character == '\\' {
            let (length, escape) = escape(rest);
            certain &= push_escape(&mut units, faults, at..at + length, escape);
            length
        } else {
            let range = at..at + character.len_utf8();
            push_character(&mut units, faults, range, character, matching);
            character.len_utf8()
        };
        at += length;
    }
    Some((units, certain))
}

/// The character that `${*}`, `${?}` or `${$}` at the start of `rest` stands for; `None` for any other variable.
fn literal(rest: &str) -> Option<u8> {
    match rest.as_bytes() {
        [_, _, byte @ (b'*' | b'?' | b'$'), b'}', ..] => Some(*byte),
        _ => None,
    }
}

/// Takes an escape in; false when it is not plain what was meant.
fn push_escape(
    units: &mut Vec<Unit>,
    faults: &mut Vec<NameFault>,
    at: Range<usize>,
    escape: Escape,
) -> bool {
    let (byte, certain) = match escape {
        Escape::Octal(byte) => {
            push_octal(units, faults, at, byte);
            return true;
        }
        Escape::Meant(byte) => (byte, true),
        Escape::Broken => (b'\\', false),
    };
    faults.push(NameFault {
        kind: NameFaultKind::BadEscape,
        at: at.clone(),
    });
    units.push(Unit {
        at,
        byte,
        form: Form::Octal,
    });
    certain
}

fn push_character(
    units: &mut Vec<Unit>,
    faults: &mut Vec<NameFault>,
    at: Range<usize>,
    character: char,
    matching: Matching,
) {
    match u8::try_from(character).ok().filter(u8::is_ascii) {
        Some(byte @ (b'*' | b'?')) if matching == Matching::Pattern => {
            units.push(Unit {
                at,
                byte,
                form: Form::Pattern,
            });
        }
        Some(byte) => push_plain(units, faults, at, byte),
        None => {
            faults.push(NameFault {
                kind: NameFaultKind::NonAscii,
                at: at.clone(),
            });
            units.push(Unit {
                at,
                byte: b'?',
                form: Form::Octal,
            });
        }
    }
}

fn push_plain(units: &mut Vec<Unit>, faults: &mut Vec<NameFault>, at: Range<usize>, byte: u8) {
    let kind = match byte {
        b'.' => None,
        b'*' => Some(NameFaultKind::UnescapedWildcard),
        b'A'..=b'Z' => Some(NameFaultKind::Uppercase),
        byte if is_plain(byte) => None,
        _ => Some(NameFaultKind::UnescapedCharacter),
    };
    faults.extend(kind.map(|kind| NameFault {
        kind,
        at: at.clone(),
    }));
    units.push(Unit {
        at,
        byte,
        form: Form::Plain,
    });
}

fn push_octal(units: &mut Vec<Unit>, faults: &mut Vec<NameFault>, at: Range<usize>, byte: u8) {
    let kind = if is_plain(byte) || byte.is_ascii_uppercase() {
        Some(NameFaultKind::NeedlessEscape)
    } else if decimal_was_meant(byte) {
        Some(NameFaultKind::SuspectEscape)
    } else {
        None
    };
    faults.extend(kind.map(|kind| NameFault {
        kind,
        at: at.clone(),
    }));
    units.push(Unit {
        at,
        byte,
        form: Form::Octal,
    });
}

/// Whether the octal digits of `byte` look like RFC 1035's decimal ones: `\042` is `"` here and `*` there.
fn decimal_was_meant(byte: u8) -> bool {
    let digits = u32::from(byte >> 6) * 100 + u32::from(byte >> 3 & 7) * 10 + u32::from(byte & 7);
    let unlikely = byte.is_ascii_control() || matches!(byte, b'"' | b'&' | b'\'');
    unlikely
        && matches!(
            u8::try_from(digits),
            Ok(b' ' | b'!' | b'"' | b'#' | b'*' | b'.' | b'/')
        )
}

#[derive(Clone, Copy)]
enum Escape {
    /// `\` and three octal digits.
    Octal(u8),
    /// Another notation, of which it is plain what was meant.
    Meant(u8),
    /// Nothing that could be read.
    Broken,
}

/// The escape at the start of `rest` and its length in bytes.
fn escape(rest: &str) -> (usize, Escape) {
    if let Some(byte) = rest.get(1..4).and_then(octal) {
        return (4, Escape::Octal(byte));
    }
    if let Some(byte) = rest
        .strip_prefix("\\\\")
        .and_then(|rest| rest.get(..3))
        .and_then(octal)
    {
        return (5, Escape::Meant(byte));
    }
    let hex = rest.get(2..4).filter(|_| {
        rest.get(1..2)
            .is_some_and(|mark| mark.eq_ignore_ascii_case("x"))
    });
    if let Some(byte) = hex
        .and_then(|digits| u8::from_str_radix(digits, 16).ok())
        .filter(u8::is_ascii)
    {
        return (4, Escape::Meant(byte));
    }
    if let Some(byte) = rest
        .strip_prefix("\\u00")
        .and_then(|rest| rest.get(..2))
        .and_then(|d| u8::from_str_radix(d, 16).ok())
    {
        return (6, Escape::Meant(byte));
    }
    if rest.get(1..2) == Some("*") {
        return (2, Escape::Meant(b'*'));
    }
    let digits = rest
        .bytes()
        .skip(1)
        .take(3)
        .take_while(u8::is_ascii_digit)
        .count();
    (1 + digits, Escape::Broken)
}

/// Faults that concern whole labels.
fn label_faults(value: &str, units: &[Unit], matching: Matching, faults: &mut Vec<NameFault>) {
    let is_dot = |unit: &Unit| unit.byte == b'.' && unit.form == Form::Plain;
    let mut body = units;
    if let Some((last, before)) = units.split_last().filter(|(last, _)| is_dot(last)) {
        faults.push(NameFault {
            kind: NameFaultKind::TrailingDot,
            at: last.at.clone(),
        });
        body = before;
    }
    let labels: Vec<&[Unit]> = body.split(is_dot).collect();
    let mut start = 0;
    for (index, label) in labels.iter().enumerate() {
        let from = label.first().map_or(start, |unit| unit.at.start);
        let to = label.last().map_or(start, |unit| unit.at.end);
        start = to + 1;
        if label.is_empty() && !body.is_empty() {
            faults.push(NameFault {
                kind: NameFaultKind::EmptyLabel,
                at: from..(from + 1).min(value.len()),
            });
        }
        if label.len() > 63 {
            faults.push(NameFault {
                kind: NameFaultKind::TooLong,
                at: from..to,
            });
        }
        let whole_first = index == 0 && label.len() == 1 && labels.len() > 1;
        let star = label
            .iter()
            .find(|unit| unit.byte == b'*' && unit.form == Form::Octal);
        if let Some(star) = star.filter(|_| !whole_first) {
            faults.push(NameFault {
                kind: NameFaultKind::StarNotWildcard,
                at: star.at.clone(),
            });
        }
    }
    let pattern =
        matching == Matching::Pattern && units.iter().any(|unit| unit.form == Form::Pattern);
    if body.len() + 2 > 255 && !pattern {
        faults.push(NameFault {
            kind: NameFaultKind::TooLong,
            at: 0..value.len(),
        });
    }
}

fn repaired(units: &[Unit]) -> String {
    let mut text = String::new();
    for unit in units {
        let byte = unit.byte.to_ascii_lowercase();
        if unit.form == Form::Pattern
            || (byte == b'.' && unit.form == Form::Plain)
            || is_plain(byte)
        {
            text.push(char::from(byte));
        } else {
            text.push_str(&format!("\\{byte:03o}"));
        }
    }
    if units
        .last()
        .is_some_and(|unit| unit.byte == b'.' && unit.form == Form::Plain)
    {
        text.pop();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn kinds(value: &str) -> Vec<NameFaultKind> {
        Spelling::of(value, Matching::Exact)
            .unwrap()
            .faults
            .into_iter()
            .map(|fault| fault.kind)
            .collect()
    }

    fn repair(value: &str) -> Option<String> {
        Spelling::of(value, Matching::Exact).unwrap().repaired
    }

    #[test]
    fn right_names_are_silent() {
        for name in [
            "example.com",
            "\\052.example.com",
            "_acme-challenge.example.com",
            "0\\05726.2.0.192.in-addr.arpa",
        ] {
            assert_eq!(kinds(name), [], "{name}");
            assert_eq!(repair(name).as_deref(), Some(name));
        }
    }

    use NameFaultKind as K;

    type Case = (&'static str, &'static [K], Option<&'static str>);

    const CASES: &[Case] = &[
        (
            "*.example.com",
            &[K::UnescapedWildcard],
            Some("\\052.example.com"),
        ),
        (
            "${*}.example.com",
            &[K::UnescapedWildcard],
            Some("\\052.example.com"),
        ),
        (
            "WWW.example.com",
            &[K::Uppercase, K::Uppercase, K::Uppercase],
            Some("www.example.com"),
        ),
        ("example.com.", &[K::TrailingDot], Some("example.com")),
        (
            "\\\\052.example.com",
            &[K::BadEscape],
            Some("\\052.example.com"),
        ),
        (
            "\\x2a.example.com",
            &[K::BadEscape],
            Some("\\052.example.com"),
        ),
        (
            "\\u002a.example.com",
            &[K::BadEscape],
            Some("\\052.example.com"),
        ),
        (
            "\\*.example.com",
            &[K::BadEscape],
            Some("\\052.example.com"),
        ),
        ("\\52.example.com", &[K::BadEscape], None),
        (
            "\\137acme.example.com",
            &[K::NeedlessEscape],
            Some("_acme.example.com"),
        ),
        (
            "\\042.example.com",
            &[K::SuspectEscape],
            Some("\\042.example.com"),
        ),
        (
            "a/b.example.com",
            &[K::UnescapedCharacter],
            Some("a\\057b.example.com"),
        ),
        (
            "\\052prod.example.com",
            &[K::StarNotWildcard],
            Some("\\052prod.example.com"),
        ),
        (
            "a.\\052.example.com",
            &[K::StarNotWildcard],
            Some("a.\\052.example.com"),
        ),
        ("a..example.com", &[K::EmptyLabel], None),
        ("한.example.com", &[K::NonAscii], None),
    ];

    #[test]
    fn each_wrong_spelling_has_its_kind_and_its_repair() {
        for (value, expected, right) in CASES {
            assert_eq!(kinds(value), *expected, "{value}");
            assert_eq!(repair(value).as_deref(), *right, "{value}");
        }
    }

    #[test]
    fn a_variable_cannot_be_judged_and_a_pattern_is_none() {
        assert_eq!(
            Spelling::of("${aws:PrincipalTag/name}.example.com", Matching::Exact),
            None
        );
        let like = Spelling::of("*.example.com", Matching::Pattern).unwrap();
        assert_eq!(like.faults, []);
        assert_eq!(like.name(Matching::Pattern), None);
    }

    proptest! {
        #[test]
        fn a_repair_is_right_and_its_own_repair(value in "[ -~]{0,30}") {
            if let Some(spelling) = Spelling::of(&value, Matching::Exact)
                && let Some(right) = &spelling.repaired
            {
                let again = Spelling::of(right, Matching::Exact).unwrap();
                prop_assert_eq!(again.repaired.as_ref(), Some(right));
                let still = again.faults.iter().all(|fault| {
                    matches!(fault.kind, NameFaultKind::StarNotWildcard | NameFaultKind::SuspectEscape)
                });
                prop_assert!(still, "{:?}", again.faults);
            }
            if let Some(spelling) = Spelling::of(&value, Matching::Pattern) {
                for fault in spelling.faults {
                    prop_assert!(value.get(fault.at).is_some());
                }
            }
        }

        #[test]
        fn a_name_written_for_iam_is_never_faulted(written in "[a-z0-9*@/_-]{1,12}(\\.[a-z0-9-]{1,8}){1,3}") {
            if let Ok(name) = RecordName::parse(&written) {
                let spelling = Spelling::of(&name.iam(), Matching::Exact).unwrap();
                prop_assert!(spelling.faults.iter().all(|fault| fault.kind == NameFaultKind::StarNotWildcard));
                prop_assert_eq!(spelling.name(Matching::Exact), Some(name));
            }
        }
    }
}
