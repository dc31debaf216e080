//! Long patterns against long texts, in time that does not grow with the product of their lengths: the pieces between the
//! stars are found one behind the other, each as early as it stands. For `*` any place is as good as the first.

use std::collections::BTreeMap;

/// One character of a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Glyph {
    /// This character.
    Char(char),
    /// `?`.
    One,
    /// `*`.
    Run,
}

/// The product of lengths from which on the pieces are searched for; below it, walking is faster.
pub const LONG: usize = 16 * 1024;

/// Whether `glyphs` match all of `text`.
#[must_use]
pub fn glyphs_match(glyphs: &[Glyph], text: &str) -> bool {
    let mut pieces: Vec<&[Glyph]> = glyphs.split(|glyph| *glyph == Glyph::Run).collect();
    let Some(last) = pieces.pop() else {
        return text.is_empty();
    };
    let Some((first, between)) = pieces.split_first() else {
        return starts_with(last, text).is_some_and(str::is_empty);
    };
    let Some(mut rest) = starts_with(first, text) else {
        return false;
    };
    for piece in between {
        match after_first(piece, rest) {
            Some(behind) => rest = behind,
            None => return false,
        }
    }
    let end = rest.char_indices().rev().take(last.len()).last();
    let end = end.map_or(rest.len(), |(at, _)| at);
    let tail = rest.get(end..).unwrap_or_default();
    starts_with(last, tail).is_some_and(str::is_empty)
}

/// What follows a piece at the start of `text`.
fn starts_with<'a>(piece: &[Glyph], text: &'a str) -> Option<&'a str> {
    let mut rest = text.chars();
    for glyph in piece {
        let found = rest.next()?;
        if !matches!(glyph, Glyph::One) && *glyph != Glyph::Char(found) {
            return None;
        }
    }
    Some(rest.as_str())
}

/// What follows the first place where a piece stands in `text`.
fn after_first<'a>(piece: &[Glyph], text: &'a str) -> Option<&'a str> {
    let letters: Option<String> = piece
        .iter()
        .map(|glyph| match glyph {
            Glyph::Char(letter) => Some(*letter),
            Glyph::One | Glyph::Run => None,
        })
        .collect();
    match letters {
        // The standard library finds strings in linear time.
        Some(letters) => text.get(text.find(&letters)? + letters.len()..),
        None => Places::new(piece).after_first(text),
    }
}

/// At how many places of a piece with `?` a text may stand: one bit each, moved on by every character (Baeza-Yates and
/// Gonnet, "A new approach to text searching", 1992).
struct Places {
    length: usize,
    /// The bits of `?`.
    any: Vec<u64>,
    /// The bits of `?` and of each letter that is often there.
    often: BTreeMap<char, Vec<u64>>,
    /// The places of each other letter.
    seldom: BTreeMap<char, Vec<usize>>,
}

impl Places {
    fn new(piece: &[Glyph]) -> Self {
        let words = piece.len().div_ceil(64);
        let mut any = vec![0; words];
        let mut places: BTreeMap<char, Vec<usize>> = BTreeMap::new();
        for (at, glyph) in piece.iter().enumerate() {
            match glyph {
                Glyph::Char(letter) => places.entry(*letter).or_default().push(at),
                Glyph::One | Glyph::Run => set(&mut any, at),
            }
        }
        let (often, seldom): (BTreeMap<_, _>, BTreeMap<_, _>) = places
            .into_iter()
            .partition(|(_, places)| places.len() > words);
        let bits = |(letter, places): (char, Vec<usize>)| {
            let mut bits = any.clone();
            for at in places {
                set(&mut bits, at);
            }
            (letter, bits)
        };
        Self {
            length: piece.len(),
            often: often.into_iter().map(bits).collect(),
            seldom,
            any,
        }
    }

