//! Keys whose values AWS documents to be of one type: truth values, numbers, dates, addresses or ARNs.

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
            values.retain(|value| is_number(value));
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

fn is_number(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    digits.starts_with(|first: char| first.is_ascii_digit())
        && digits
            .bytes()
            .all(|byte| byte.is_ascii_digit() || byte == b'.')
}
