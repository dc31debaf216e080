//! IAM's wildcards: `*` is any run of characters, also none; `?` is exactly one (IAM User Guide, "Condition operators",
//! "Resource"). There is no escape.

use super::segments::{Glyph, LONG, glyphs_match};

/// Whether `pattern` has a wildcard.
#[must_use]
pub fn has_wildcard(pattern: &str) -> bool {
    pattern.contains(['*', '?'])
}

/// Whether `pattern` matches all of `text`. Case counts.
#[must_use]
pub fn glob_matches(pattern: &str, text: &str) -> bool {
    if is_long(pattern, text) {
        return glyphs_match(&glyphs(pattern.chars()), text);
    }
    if pattern.is_ascii() && text.is_ascii() {
        return bytes_match_by(pattern.as_bytes(), text.as_bytes(), |a, b| a == b);
    }
    matches_by(pattern, text, |a, b| a == b)
}

/// Whether `pattern` matches all of `text` when ASCII letters are folded, as for action names.
#[must_use]
pub fn glob_matches_ignoring_case(pattern: &str, text: &str) -> bool {
    // Most patterns are for another service.
    if let (Some(first), Some(other)) = (pattern.bytes().next(), text.bytes().next())
        && !matches!(first, b'*' | b'?')
        && !first.eq_ignore_ascii_case(&other)
    {
        return false;
    }
    if is_long(pattern, text) {
        let folded = pattern.chars().map(|letter| letter.to_ascii_lowercase());
        return glyphs_match(&glyphs(folded), &text.to_ascii_lowercase());
    }
    if pattern.is_ascii() && text.is_ascii() {
        let same = |a: u8, b: u8| a.eq_ignore_ascii_case(&b);
        return bytes_match_by(pattern.as_bytes(), text.as_bytes(), same);
    }
    matches_by(pattern, text, |a, b| a.eq_ignore_ascii_case(&b))
}

fn is_long(pattern: &str, text: &str) -> bool {
    pattern.len().saturating_mul(text.len()) > LONG
}

fn glyphs(letters: impl Iterator<Item = char>) -> Vec<Glyph> {
    let glyph = |letter| match letter {
        '*' => Glyph::Run,
        '?' => Glyph::One,
        other => Glyph::Char(other),
    };
    letters.map(glyph).collect()
}

/// The same for texts of which each character is one byte.
fn bytes_match_by(pattern: &[u8], text: &[u8], same: impl Fn(u8, u8) -> bool) -> bool {
    let (mut at, mut taken) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    loop {
        match (pattern.get(at), text.get(taken)) {
            (None, None) => return true,
            (Some(b'*'), _) => {
                at += 1;
                star = Some((at, taken));
                continue;
            }
            (Some(b'?'), Some(_)) => {
                at += 1;
                taken += 1;
                continue;
            }
            (Some(a), Some(b)) if same(*a, *b) => {
                at += 1;
                taken += 1;
                continue;
            }
            (Some(_), _) | (None, Some(_)) => {}
        }
        let Some((after, from)) = star else {
            return false;
        };
        if from == text.len() {
            return false;
        }
        at = after;
        taken = from + 1;
        star = Some((after, from + 1));
    }
}

/// Two pointers and the last star: on a mismatch the star takes one character more.
fn matches_by(pattern: &str, text: &str, same: impl Fn(char, char) -> bool) -> bool {
    let (mut pattern, mut text) = (pattern.chars(), text.chars());
    let mut star: Option<(std::str::Chars<'_>, std::str::Chars<'_>)> = None;
    loop {
        let before = (pattern.clone(), text.clone());
        let step = match (pattern.next(), text.next()) {
            (None, None) => return true,
            (Some('*'), _) => {
                text = before.1.clone();
                star = Some((pattern.clone(), before.1));
                continue;
            }
            (Some('?'), Some(_)) => true,
            (Some(a), Some(b)) => same(a, b),
            (Some(_), None) | (None, Some(_)) => false,
        };
        if step {
            continue;
        }
        let Some((after, mut taken)) = star.take() else {
            return false;
        };
        if taken.next().is_none() {
            return false;
        }
        pattern = after.clone();
        text = taken.clone();
        star = Some((after, taken));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The definition, by recursion.
    fn by_definition(pattern: &[char], text: &[char]) -> bool {
        match (pattern.split_first(), text.split_first()) {
            (None, None) => true,
            (Some(('*', rest)), None) => by_definition(rest, text),
            (Some(('*', rest)), Some((_, tail))) => {
                by_definition(rest, text) || by_definition(pattern, tail)
            }
            (Some(('?', rest)), Some((_, tail))) => by_definition(rest, tail),
            (Some((a, rest)), Some((b, tail))) => a == b && by_definition(rest, tail),
            (Some(_), None) | (None, Some(_)) => false,
        }
    }

    proptest! {
        #[test]
        fn agrees_with_the_definition(pattern in "[ab*?]{0,8}|[ab*?한]{0,8}", text in "[ab*]{0,8}|[ab*한]{0,8}") {
            let (p, t): (Vec<char>, Vec<char>) = (pattern.chars().collect(), text.chars().collect());
            prop_assert_eq!(glob_matches(&pattern, &text), by_definition(&p, &t));
        }
    }

    #[test]
    fn case_counts_unless_folded() {
        assert!(!glob_matches("a*", "Ab"));
        assert!(glob_matches_ignoring_case(
            "route53:change*",
            "route53:ChangeResourceRecordSets"
        ));
    }
}
