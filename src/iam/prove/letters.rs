//! Which letters are one and the same where case does not count, by Unicode's lower case.

/// Every character whose lower case begins with `letter`, itself among them.
pub(super) fn folding_to(letter: char) -> impl Iterator<Item = char> {
    let first = |one: char| one.to_lowercase().next();
    let upper = letter.to_uppercase().next();
    let usual = [Some(letter), upper].into_iter().flatten();
    let odd = ODD.iter().copied().flat_map(|(first, last)| first..=last);
    usual
        .chain(odd)
        .filter(move |one| first(*one) == Some(letter))
}

/// Where letters stand that are not the capital of their own lower case: the dotted `I`, digraphs in title case, Greek
/// letters with a subscript, symbols that fold to letters.
const ODD: [(char, char); 6] = [
    ('\u{130}', '\u{130}'),
    ('\u{1c5}', '\u{1f2}'),
    ('\u{3f4}', '\u{3f4}'),
    ('\u{1e9e}', '\u{1e9e}'),
    ('\u{1f80}', '\u{1fff}'),
    ('\u{2126}', '\u{212b}'),
];

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;

    #[test]
    fn no_letter_that_folds_to_another_is_missed() {
        let mut all: BTreeMap<char, BTreeSet<char>> = BTreeMap::new();
        for letter in '\0'..=char::MAX {
            if let Some(folded) = letter.to_lowercase().next() {
                all.entry(folded).or_default().insert(letter);
            }
        }
        for (folded, letters) in all {
            assert_eq!(
                folding_to(folded).collect::<BTreeSet<char>>(),
                letters,
                "{folded}"
            );
        }
    }
}
