//! Keys whose values AWS documents to be of one type: truth values, numbers, dates, addresses or ARNs.

use std::collections::BTreeSet;
use std::net::IpAddr;

use crate::iam::catalog::KeyType;

use super::super::operators::seconds_since_1970;
use super::realm::Sends;
use super::words::{Step, Word};

/// What all values are like; nothing for a key whose values may be any text.
pub(super) fn shape(sends: Sends) -> Vec<Word> {
    let (one, run) = (Step::One { colon: false }, Step::Run { colon: false });
    if sends == Sends::Subjects {
        // The name of a claim, and what the token has under it: `repo:acme/app:ref:refs/heads/main`.
        return vec![vec![
            Step::In('a', 'z'),
            run,
            Step::Char(':'),
            Step::One { colon: false },
            Step::Run { colon: true },
        ]];
    }
    if sends != Sends::Typed(KeyType::Arn) {
        return Vec::new();
    }
    let mut whole: Word = "arn:aws:".chars().map(Step::Char).collect();
    whole.extend([
        one,
        run,
        Step::Char(':'),
        run,
        Step::Char(':'),
        run,
        Step::Char(':'),
    ]);
    whole.extend([Step::One { colon: true }, Step::Run { colon: true }]);
    let mut other = whole.clone();
    other.splice(7..7, [Step::Char('-'), one, run]);
    vec![whole, other]
}

/// What no value is like: a subject has a name, a branch or another value at its end, in which GitHub writes `%3A` for `:`.
/// The name of an environment may end in anything else.
pub(super) fn never(sends: Sends) -> Vec<Word> {
    if sends == Sends::Subjects {
        vec![vec![Step::Run { colon: true }, Step::Char(':')]]
    } else {
        Vec::new()
    }
}

/// Whether a text test on the key is one about values that are no texts.
pub(super) fn is_no_text(sends: Sends) -> bool {
    matches!(sends, Sends::Typed(kind) if kind != KeyType::Arn)
}

/// Leaves the values of the type alone, and adds what lies beside all that conditions write.
pub(super) fn keep(kind: KeyType, values: &mut Vec<String>) {
    match kind {
        KeyType::Ip => {
            values.retain(|value| value.parse::<IpAddr>().is_ok());
            let is_v4 = |value: &String| value.contains('.') && !value.contains(':');
            if !values.iter().any(is_v4) {
                values.push("198.51.100.77".to_owned());
            }
            if values.iter().all(is_v4) {
                values.push("2001:db8::77".to_owned());
            }
        }
        KeyType::Numeric => {
            // Those that AWS documents are counts: of seconds, keys, days.
            let whole = values.iter().flat_map(|value| around(value));
            let whole: BTreeSet<u64> = whole.collect();
            *values = whole.iter().map(ToString::to_string).collect();
            if values.is_empty() {
                values.push("0".to_owned());
            }
        }
        KeyType::Date => {
            values.retain(|value| seconds_since_1970(value).is_some());
            if values.is_empty() {
                values.push("2026-01-01T00:00:00Z".to_owned());
            }
        }
        KeyType::Arn | KeyType::Bool | KeyType::Binary | KeyType::Text => {}
    }
}

/// The whole numbers at and around a number.
fn around(text: &str) -> Vec<u64> {
    if let Some(digits) = text.strip_prefix('-') {
        let is_number = digits.starts_with(|first: char| first.is_ascii_digit());
        return if is_number { vec![0] } else { Vec::new() };
    }
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let Ok(whole) = whole.parse::<u64>() else {
        return Vec::new();
    };
    if fraction.bytes().any(|digit| !digit.is_ascii_digit()) {
        return Vec::new();
    }
    if fraction.bytes().all(|digit| digit == b'0') {
        let around = [whole.checked_sub(1), Some(whole), whole.checked_add(1)];
        return around.into_iter().flatten().collect();
    }
    let next = whole.checked_add(1);
    std::iter::once(whole).chain(next).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_count_has_whole_neighbours() {
        assert_eq!(around("100"), [99, 100, 101]);
        assert_eq!(around("99.9"), [99, 100]);
        assert_eq!(around("-0.5"), [0]);
        assert_eq!(around("0"), [0, 1]);
        assert!(around("1e3").is_empty() && around("x").is_empty());
    }
}