    fn after_first<'a>(&self, text: &'a str) -> Option<&'a str> {
        let mut state = vec![0; self.any.len()];
        let mut rest = text.chars();
        while let Some(letter) = rest.next() {
            let mut carry = 1;
            for word in &mut state {
                let moved = *word << 1 | carry;
                carry = *word >> 63;
                *word = moved;
            }
            let seldom = self.seldom.get(&letter).into_iter().flatten();
            let kept: Vec<usize> = seldom.copied().filter(|at| is_set(&state, *at)).collect();
            let allowed = self.often.get(&letter).unwrap_or(&self.any);
            for (word, allowed) in state.iter_mut().zip(allowed) {
                *word &= allowed;
            }
            for at in kept {
                set(&mut state, at);
            }
            if is_set(&state, self.length - 1) {
                return Some(rest.as_str());
            }
        }
        None
    }
}

fn set(bits: &mut [u64], at: usize) {
    if let Some(word) = bits.get_mut(at / 64) {
        *word |= 1 << (at % 64);
    }
}

fn is_set(bits: &[u64], at: usize) -> bool {
    bits.get(at / 64)
        .is_some_and(|word| word >> (at % 64) & 1 == 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn glyphs(pattern: &str) -> Vec<Glyph> {
        let glyph = |letter| match letter {
            '*' => Glyph::Run,
            '?' => Glyph::One,
            other => Glyph::Char(other),
        };
        pattern.chars().map(glyph).collect()
    }

    /// The definition, by a table: which ends of `text` each start of the pattern can reach.
    fn by_definition(pattern: &[Glyph], text: &[char]) -> bool {
        let mut reached = vec![false; text.len() + 1];
        if let Some(first) = reached.first_mut() {
            *first = true;
        }
        for glyph in pattern {
            let mut next = vec![false; text.len() + 1];
            let mut before = false;
            for (at, slot) in next.iter_mut().enumerate() {
                let here = reached.get(at).copied().unwrap_or_default();
                let left = at.checked_sub(1);
                let came = left.and_then(|left| reached.get(left)).copied();
                let letter = left.and_then(|left| text.get(left));
                *slot = match glyph {
                    Glyph::Run => here || before,
                    Glyph::One => came == Some(true),
                    Glyph::Char(wanted) => came == Some(true) && letter == Some(wanted),
                };
                before = *slot;
            }
            reached = next;
        }
        reached.last() == Some(&true)
    }

    proptest! {
        #[test]
        fn pieces_agree_with_the_definition(pattern in "[ab*?]{0,12}|[ab*?한]{0,8}|[ab?]{60,140}\\*?", text in "[ab*]{0,12}|[ab한]{0,8}|[ab]{60,140}") {
            let letters: Vec<char> = text.chars().collect();
            let glyphs = glyphs(&pattern);
            prop_assert_eq!(glyphs_match(&glyphs, &text), by_definition(&glyphs, &letters));
        }

        #[test]
        fn a_piece_is_found_where_it_was_put(piece in "[abc]{1,150}", before in "[abc]{0,150}", after in "[ab]{0,9}", any in 0_usize..150) {
            let mut asked: Vec<char> = piece.chars().collect();
            if let Some(letter) = asked.get_mut(any) {
                *letter = '?';
            }
            let asked: String = asked.into_iter().collect();
            let pattern = glyphs(&format!("*{asked}*"));
            let text = format!("{before}{piece}{after}");
            prop_assert!(glyphs_match(&pattern, &text));
        }
    }

    #[test]
    fn a_long_pattern_that_nearly_matches_everywhere_is_decided() {
        let many = "a".repeat(40_000);
        for (pattern, expected) in [
            (format!("*{many}b"), false),
            (format!("*{}b*", "a".repeat(20_000)), false),
            (format!("*?{}b*", "a".repeat(20_000)), false),
            (format!("*?{}?*", "a".repeat(20_000)), true),
            ("*a".repeat(20_000), true),
        ] {
            assert_eq!(glyphs_match(&glyphs(&pattern), &many), expected);
        }
    }
}
