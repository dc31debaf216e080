//! A breadth-first search over the states of a model: exhaustive, with the shortest way to whatever is looked for.

use std::collections::{BTreeMap, VecDeque};

/// Something with states and actions.
pub(crate) trait Model {
    /// A state; equal states behave equally.
    type State: Ord + Clone;
    /// What leads from one state to another.
    type Action: Clone;

    /// Where it begins.
    fn initial(&self) -> Self::State;

    /// Every action in `state`, with what is to be remembered of it and where it leads.
    fn next(&mut self, state: &Self::State) -> Vec<Move<Self>>;

    /// What is to be remembered of a state.
    fn marks(&mut self, state: &Self::State) -> Vec<&'static str>;
}

/// One action.
pub(crate) struct Move<M: Model + ?Sized> {
    pub(crate) action: M::Action,
    pub(crate) to: M::State,
    /// What the action itself is.
    pub(crate) mark: Option<&'static str>,
}

/// What a search found.
pub(crate) struct Found<M: Model> {
    /// Number of states.
    pub(crate) states: usize,
    /// Number of actions walked.
    pub(crate) actions: usize,
    /// States in which nothing goes on.
    pub(crate) ends: Vec<M::State>,
    /// By mark: the shortest way to it.
    pub(crate) ways: BTreeMap<&'static str, Vec<M::Action>>,
}

/// Walks every state.
pub(crate) fn search<M: Model>(model: &mut M) -> Found<M> {
    let mut known = BTreeMap::new();
    let mut came: Vec<Option<(usize, M::Action)>> = vec![None];
    let mut queue = VecDeque::new();
    let mut found = Found {
        states: 0,
        actions: 0,
        ends: Vec::new(),
        ways: BTreeMap::new(),
    };
    let first = model.initial();
    for mark in model.marks(&first) {
        found.ways.entry(mark).or_default();
    }
    known.insert(first.clone(), 0);
    queue.push_back((0, first));
    while let Some((id, state)) = queue.pop_front() {
        let moves = model.next(&state);
        if moves.is_empty() {
            found.ends.push(state);
        }
        for Move { action, to, mark } in moves {
            found.actions += 1;
            if let Some(mark) = mark.filter(|mark| !found.ways.contains_key(mark)) {
                let mut way = way_to(&came, id);
                way.push(action.clone());
                found.ways.insert(mark, way);
            }
            let fresh = came.len();
            let id_of = *known.entry(to.clone()).or_insert(fresh);
            if id_of != fresh {
                continue;
            }
            came.push(Some((id, action)));
            for mark in model.marks(&to) {
                if !found.ways.contains_key(mark) {
                    found.ways.insert(mark, way_to(&came, fresh));
                }
            }
            queue.push_back((fresh, to));
        }
    }
    found.states = known.len();
    found
}

fn way_to<A: Clone>(came: &[Option<(usize, A)>], id: usize) -> Vec<A> {
    let mut way = Vec::new();
    let mut at = id;
    while let Some((before, action)) = &came[at] {
        way.push(action.clone());
        at = *before;
    }
    way.reverse();
    way
}
