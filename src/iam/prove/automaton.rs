//! All patterns of a walk as one automaton, and the states that the walk has met.

use std::collections::{BTreeMap, BTreeSet};

use super::letters::folding_to;
use super::words::{Shape, Step, Wish, Word, Words};

/// Where all words stand: places, ascending, those of words that are better not matched apart.
#[derive(Debug, Clone)]
pub(super) struct State {
    pub(super) firm: Box<[u32]>,
    pub(super) unwished: Box<[u32]>,
}

impl State {
    fn places(&self) -> impl Iterator<Item = u32> {
        self.firm.iter().chain(&self.unwished).copied()
    }

    pub(super) fn len(&self) -> usize {
        self.firm.len() + self.unwished.len()
    }
}

/// All patterns side by side.
pub(super) struct Automaton {
    /// All words, one behind the other; `None` ends each. Those that are better not matched stand last.
    steps: Vec<Option<Step>>,
    starts: Vec<u32>,
    /// Where each list of required words ends; the first begins at 0.
    required: Vec<u32>,
    /// Where the words begin that are better not matched.
    unwished: u32,
    /// Where the words begin that may never match.
    never: u32,
    /// Whether a colon differs from other characters for a step that takes any.
    colons: bool,
}

impl Automaton {
    pub(super) fn new(words: &Words, shape: Shape<'_>) -> Self {
        let mut automaton = Self {
            steps: Vec::new(),
            starts: Vec::new(),
            required: Vec::new(),
            unwished: 0,
            never: 0,
            colons: false,
        };
        for list in shape.required {
            list.iter().for_each(|word| automaton.add(word));
            automaton.required.push(automaton.end());
        }
        let of = |wish| words.wishing(wish);
        of(Wish::Any).for_each(|word| automaton.add(word));
        automaton.unwished = automaton.end();
        of(Wish::Unmatched).for_each(|word| automaton.add(word));
        automaton.never = automaton.end();
        shape.never.iter().for_each(|word| automaton.add(word));
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
        while matches!(self.step(place), Some(Step::Run { .. } | Step::Many(..))) {
            place += 1;
            into.push(place);
        }
    }

    fn state(&self, mut places: Vec<u32>) -> State {
        places.sort_unstable();
        places.dedup();
        let border = places.partition_point(|place| *place < self.unwished);
        let unwished = places.split_off(border);
        State {
            firm: places.into_boxed_slice(),
            unwished: unwished.into_boxed_slice(),
        }
    }

    pub(super) fn start(&self) -> State {
        let mut places = Vec::new();
        for start in &self.starts {
            self.close(*start, &mut places);
        }
        self.state(places)
    }

    pub(super) fn after(&self, from: &State, character: char) -> State {
        let mut places = Vec::with_capacity(from.len() + 8);
        for place in from.places() {
            match self.step(place) {
                Some(Step::Char(wanted)) if wanted == character => {
                    self.close(place + 1, &mut places);
                }
                Some(Step::Folded(_)) => {
                    if let Some(next) = self.behind_folded(place, character) {
                        self.close(next, &mut places);
                    }
                }
                Some(Step::In(first, last)) if (first..=last).contains(&character) => {
                    self.close(place + 1, &mut places);
                }
                Some(Step::Out(first, last)) if !(first..=last).contains(&character) => {
                    self.close(place + 1, &mut places);
                }
                Some(Step::One { colon }) if colon || character != ':' => {
                    self.close(place + 1, &mut places);
                }
                Some(Step::Many(first, last)) if (first..=last).contains(&character) => {
                    self.close(place, &mut places);
                }
                Some(Step::Run { colon }) if colon || character != ':' => {
                    self.close(place, &mut places);
                }
                _ => {}
            }
        }
        self.state(places)
    }

    /// The place behind `character`, which in lower case may be more than one letter.
    fn behind_folded(&self, place: u32, character: char) -> Option<u32> {
        character.to_lowercase().try_fold(place, |place, letter| {
            (self.step(place) == Some(Step::Folded(letter))).then_some(place + 1)
        })
    }

