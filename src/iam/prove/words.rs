//! Which strings a set of patterns can tell apart, with a shortest example of each kind that matters.
//!
//! A pattern is a small automaton without an alphabet of its own: `*` and `?` take any character, a letter takes itself.
//! All patterns are run side by side over every string at once, breadth first: a state is the set of places where they
//! stand, and from a state only the characters that some pattern waits for differ from each other; all others behave as
//! one. So every set of patterns that some string matches together is met, and met first by a shortest string (subset
//! construction; Hopcroft, Motwani, Ullman, "Introduction to Automata Theory", section 2.3.5).
//!
//! Most patterns are better matched, or better not matched, whatever the others do. Of two states that differ only in
//! places of patterns that are better not matched, the one with fewer places is walked on from and the other is not: every
//! string that leads on from there leaves it with no more matches (antichains; De Wulf, Doyen, Henzinger, Raskin,
//! "Antichains: a new algorithm for checking universality of finite automata", 2006). Without that, patterns such as
//! `*a*`, `*b*`, … would meet in every combination.

use std::cell::Cell;
use std::collections::BTreeMap;

use super::automaton::{Automaton, Walk};

/// One place of a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Step {
    /// This character.
    Char(char),
    /// This lower-case character, in any case of letters.
    Folded(char),
    /// Any character; `colon` says whether also `:`.
    One { colon: bool },
    /// Any characters, or none.
    Run { colon: bool },
    /// A character from the first to the last.
    In(char, char),
    /// Any other.
    Out(char, char),
    /// Any number of characters from the first to the last, or none.
    Many(char, char),
}

/// A pattern.
pub(super) type Word = Vec<Step>;

/// What is better for a pattern, whatever the others do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wish {
    /// Not to be matched.
    Unmatched,
    /// To be matched, or it depends.
    Any,
}

/// Patterns, each once, with what is better for them.
#[derive(Debug, Clone, Default)]
pub(super) struct Words(BTreeMap<Word, Wish>);

impl Words {
    /// Takes in one more user of `word`.
    pub(super) fn add(&mut self, word: Word, wish: Wish) {
        let known = self.0.entry(word).or_insert(wish);
        if *known != wish {
            *known = Wish::Any;
        }
    }

    /// Those with this wish.
    pub(super) fn wishing(&self, wish: Wish) -> impl Iterator<Item = &Word> {
        let words = self.0.iter().filter(move |(_, own)| **own == wish);
        words.map(|(word, _)| word)
    }

    /// The patterns.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Word> {
        self.0.keys()
    }
}

/// Which strings are asked for.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Shape<'a> {
    /// Of each of these, one at least must match.
    pub(super) required: &'a [&'a [Word]],
    /// None of these may.
    pub(super) never: &'a [Word],
}

/// Too many states: the patterns are too tangled to be told apart within the bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TooTangled;

/// What work may still be done: for one walk, and for all of them.
#[derive(Debug)]
pub(super) struct Budget {
    walk: usize,
    left: Cell<usize>,
}

impl Budget {
    /// `walk` places of states for each walk, `all` for all walks together.
    pub(super) fn new(walk: usize, all: usize) -> Self {
        Self {
            walk,
            left: Cell::new(all),
        }
    }

    /// Whether nothing is left.
    pub(super) fn is_spent(&self) -> bool {
        self.left.get() == 0
    }

    /// Takes `cost` away.
    pub(super) fn spend(&self, cost: usize) -> Result<(), TooTangled> {
        let left = self.left.get().saturating_sub(cost);
        self.left.set(left);
        if left == 0 { Err(TooTangled) } else { Ok(()) }
    }
}

/// A word in which only `*` is special.
pub(super) fn glob(text: &str, colon: bool) -> Word {
    let step = |character| match character {
        '*' => Step::Run { colon },
        other => Step::Char(other),
    };
    text.chars().map(step).collect()
}

