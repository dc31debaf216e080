//! IAM's wildcards: `*` is any run of characters, also none; `?` is exactly one (IAM User Guide, "Condition operators",
//! "Resource"). There is no escape.

/// Whether `pattern` has a wildcard.
#[must_use]
pub fn has_wildcard(pattern: &str) -> bool {
    pattern.contains(['*', '?'])
}

/// Whether `pattern` matches all of `text`. Case counts. Time is at most the product of the lengths.
#[must_use]
pub fn glob_matches(pattern: &str, text: &str) -> bool {
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
    matches_by(pattern, text, |a, b| a.eq_ignore_ascii_case(&b))
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
        fn agrees_with_the_definition(pattern in "[ab*?한]{0,8}", text in "[ab*한]{0,8}") {
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
