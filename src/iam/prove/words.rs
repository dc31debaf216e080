//! Which strings a set of patterns can tell apart, with a shortest example of each kind.
//!
//! A pattern is a small automaton without an alphabet of its own: `*` and `?` take any character, a letter takes itself.
//! All patterns are run side by side over every string at once, breadth first: a state is the set of places where they
//! stand, and from a state only the characters that some pattern waits for differ from each other; all others behave as
//! one. So every set of patterns that some string matches together is met, and met first by a shortest string (subset
//! construction; Hopcroft, Motwani, Ullman, "Introduction to Automata Theory", section 2.3.5).

use std::collections::{BTreeMap, BTreeSet};

/// One place of a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// This character.
    Char(char),
    /// This lower-case character, in any case of letters.
    Folded(char),
    /// Any character; `colon` says whether also `:`.
    One { colon: bool },
    /// Any characters, or none.
    Run { colon: bool },
}

/// A pattern.
pub(super) type Word = Vec<Step>;

/// Too many states: the patterns are too tangled to be told apart within the bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TooTangled;

/// A word in which only `*` is special.
pub(super) fn glob(text: &str, colon: bool) -> Word {
    let step = |character| match character {
        '*' => Step::Run { colon },
        other => Step::Char(other),
    };
    text.chars().map(step).collect()
}

/// A shortest string that is not empty for each set of `words` that some such string matches together, the set of none
/// included. With `shapes`, only strings that match one of those.
pub(super) fn examples(
    words: &[Word],
    shapes: &[Word],
    most: usize,
) -> Result<Vec<String>, TooTangled> {
    let automaton = Automaton::new(words, shapes);
    let mut walk = Walk::default();
    walk.reach(None, automaton.start());
    let mut at = 0;
    while let Some(node) = walk.nodes.get(at) {
        let state = node.state.clone();
        for character in automaton.alphabet(&state) {
            let next = automaton.after(&state, character);
            if shapes.is_empty() || automaton.can_have_shape(&next) {
                walk.reach(Some((at, character)), next);
            }
        }
        if walk.nodes.len() > most {
            return Err(TooTangled);
        }
        at += 1;
    }
    let mut found = BTreeMap::new();
    for (index, node) in walk.nodes.iter().enumerate().skip(1) {
        let (matched, shaped) = automaton.matched(&node.state);
        if (shapes.is_empty() || shaped) && !found.contains_key(&matched) {
            found.insert(matched, index);
        }
    }
    let mut examples: Vec<usize> = found.into_values().collect();
    examples.sort_unstable();
    Ok(examples.into_iter().map(|node| walk.text(node)).collect())
}

/// Whether `text` matches one of `shapes`.
pub(super) fn is_shaped(text: &str, shapes: &[Word]) -> bool {
    let automaton = Automaton::new(&[], shapes);
    let step = |state, character| automaton.after(&state, character);
    let (_, shaped) = automaton.matched(&text.chars().fold(automaton.start(), step));
    shaped
}

/// A string that `word` matches, with one letter for each wildcard.
pub(super) fn instance(word: &Word) -> String {
    let letter = |step: &Step| match step {
        Step::Char(letter) | Step::Folded(letter) => *letter,
        Step::One { .. } | Step::Run { .. } => 'x',
    };
    word.iter().map(letter).collect()
}

/// Places in all words, ascending.
type State = Box<[u32]>;

struct Automaton {
    /// All words, one behind the other; `None` ends each.
    steps: Vec<Option<Step>>,
    starts: Vec<u32>,
    /// Where the shapes begin.
    shapes: u32,
    /// Whether a colon differs from other characters for a step that takes any.
    colons: bool,
}

impl Automaton {
    fn new(words: &[Word], shapes: &[Word]) -> Self {
        let mut automaton = Self {
            steps: Vec::new(),
            starts: Vec::new(),
            shapes: 0,
            colons: false,
        };
        for word in words {
            automaton.add(word);
        }
        automaton.shapes = automaton.end();
        for shape in shapes {
            automaton.add(shape);
        }
        let keeps = |step: &Option<Step>| {
            matches!(
                step,
                Some(Step::One { colon: false } | Step::Run { colon: false })
            )
        };
        automaton.colons = automaton.steps.iter().any(keeps);
        automaton
    }

    fn end(&self) -> u32 {
        u32::try_from(self.steps.len()).unwrap_or(u32::MAX)
    }

    fn add(&mut self, word: &Word) {
        self.starts.push(self.end());
        self.steps.extend(word.iter().copied().map(Some));
        self.steps.push(None);
    }

    fn step(&self, place: u32) -> Option<Step> {
        let place = usize::try_from(place).ok()?;
        self.steps.get(place).copied().flatten()
    }

    /// `place` and every place that is reached from it without a character.
    fn close(&self, place: u32, into: &mut Vec<u32>) {
        let mut place = place;
        into.push(place);
        while matches!(self.step(place), Some(Step::Run { .. })) {
            place += 1;
            into.push(place);
        }
    }

    fn start(&self) -> State {
        let mut places = Vec::new();
        for start in &self.starts {
            self.close(*start, &mut places);
        }
        state(places)
    }