/// Strings that are not empty and have the shape: of every set of `words` that some such string matches together, a
/// shortest one that matches it, or one that is as good: it matches the same and fewer of those that are better not
/// matched. The set of none is one too.
pub(super) fn examples(
    words: &Words,
    shape: Shape<'_>,
    budget: &Budget,
) -> Result<Vec<String>, TooTangled> {
    let automaton = Automaton::new(words, shape);
    let mut walk = Walk::default();
    walk.reach(None, automaton.start());
    let (mut at, mut size) = (0, 0);
    while let Some(node) = walk.nodes.get(at) {
        let state = node.state.clone();
        let alphabet = automaton.alphabet(&state);
        let cost = (state.len() + 1) * alphabet.len();
        size += cost;
        budget.spend(cost)?;
        if size > budget.walk {
            return Err(TooTangled);
        }
        for character in alphabet {
            let next = automaton.after(&state, character);
            if automaton.is_alive(&next) {
                walk.reach(Some((at, character)), next);
            }
        }
        at += 1;
    }
    let mut found = BTreeMap::new();
    for (index, node) in walk.nodes.iter().enumerate().skip(1) {
        if let Some(matched) = automaton.matched(&node.state) {
            found.entry(matched).or_insert(index);
        }
    }
    let mut examples: Vec<usize> = found.into_values().collect();
    examples.sort_unstable();
    Ok(examples.into_iter().map(|node| walk.text(node)).collect())
}

/// Whether `text` has the shape.
pub(super) fn is_shaped(text: &str, shape: Shape<'_>) -> bool {
    let automaton = Automaton::new(&Words::default(), shape);
    let step = |state, character| automaton.after(&state, character);
    let end = text.chars().fold(automaton.start(), step);
    automaton.matched(&end).is_some()
}

/// The only string that `word` matches.
pub(super) fn literal(word: &Word) -> Option<String> {
    let letter = |step: &Step| match step {
        Step::Char(letter) => Some(*letter),
        Step::Folded(_)
        | Step::One { .. }
        | Step::Run { .. }
        | Step::In(..)
        | Step::Out(..)
        | Step::Many(..) => None,
    };
    word.iter().map(letter).collect()
}