    /// The characters that `state` tells apart: each that some word waits for, and one for all others that lie in the same
    /// ranges.
    pub(super) fn alphabet(&self, state: &State) -> Vec<char> {
        let mut letters = BTreeSet::new();
        let mut ranges = Vec::new();
        for place in state.places() {
            match self.step(place) {
                Some(Step::Char(wanted)) => {
                    letters.insert(wanted);
                }
                Some(Step::Folded(wanted)) => {
                    letters.extend(folding_to(wanted));
                }
                Some(Step::In(first, last) | Step::Out(first, last) | Step::Many(first, last)) => {
                    ranges.push((first, last));
                }
                Some(Step::One { .. } | Step::Run { .. }) | None => {}
            }
        }
        if self.colons {
            letters.insert(':');
        }
        ranges.sort_unstable();
        ranges.dedup();
        let in_ranges = |letter: &char| lies_in(&ranges, *letter);
        let others = ('a'..='z').rev().chain('0'..='9').chain('\u{e000}'..);
        let other = others
            .into_iter()
            .skip(2)
            .find(|letter| !letters.contains(letter) && !in_ranges(letter));
        let inside = of_each_range(&ranges, &letters);
        letters.extend(inside);
        // The one for all others first, capitals last: among shortest examples the plainest is met first.
        let (capitals, plain): (Vec<char>, Vec<char>) = letters
            .into_iter()
            .partition(|letter| letter.is_uppercase());
        other.into_iter().chain(plain).chain(capitals).collect()
    }

    /// Whether a word that may never match has matched, and does whatever follows.
    fn is_lost(&self, place: u32) -> bool {
        place >= self.never
            && self.is_end(place)
            && place.checked_sub(1).and_then(|before| self.step(before))
                == Some(Step::Run { colon: true })
    }

    /// Whether the shape can still be had.
    pub(super) fn is_alive(&self, state: &State) -> bool {
        if state.places().any(|place| self.is_lost(place)) {
            return false;
        }
        let mut begin = 0;
        self.required.iter().all(|end| {
            let first = state.firm.partition_point(|place| *place < begin);
            begin = *end;
            state.firm.get(first).is_some_and(|place| place < end)
        })
    }

    fn is_end(&self, place: u32) -> bool {
        let place = usize::try_from(place).unwrap_or(usize::MAX);
        self.steps.get(place).is_some_and(Option::is_none)
    }

    /// The words that match the string which leads to `state`, if it has the shape.
    pub(super) fn matched(&self, state: &State) -> Option<Vec<u32>> {
        let ends: Vec<u32> = state.places().filter(|place| self.is_end(*place)).collect();
        let mut begin = 0;
        let shaped = self.required.iter().all(|end| {
            let range = begin..*end;
            begin = *end;
            ends.iter().any(|place| range.contains(place))
        });
        let forbidden = ends.last().is_some_and(|last| *last >= self.never);
        (shaped && !forbidden).then(|| ends.into_iter().filter(|end| *end >= begin).collect())
    }
}

fn lies_in(ranges: &[(char, char)], letter: char) -> bool {
    let mut ranges = ranges.iter();
    ranges.any(|(first, last)| (*first..=*last).contains(&letter))
}

/// For each set of `ranges` that some character lies in together, the first such character that is none of `letters`.
fn of_each_range(ranges: &[(char, char)], letters: &BTreeSet<char>) -> Vec<char> {
    let behind = |last: char| (last..).nth(1);
    let mut borders: Vec<char> = ranges
        .iter()
        .flat_map(|(first, last)| std::iter::once(*first).chain(behind(*last)))
        .collect();
    borders.sort_unstable();
    borders.dedup();
    let between = borders.iter().zip(borders.iter().skip(1));
    between
        .filter(|(from, _)| lies_in(ranges, **from))
        .filter_map(|(from, to)| (*from..*to).find(|letter| !letters.contains(letter)))
        .collect()
}

/// The states met so far, in the order of the shortest strings that lead to them.
#[derive(Default)]
pub(super) struct Walk {
    pub(super) nodes: Vec<Node>,
    /// By the firm places, the others.
    met: BTreeMap<Box<[u32]>, Vec<Box<[u32]>>>,
}

/// A state, and how it was reached.
pub(super) struct Node {
    pub(super) state: State,
    from: Option<(usize, char)>,
}

impl Walk {
    pub(super) fn reach(&mut self, from: Option<(usize, char)>, state: State) {
        // The start may be met again: by a string that is not empty.
        if from.is_some() {
            let met = self.met.entry(state.firm.clone()).or_default();
            if met.iter().any(|one| is_within(one, &state.unwished)) {
                return;
            }
            met.retain(|one| !is_within(&state.unwished, one));
            met.push(state.unwished.clone());
        }
        self.nodes.push(Node { state, from });
    }

    pub(super) fn text(&self, node: usize) -> String {
        let mut letters = Vec::new();
        let mut at = node;
        while let Some((before, letter)) = self.nodes.get(at).and_then(|node| node.from) {
            letters.push(letter);
            at = before;
        }
        letters.iter().rev().collect()
    }
}

/// Whether all of `small` are in `large`; both ascend.
fn is_within(small: &[u32], large: &[u32]) -> bool {
    let mut rest = large.iter();
    small.len() <= large.len()
        && small
            .iter()
            .all(|place| rest.by_ref().find(|other| *other >= place) == Some(place))
}