    fn after(&self, from: &State, character: char) -> State {
        let mut places = Vec::with_capacity(from.len() * 2);
        for place in from {
            match self.step(*place) {
                Some(Step::Char(wanted)) if wanted == character => {
                    self.close(place + 1, &mut places);
                }
                Some(Step::Folded(wanted)) if lower(character) == Some(wanted) => {
                    self.close(place + 1, &mut places);
                }
                Some(Step::One { colon }) if colon || character != ':' => {
                    self.close(place + 1, &mut places);
                }
                Some(Step::Run { colon }) if colon || character != ':' => {
                    self.close(*place, &mut places);
                }
                _ => {}
            }
        }
        state(places)
    }

    /// The characters that `state` tells apart: each that some word waits for, and one that stands for all others.
    fn alphabet(&self, state: &State) -> Vec<char> {
        let mut letters = BTreeSet::new();
        for place in state {
            match self.step(*place) {
                Some(Step::Char(wanted)) => {
                    letters.insert(wanted);
                }
                Some(Step::Folded(wanted)) => {
                    letters.insert(wanted);
                    letters.extend(upper(wanted));
                }
                Some(Step::One { .. } | Step::Run { .. }) | None => {}
            }
        }
        if self.colons {
            letters.insert(':');
        }
        let others = ('a'..='z').rev().chain('0'..='9').chain('\u{e000}'..);
        let other = others
            .into_iter()
            .skip(2)
            .find(|letter| !letters.contains(letter));
        // The one for all others first: among shortest examples the plainest is met first.
        other.into_iter().chain(letters).collect()
    }

    fn can_have_shape(&self, state: &State) -> bool {
        state.last().is_some_and(|place| *place >= self.shapes)
    }

    /// The words that match the string which leads to `state`, and whether a shape does.
    fn matched(&self, state: &State) -> (Vec<u32>, bool) {
        let ends = state.iter().copied().filter(|place| {
            let place = usize::try_from(*place).unwrap_or(usize::MAX);
            self.steps.get(place).is_some_and(Option::is_none)
        });
        let (words, shapes): (Vec<u32>, Vec<u32>) = ends.partition(|end| *end < self.shapes);
        (words, !shapes.is_empty())
    }
}

fn state(mut places: Vec<u32>) -> State {
    places.sort_unstable();
    places.dedup();
    places.into_boxed_slice()
}

fn lower(character: char) -> Option<char> {
    let mut folded = character.to_lowercase();
    let first = folded.next()?;
    folded.next().is_none().then_some(first)
}

fn upper(character: char) -> Option<char> {
    let mut folded = character.to_uppercase();
    let first = folded.next()?;
    (folded.next().is_none() && lower(first) == Some(character)).then_some(first)
}

/// The states met so far, in the order of the shortest strings that lead to them.
#[derive(Default)]
struct Walk {
    nodes: Vec<Node>,
    met: BTreeSet<State>,
}

struct Node {
    state: State,
    from: Option<(usize, char)>,
}

impl Walk {
    fn reach(&mut self, from: Option<(usize, char)>, state: State) {
        // The start may be met again: by a string that is not empty.
        if from.is_none() || self.met.insert(state.clone()) {
            self.nodes.push(Node { state, from });
        }
    }

    fn text(&self, node: usize) -> String {
        let mut letters = Vec::new();
        let mut at = node;
        while let Some((before, letter)) = self.nodes.get(at).and_then(|node| node.from) {
            letters.push(letter);
            at = before;
        }
        letters.iter().rev().collect()
    }
}

#[cfg(test)]
mod tests {
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

    fn found(words: &[&str]) -> Vec<String> {
        let words: Vec<Word> = words.iter().map(|text| word(text)).collect();
        examples(&words, &[], 10_000).unwrap()
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
        let shape = [glob("*:*", false)];
        let texts = examples(&[glob("s3:get*", true)], &shape, 10_000).unwrap();
        assert_eq!(texts.len(), 2);
        assert!(
            texts.iter().all(|text| text.matches(':').count() == 1),
            "{texts:?}"
        );
        let folded = vec![Step::Folded('a')];
        let exact = vec![Step::Char('A')];
        let texts = examples(&[folded, exact], &[], 100).unwrap();
        assert_eq!(texts, ["x", "A", "a"]);
    }

    #[test]
    fn tangled_words_end_with_a_word_about_it() {
        let words: Vec<Word> = ('a'..='z')
            .map(|letter| word(&format!("*{letter}*{letter}?????*")))
            .collect();
        assert_eq!(examples(&words, &[], 5_000), Err(TooTangled));
    }

    proptest::proptest! {
        #[test]
        fn no_string_matches_a_set_without_an_example(
            globs in proptest::collection::vec("[ab*?]{0,4}", 0..5),
            texts in proptest::collection::vec("[abc]{1,5}", 0..20),
        ) {
            let words: Vec<Word> = globs.iter().map(|text| word(text)).collect();
            let kind = |text: &str| -> Vec<bool> { globs.iter().map(|glob| glob_matches(glob, text)).collect() };
            let found = examples(&words, &[], 100_000).unwrap();
            let kinds: BTreeSet<Vec<bool>> = found.iter().map(|text| kind(text)).collect();
            proptest::prop_assert_eq!(kinds.len(), found.len());
            for text in texts {
                proptest::prop_assert!(kinds.contains(&kind(&text)), "{} is of no known kind", text);
                let shortest = found.iter().find(|example| kind(example) == kind(&text));
                proptest::prop_assert!(shortest.is_some_and(|example| example.len() <= text.len()));
            }
        }
    }
}