/// A string that `word` matches, with one letter for each wildcard.
pub(super) fn instance(word: &Word) -> String {
    let letter = |step: &Step| match step {
        Step::Char(letter) | Step::Folded(letter) | Step::In(letter, _) | Step::Many(letter, _) => {
            *letter
        }
        Step::One { .. } | Step::Run { .. } | Step::Out(..) => 'x',
    };
    word.iter().map(letter).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::model::policy::glob_matches;

    fn word(text: &str) -> Word {
        let step = |character| match character {
            '*' => Step::Run { colon: true },
            '?' => Step::One { colon: true },
            other => Step::Char(other),
        };
        text.chars().map(step).collect()
    }

    const MUCH: usize = 10_000_000;

    fn words(texts: impl IntoIterator<Item = Word>) -> Words {
        let mut words = Words::default();
        texts
            .into_iter()
            .for_each(|word| words.add(word, Wish::Any));
        words
    }

    fn all(words: &Words, shape: Shape<'_>) -> Vec<String> {
        examples(words, shape, &Budget::new(MUCH, MUCH)).unwrap()
    }

    fn found(texts: &[&str]) -> Vec<String> {
        all(
            &words(texts.iter().map(|text| word(text))),
            Shape::default(),
        )
    }

    #[test]
    fn each_kind_of_string_has_a_shortest_example() {
        assert_eq!(found(&["a"]), ["x", "a"]);
        assert_eq!(found(&["a*", "ab"]), ["x", "a", "ab"]);
        assert_eq!(found(&["a*", "*b"]), ["x", "a", "b", "ab"]);
        // Whatever matches the second matches the first.
        assert_eq!(found(&["a*", "ab*"]).len(), 3);
        assert_eq!(found(&["*"]), ["x"]);
        assert_eq!(found(&[]), ["x"]);
    }

    #[test]
    fn a_shape_must_be_kept_and_letters_may_be_folded() {
        let pair = [glob("*:*", false)];
        let shape = Shape {
            required: &[&pair],
            never: &[],
        };
        let texts = all(&words([glob("s3:get*", true)]), shape);
        assert_eq!(texts.len(), 2);
        assert!(
            texts.iter().all(|text| text.matches(':').count() == 1),
            "{texts:?}"
        );
        let folded = vec![Step::Folded('a')];
        let exact = vec![Step::Char('A')];
        let texts = all(&words([folded, exact]), Shape::default());
        assert_eq!(texts, ["x", "a", "A"]);
    }

    #[test]
    fn letters_outside_ascii_fold_as_they_do_in_the_evaluator() {
        let fold = |text: &str| text.chars().map(Step::Folded).collect::<Word>();
        // The Kelvin sign is a `k`, and the dotted capital `İ` is an `i` and a dot.
        let texts = all(
            &words([fold("k"), vec![Step::Char('k')], vec![Step::Char('K')]]),
            Shape::default(),
        );
        assert_eq!(texts, ["x", "k", "K", "\u{212a}"]);
        let two = [fold("i\u{307}"), word("??")];
        assert!(all(&words(two), Shape::default()).contains(&"\u{130}".to_owned()));
    }

    #[test]
    fn what_may_never_match_does_not_hide_another_string() {
        let never = [word("x*"), word("?")];
        let shape = Shape {
            required: &[],
            never: &never,
        };
        let mut hindering = Words::default();
        hindering.add(word("*y"), Wish::Unmatched);
        let texts = all(&hindering, shape);
        assert!(!texts.is_empty());
        for text in texts {
            assert!(!text.starts_with('x') && text.len() > 1, "{text}");
        }
    }

    #[test]
    fn tangled_words_end_with_a_word_about_it() {
        let tangled = || ('a'..='z').map(|letter| word(&format!("*{letter}*{letter}?????*")));
        let few = Budget::new(50_000, MUCH);
        assert_eq!(
            examples(&words(tangled()), Shape::default(), &few),
            Err(TooTangled)
        );
        assert!(!few.is_spent());
        let mut unwished = Words::default();
        tangled().for_each(|word| unwished.add(word, Wish::Unmatched));
        let one = examples(&unwished, Shape::default(), &few);
        assert_eq!(one.map(|found| found.len()), Ok(1));
    }

    proptest::proptest! {
        #[test]
        fn no_string_matches_a_set_without_an_example(
            globs in proptest::collection::vec("[ab*?]{0,4}", 0..5),
            texts in proptest::collection::vec("[abc]{1,5}", 0..20),
        ) {
            let words = words(globs.iter().map(|text| word(text)));
            let kind = |text: &str| -> Vec<bool> { globs.iter().map(|glob| glob_matches(glob, text)).collect() };
            let found = all(&words, Shape::default());
            let kinds: BTreeSet<Vec<bool>> = found.iter().map(|text| kind(text)).collect();
            proptest::prop_assert_eq!(kinds.len(), found.len());
            for text in texts {
                proptest::prop_assert!(kinds.contains(&kind(&text)), "{} is of no known kind", text);
                let shortest = found.iter().find(|example| kind(example) == kind(&text));
                proptest::prop_assert!(shortest.is_some_and(|example| example.len() <= text.len()));
            }
        }

        #[test]
        fn no_string_matches_less_than_every_example(
            wished in proptest::collection::vec("[ab*?]{0,4}", 0..4),
            unwished in proptest::collection::vec("[ab*?]{0,4}", 0..4),
            never in proptest::collection::vec("[ab*?]{0,3}", 0..2),
            needed in proptest::collection::vec("[ab*?]{0,3}", 1..3),
            texts in proptest::collection::vec("[abc]{1,5}", 0..20),
        ) {
            let mut words = words(wished.iter().map(|text| word(text)));
            for text in &unwished {
                words.add(word(text), Wish::Unmatched);
            }
            let [never_words, needed_words] = [&never, &needed]
                .map(|list| list.iter().map(|text| word(text)).collect::<Vec<Word>>());
            let shape = Shape { required: &[&needed_words], never: &never_words };
            let found = all(&words, shape);
            let matches = |globs: &[String], text: &str| -> Vec<bool> {
                globs.iter().map(|glob| glob_matches(glob, text)).collect()
            };
            let shaped = |text: &str| matches(&needed, text).contains(&true) && !matches(&never, text).contains(&true);
            proptest::prop_assert!(found.iter().all(|text| shaped(text)));
            for text in texts.iter().filter(|text| shaped(text)) {
                let as_good = |example: &&String| {
                    let pairs = matches(&unwished, example).into_iter().zip(matches(&unwished, text));
                    matches(&wished, example) == matches(&wished, text) && pairs.into_iter().all(|(own, other)| own <= other)
                };
                proptest::prop_assert!(found.iter().any(|example| as_good(&example)), "{} has no better", text);
            }
        }
    }
}
