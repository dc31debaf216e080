//! The planner and the enactors of 2025-10-20 (aws.amazon.com/message/101925) as a model: which guard removes which fault.
//!
//! A planner makes generations; enactors pick the newest, check it once, write it, and delete what is old by then. I1: the
//! active plan is never deleted (the record is never empty). I2: the active plan is never older than the newest written.

use crate::search::{Model, Move, search};

/// What lets an enactor write.
#[derive(Clone, Copy, PartialEq)]
enum Apply {
    /// A check before, once, as it was.
    Once,
    /// A second check directly before the write, not in one step with it.
    Twice,
    /// Compare and set.
    Atomic,
    /// The store refuses what is older than the newest it has seen.
    Fence,
}

/// What keeps a clean-up from deleting.
#[derive(Clone, Copy, PartialEq)]
enum CleanUp {
    /// Whatever is some generations older than its own, as it was.
    Generation,
    /// The same, but what was active when it looked.
    LooksOnce,
    /// The same, but what any enactor has open.
    NotOpen,
    /// Never what is active, in one step.
    NeverActive,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Enactor {
    Idle,
    Checked(u8),
    Rechecked(u8),
    Applied(u8),
    /// Deletes the generations of this set, one after another.
    Deleting(u8, u8),
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Store {
    latest: u8,
    active: u8,
    highest: u8,
    deleted: u8,
    enactors: Vec<Enactor>,
}

struct Race {
    enactors: usize,
    apply: Apply,
    clean_up: CleanUp,
}

const GENERATIONS: u8 = 4;
const KEEP: u8 = 1;
const EMPTY: &str = "the active plan is deleted";
const STALE: &str = "an older plan is active";

impl Race {
    fn enact(&self, store: &Store, who: usize) -> Vec<(&'static str, Store)> {
        let with = |enactor| {
            let mut next = store.clone();
            next.enactors[who] = enactor;
            next
        };
        let write = |plan: u8| {
            let mut next = with(Enactor::Applied(plan));
            next.active = plan;
            next.highest = next.highest.max(plan);
            next
        };
        let gone = |plan: u8| store.deleted & (1 << plan) != 0;
        match store.enactors[who] {
            Enactor::Checked(plan) | Enactor::Rechecked(plan) if gone(plan) => {
                vec![("finds its plan deleted", with(Enactor::Idle))]
            }
            Enactor::Idle if store.latest > store.active => {
                vec![("checks", with(Enactor::Checked(store.latest)))]
            }
            Enactor::Idle => Vec::new(),
            Enactor::Checked(plan) => match self.apply {
                Apply::Once => vec![("writes", write(plan))],
                Apply::Twice if plan > store.active => {
                    vec![("checks again", with(Enactor::Rechecked(plan)))]
                }
                Apply::Atomic if plan > store.active => vec![("writes", write(plan))],
                Apply::Fence if plan > store.highest => vec![("writes", write(plan))],
                Apply::Twice | Apply::Atomic | Apply::Fence => {
                    vec![("gives up", with(Enactor::Idle))]
                }
            },
            Enactor::Rechecked(plan) => vec![("writes", write(plan))],
            Enactor::Applied(plan) => {
                let old = (1..=plan.saturating_sub(KEEP)).filter(|old| *old < plan);
                let kept = |old: &u8| match self.clean_up {
                    CleanUp::Generation | CleanUp::NeverActive | CleanUp::NotOpen => false,
                    CleanUp::LooksOnce => *old == store.active,
                };
                let set = old
                    .filter(|old| store.deleted & (1 << old) == 0 && !kept(old))
                    .fold(0, |set, old| set | 1 << old);
                vec![("looks for old plans", with(Enactor::Deleting(plan, set)))]
            }
            Enactor::Deleting(_, 0) => vec![("is done", with(Enactor::Idle))],
            Enactor::Deleting(plan, set) => {
                let old = set.trailing_zeros();
                let mut next = with(Enactor::Deleting(plan, set & (set - 1)));
                if !self.keeps(store, old) {
                    next.deleted |= 1 << old;
                }
                vec![("deletes", next)]
            }
        }
    }

    /// Whether the clean-up spares this generation when it comes to it.
    fn keeps(&self, store: &Store, old: u32) -> bool {
        let active = u32::from(store.active) == old;
        let open = |enactor: &Enactor| match enactor {
            Enactor::Checked(plan) | Enactor::Rechecked(plan) | Enactor::Applied(plan) => {
                u32::from(*plan) == old
            }
            Enactor::Idle | Enactor::Deleting(..) => false,
        };
        match self.clean_up {
            CleanUp::Generation | CleanUp::LooksOnce => false,
            CleanUp::NotOpen => active || store.enactors.iter().any(open),
            CleanUp::NeverActive => active,
        }
    }
}

impl Model for Race {
    type State = Store;
    type Action = &'static str;

    fn initial(&self) -> Store {
        Store {
            latest: 1,
            active: 0,
            highest: 0,
            deleted: 0,
            enactors: vec![Enactor::Idle; self.enactors],
        }
    }

    fn next(&mut self, store: &Store) -> Vec<Move<Self>> {
        let mut moves = Vec::new();
        let mut add = |action, to| {
            moves.push(Move {
                action,
                to,
                mark: None,
            });
        };
        if store.latest < GENERATIONS {
            let mut next = store.clone();
            next.latest += 1;
            add("plans", next);
        }
        for who in 0..self.enactors {
            for (action, next) in self.enact(store, who) {
                add(action, next);
            }
        }
        moves
    }

    fn marks(&mut self, store: &Store) -> Vec<&'static str> {
        let mut marks = Vec::new();
        if store.deleted & (1 << store.active) != 0 {
            marks.push(EMPTY);
        }
        if store.active < store.highest {
            marks.push(STALE);
        }
        marks
    }
}

#[test]
fn only_an_atomic_compare_at_the_write_removes_both_faults() {
    let table = [
        (Apply::Once, CleanUp::Generation, Some(7), Some(5)),
        (Apply::Once, CleanUp::LooksOnce, Some(7), Some(5)),
        (Apply::Once, CleanUp::NotOpen, None, Some(5)),
        (Apply::Once, CleanUp::NeverActive, None, Some(5)),
        (Apply::Twice, CleanUp::Generation, Some(9), Some(7)),
        (Apply::Twice, CleanUp::NeverActive, None, Some(7)),
        (Apply::Atomic, CleanUp::Generation, None, None),
        (Apply::Atomic, CleanUp::LooksOnce, None, None),
        (Apply::Fence, CleanUp::Generation, None, None),
        (Apply::Fence, CleanUp::NeverActive, None, None),
    ];
    for (row, (apply, clean_up, empty, stale)) in table.into_iter().enumerate() {
        for enactors in [2, 3] {
            let found = search(&mut Race {
                enactors,
                apply,
                clean_up,
            });
            let steps = |mark| found.ways.get(mark).map(Vec::len);
            println!(
                "row {row}, {enactors} enactors: {} states, empty {:?}, stale {:?}",
                found.states,
                steps(EMPTY),
                steps(STALE)
            );
            if row == 0 {
                // As another search over the same model counted them.
                assert_eq!(found.states, [1627, 35013][enactors - 2]);
            }
            assert_eq!(
                (steps(EMPTY), steps(STALE)),
                (empty, stale),
                "row {row}, {enactors} enactors"
            );
        }
    }
}
