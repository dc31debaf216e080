//! The regular expressions of the spec's schema, matched without compiling them: classes, groups and repetition between
//! `^` and `$`. What goes beyond that is not decided here.

use std::collections::BTreeSet;
use std::iter::Peekable;
use std::str::Chars;

/// Whether the whole of `text` matches `pattern`; `None` when this does not know the pattern.
pub(super) fn matches(pattern: &str, text: &str) -> Option<bool> {
    let body = pattern.strip_prefix('^')?.strip_suffix('$')?;
    let mut letters = body.chars().peekable();
    let sequence = sequence(&mut letters)?;
    if letters.next().is_some() {
        return None;
    }
    let text: Vec<char> = text.chars().collect();
    Some(after(&sequence, BTreeSet::from([0]), &text).contains(&text.len()))
}

/// One piece of a pattern and how often it may stand.
struct Piece {
    what: What,
    least: usize,
    most: usize,
}

enum What {
    /// One character of these ranges.
    Class(Vec<(char, char)>),
    Group(Vec<Piece>),
}

/// Pieces up to the end or a closing bracket.
fn sequence(letters: &mut Peekable<Chars<'_>>) -> Option<Vec<Piece>> {
    let mut pieces = Vec::new();
    while letters.peek().is_some_and(|letter| *letter != ')') {
        let what = match letters.next()? {
            '(' => {
                let group = sequence(letters)?;
                letters.next_if_eq(&')')?;
                What::Group(group)
            }
            '[' => What::Class(class(letters)?),
            '\\' => {
                let letter = letters.next().filter(char::is_ascii_punctuation)?;
                What::Class(vec![(letter, letter)])
            }
            '.' | '|' | '^' | '$' | '?' | '*' | '+' | '{' | '}' | ']' => return None,
            letter => What::Class(vec![(letter, letter)]),
        };
        let (least, most) = repetition(letters)?;
        pieces.push(Piece { what, least, most });
    }
    Some(pieces)
}

/// The ranges of a class, behind its opening bracket.
fn class(letters: &mut Peekable<Chars<'_>>) -> Option<Vec<(char, char)>> {
    let mut ranges: Vec<(char, char)> = Vec::new();
    loop {
        let letter = match letters.next()? {
            ']' => return Some(ranges),
            '\\' | '^' | '[' | '&' | '~' => return None,
            letter => letter,
        };
        let is_range = letters.peek() == Some(&'-') && {
            let mut ahead = letters.clone();
            ahead.next();
            ahead.peek().is_some_and(|end| *end != ']')
        };
        if is_range {
            letters.next();
            let end = letters.next().filter(char::is_ascii_alphanumeric)?;
            ranges.push((letter, end));
        } else {
            ranges.push((letter, letter));
        }
    }
}

/// How often the piece before may stand.
fn repetition(letters: &mut Peekable<Chars<'_>>) -> Option<(usize, usize)> {
    let is_mark = |letter: &char| matches!(letter, '?' | '*' | '+' | '{');
    let times = match letters.next_if(is_mark) {
        Some('?') => (0, 1),
        Some('*') => (0, usize::MAX),
        Some('+') => (1, usize::MAX),
        Some(_) => {
            let mut written = String::new();
            loop {
                match letters.next()? {
                    '}' => break,
                    letter => written.push(letter),
                }
            }
            let (least, most) = written.split_once(',').unwrap_or((&written, &written));
            (least.parse().ok()?, most.parse().ok()?)
        }
        None => return Some((1, 1)),
    };
    // A second mark would make the first lazy or possessive.
    (!letters.peek().is_some_and(is_mark)).then_some(times)
}

/// Where the text can go on after `pieces`, begun at each of `starts`.
fn after(pieces: &[Piece], starts: BTreeSet<usize>, text: &[char]) -> BTreeSet<usize> {
    pieces
        .iter()
        .fold(starts, |starts, piece| repeated(piece, starts, text))
}

fn repeated(piece: &Piece, starts: BTreeSet<usize>, text: &[char]) -> BTreeSet<usize> {
    let mut current = starts;
    for _ in 0..piece.least {
        current = once(&piece.what, &current, text);
    }
    let mut reached = current.clone();
    for _ in piece.least..piece.most {
        current = once(&piece.what, &current, text)
            .difference(&reached)
            .copied()
            .collect();
        if current.is_empty() {
            break;
        }
        reached.extend(&current);
    }
    reached
}

fn once(what: &What, starts: &BTreeSet<usize>, text: &[char]) -> BTreeSet<usize> {
    match what {
        What::Class(ranges) => starts
            .iter()
            .filter(|start| {
                text.get(**start).is_some_and(|letter| {
                    ranges
                        .iter()
                        .any(|(from, to)| from <= letter && letter <= to)
                })
            })
            .map(|start| start + 1)
            .collect(),
        What::Group(pieces) => after(pieces, starts.clone(), text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_it_does_not_know_it_leaves_undecided() {
        for pattern in [
            r"\S", "^a|b$", "^a", "^.$", "^[^a]$", r"^\d$", r"^[\d]$", "^a+?$", "^a{2,}$",
            "^(?:a)$", "^a)$", "^(a$", "^[a$", "^a{2$",
        ] {
            assert_eq!(matches(pattern, "a"), None, "{pattern}");
        }
    }

    #[test]
    fn repetition_and_groups_match_the_whole_text() {
        let region = "^[a-z]{2}(-[a-z]+)+-[0-9]$";
        assert_eq!(matches(region, "ap-northeast-2"), Some(true));
        assert_eq!(matches(region, "us-gov-west-1"), Some(true));
        assert_eq!(matches(region, "us-1"), Some(false));
        assert_eq!(matches(region, "us-east-1\n"), Some(false));
        assert_eq!(matches(r"^a\.ya?ml$", "a.yml"), Some(true));
        assert_eq!(matches("^[a-]+$", "a-"), Some(true));
        assert_eq!(matches("^(a?)*$", "aaa"), Some(true));
        assert_eq!(matches("^(a?)*$", "ab"), Some(false));
    }
}
