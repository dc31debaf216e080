//! The nearest known word to a mistyped one, for "did you mean".

/// The candidate that is fewest edits (insert, delete, replace, swap of neighbours) away from `word`, ignoring case and
/// taking `-` and `_` for the same; `None` when none is near enough to be meant. Of equally near ones the first.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let letters = Some(word)
        .filter(|word| word.len() <= MOST)
        .and_then(letters);
    let word = plain(word);
    let allowed = (word.len() / 3).max(1);
    candidates
        .into_iter()
        .filter(|candidate| may_be_near(letters.as_ref(), candidate, allowed))
        .map(|candidate| (distance(&word, &plain(candidate), allowed), candidate))
        .filter(|(edits, _)| *edits <= allowed)
        .min_by_key(|(edits, _)| *edits)
        .map(|(_, candidate)| candidate)
}

/// At most three candidates near enough to be meant, the nearest first; of equally near ones the earlier.
pub fn nearest_few<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let letters = Some(word)
        .filter(|word| word.len() <= MOST)
        .and_then(letters);
    let word = plain(word);
    let allowed = (word.len() / 3).max(1);
    let mut found: Vec<(usize, &str)> = candidates
        .into_iter()
        .filter(|candidate| candidate.len().abs_diff(word.len()) <= allowed)
        .filter(|candidate| may_be_near(letters.as_ref(), candidate, allowed))
        .map(|candidate| (distance(&word, &plain(candidate), allowed), candidate))
        .filter(|(edits, _)| *edits <= allowed)
        .collect();
    found.sort_by_key(|(edits, _)| *edits);
    // One that is much nearer than the others is what was meant.
    let best = found.first().map_or(0, |(edits, _)| *edits);
    let near = found
        .into_iter()
        .filter(|(edits, _)| *edits <= best + 1)
        .take(3);
    near.map(|(_, candidate)| candidate).collect()
}

/// Whether one slip of the hand makes `word` of `meant`: a letter too many, too few, another, or two that changed places.
#[must_use]
pub fn is_slip_of(word: &str, meant: &str) -> bool {
    let (mut word, mut meant) = (word, meant);
    while let (Some(one), Some(other)) = (word.chars().next(), meant.chars().next())
        && one == other
    {
        word = word.get(one.len_utf8()..).unwrap_or_default();
        meant = meant.get(one.len_utf8()..).unwrap_or_default();
    }
    while let (Some(one), Some(other)) = (word.chars().next_back(), meant.chars().next_back())
        && one == other
    {
        word = word.get(..word.len() - one.len_utf8()).unwrap_or_default();
        meant = meant
            .get(..meant.len() - one.len_utf8())
            .unwrap_or_default();
    }
    let mut letters = word.chars();
    let mut others = meant.chars();
    match (letters.next(), letters.next(), others.next(), others.next()) {
        (Some(_), None, None, None)
        | (None, None, Some(_), None)
        | (Some(_), None, Some(_), None) => true,
        (Some(one), Some(two), Some(first), Some(second)) => {
            let swapped = one == second && two == first;
            swapped && letters.next().is_none() && others.next().is_none()
        }
        _ => false,
    }
}

/// How many characters of a word are compared.
const MOST: usize = 64;

/// How often each letter and digit stands in a word, all others counted as one. `None` for a word that is not ASCII, or
/// longer than is compared.
fn letters(word: &str) -> Option<[u8; 37]> {
    let place = |letter: u8| match letter {
        b'a'..=b'z' => letter - b'a',
        b'A'..=b'Z' => letter - b'A',
        b'0'..=b'9' => letter - b'0' + 26,
        _ => 36,
    };
    let mut counts = [0; 37];
    for letter in word.bytes() {
        if let Some(count) = counts.get_mut(usize::from(place(letter))) {
            *count += 1_u8;
        }
    }
    (word.is_ascii() && word.len() <= MOST).then_some(counts)
}

/// Whether so few edits can do: each letter that one of two words has more often than the other takes one at least.
fn may_be_near(word: Option<&[u8; 37]>, candidate: &str, allowed: usize) -> bool {
    if candidate.len() > MOST || !candidate.is_ascii() {
        return true;
    }
    let (Some(word), Some(candidate)) = (word, letters(candidate)) else {
        return true;
    };
    let pairs = || word.iter().zip(&candidate);
    let missing: u8 = pairs().map(|(one, other)| one.saturating_sub(*other)).sum();
    let added: u8 = pairs().map(|(one, other)| other.saturating_sub(*one)).sum();
    usize::from(missing.max(added)) <= allowed
}

fn plain(word: &str) -> Vec<char> {
    let letter = |letter: char| if letter == '-' { '_' } else { letter };
    word.chars()
        .flat_map(char::to_lowercase)
        .map(letter)
        .take(MOST)
        .collect()
}

/// Optimal string alignment distance, row by row.
fn distance(from: &[char], to: &[char], allowed: usize) -> usize {
    let mut before_last: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=to.len()).collect();
    for (row, letter) in from.iter().enumerate() {
        let mut current = vec![row + 1];
        for (column, other) in to.iter().enumerate() {
            let at =
                |cells: &[usize], index: usize| cells.get(index).copied().unwrap_or(usize::MAX / 2);
            let replaced = at(&last, column) + usize::from(letter != other);
            let mut best = replaced
                .min(at(&last, column + 1) + 1)
                .min(at(&current, column) + 1);
            let swapped = row > 0
                && column > 0
                && from.get(row - 1) == Some(other)
                && to.get(column - 1) == Some(letter);
            if swapped {
                best = best.min(at(&before_last, column - 1) + 1);
            }
            current.push(best);
        }
        let least = |row: &[usize]| row.iter().min().copied().unwrap_or(0);
        // A swap reaches over one row.
        if least(&current) > allowed && least(&last) >= allowed {
            return usize::MAX;
        }
        before_last = std::mem::replace(&mut last, current);
    }
    last.last().copied().unwrap_or(from.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_slip_is_found_and_another_word_is_not() {
        let keys = ["owner", "owner_id", "repository"];
        assert_eq!(nearest("onwer", keys), Some("owner"));
        assert_eq!(nearest("Owner-Id", keys), Some("owner_id"));
        assert_eq!(nearest("repositry", keys), Some("repository"));
        assert_eq!(nearest("branch", keys), None);
        assert_eq!(nearest("", keys), None);
        assert_eq!(nearest_few("owner-i", keys), ["owner_id", "owner"]);
        assert_eq!(
            nearest_few("ownerid", ["owner_id", "owner_ids", "x"]),
            ["owner_id", "owner_ids"]
        );
    }

    #[test]
    fn a_slip_of_the_hand_is_one() {
        for word in ["lamda", "lambdaa", "lamdba", "lanbda"] {
            assert!(is_slip_of(word, "lambda"), "{word}");
        }
        for word in ["lambda", "lamd", "lamdab2", "lbamda"] {
            assert!(!is_slip_of(word, "lambda"), "{word}");
        }
    }

    proptest! {
        #[test]
        fn letters_never_rule_out_what_is_near(word in "[a-cA-C0-1_-]{0,6}", other in "[a-cA-C0-1_-]{0,6}") {
            let edits = distance(&plain(&word), &plain(&other), MOST);
            prop_assert!(may_be_near(letters(&word).as_ref(), &other, edits));
        }
    }
}
