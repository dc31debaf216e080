//! The executor's mind against an abstract Route 53, every interleaving of several runs within stated bounds.
//!
//! First one run, which is the real `step`: every state that it can be in whatever the zone holds at each of its reads, with
//! every law that concerns one run. Then several of them: between two runs lies the zone alone, so the product is taken of
//! what others can see of a run, its reads and writes; what it does by itself commutes with everything that others do. Each
//! run may die at any of its effects, before or after it is carried out; a request may be lost, carried out late, or both;
//! a hand may edit the zone at any time.
#![expect(
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a model check tells how many states it walked, and in what time"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use pointsman::failover::invariants::zone_laws;
use pointsman::failover::{Outcome, SiteId, Standing};
use pointsman::model::dns::RecordType;

use crate::run_automaton::{Automaton, FOREIGN, Input, Visible, Wants, Zone, topology};
use crate::search::{Model, Move, search};

/// What a world may do.
#[derive(Clone, Copy)]
struct Bounds {
    runs: usize,
    crashes: u8,
    edits: u8,
    /// Whether the next run begins only when the one before it has ended or died.
    serial: bool,
    /// Whether a request may be carried out after its answer was given up.
    delayed: bool,
    start: Zone,
}

const BOUNDS: Bounds = Bounds {
    runs: 2,
    crashes: 2,
    edits: 1,
    serial: false,
    delayed: true,
    start: [0, 0],
};

const MOST_RUNS: usize = 3;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Run {
    Waiting,
    At(u32),
    /// It has ended or died, or does nothing any more that others could see.
    Over,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Global {
    runs: [Run; MOST_RUNS],
    /// By run: the site that a request which is still on its way would move everything to, and what was read before it.
    flying: [Option<(SiteId, Zone)>; MOST_RUNS],
    /// By run: whether another run has written since its last read.
    overtaken: [bool; MOST_RUNS],
    zone: Zone,
    crashes: u8,
    edits: u8,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Action {
    Begins(usize),
    Happens(usize, Input),
    /// The request is carried out; its answer is lost, and the run hears of that.
    CarriedOutAndLost(usize),
    /// The answer is lost and the request is still on its way.
    LostAndUnderway(usize),
    Arrives(usize),
    Dies(usize),
    DiesAfterItsWrite(usize),
    DiesWithItsWriteUnderway(usize),
    Edited(Zone),
}

const TO_HUB: &str = "visitors were moved to hub";
const TO_EDGE: &str = "visitors were moved to edge";
const STALE: &str = "an older decision overwrote a newer one";
const HALF: &str = "a batch left the records half switched";
const NOT_OURS: &str = "a record is empty, or holds no site's address though nobody has edited it";

struct World<'a> {
    automaton: &'a Automaton,
    visible: &'a Visible,
    bounds: Bounds,
}

impl World<'_> {
    fn moves_of(&self, global: &Global, who: usize, moves: &mut Vec<Move<Self>>) {
        let mut with = |action, global: &Global, run: Option<u32>, mark| {
            let mut to = *global;
            to.runs[who] = run.map_or(Run::Over, Run::At);
            moves.push(Move { action, to, mark });
        };
        match global.runs[who] {
            Run::Over => {}
            Run::Waiting => {
                let before = who.checked_sub(1).map(|before| global.runs[before]);
                if !self.bounds.serial || before.is_none_or(|run| run == Run::Over) {
                    for first in &self.visible.first {
                        with(Action::Begins(who), global, *first, None);
                    }
                }
            }
            Run::At(id) => {
                let id = id as usize;
                for (input, leads) in &self.visible.edges[id] {
                    for run in leads {
                        self.happens(global, who, id, *input, *run, &mut with);
                    }
                }
                self.dies(global, who, id, &mut with);
            }
        }
    }

    fn happens(
        &self,
        global: &Global,
        who: usize,
        id: usize,
        input: Input,
        run: Option<u32>,
        with: &mut impl FnMut(Action, &Global, Option<u32>, Option<&'static str>),
    ) {
        let (Wants::Write(site), Some(read)) = self.visible.kinds[id] else {
            let other =
                matches!(input, Input::Reads(zone) | Input::ReadsLate(zone) if zone != global.zone);
            if !other {
                let mut to = *global;
                to.overtaken[who] &= !matches!(input, Input::Reads(_) | Input::ReadsLate(_));
                with(Action::Happens(who, input), &to, run, None);
            }
            return;
        };
        if input == Input::Accepted {
            let (to, mark) = self.written(global, who, (site, read));
            return with(Action::Happens(who, input), &to, run, mark);
        }
        with(Action::Happens(who, input), global, run, None);
        if input == Input::Lost {
            let (to, mark) = self.written(global, who, (site, read));
            with(Action::CarriedOutAndLost(who), &to, run, mark);
            if self.bounds.delayed {
                let mut to = *global;
                to.flying[who] = Some((site, read));
                with(Action::LostAndUnderway(who), &to, run, None);
            }
        }
    }

    fn dies(
        &self,
        global: &Global,
        who: usize,
        id: usize,
        with: &mut impl FnMut(Action, &Global, Option<u32>, Option<&'static str>),
    ) {
        let mut after = *global;
        let Some(left) = after.crashes.checked_sub(1) else {
            return;
        };
        after.crashes = left;
        with(Action::Dies(who), &after, None, None);
        if let (Wants::Write(site), Some(read)) = self.visible.kinds[id] {
            let (to, mark) = self.written(&after, who, (site, read));
            with(Action::DiesAfterItsWrite(who), &to, None, mark);
            if self.bounds.delayed {
                after.flying[who] = Some((site, read));
                with(Action::DiesWithItsWriteUnderway(who), &after, None, None);
            }
        }
    }

    /// A batch is carried out that a run sent after it had read `read`: what Route 53 does with the real batch.
    fn written(
        &self,
        before: &Global,
        who: usize,
        (site, read): (SiteId, Zone),
    ) -> (Global, Option<&'static str>) {
        let topology = &self.automaton.topology;
        let standing = Standing::of(topology, &self.automaton.sets(read));
        let batch = pointsman::failover::Batch::toward(topology, site, &standing).unwrap();
        let mut after = *before;
        for change in batch.changes(topology) {
            let code = topology
                .site_of(change.value)
                .map_or(FOREIGN, |site| u8::try_from(site.index()).unwrap());
            after.zone[usize::from(change.record.name.is_wildcard())] = code;
        }
        let [apex, wildcard] = after.zone;
        for (other, overtaken) in after.overtaken.iter_mut().enumerate() {
            *overtaken |= other != who && after.zone != before.zone;
        }
        let mark = match site {
            _ if apex != wildcard => HALF,
            _ if before.overtaken[who] && before.zone != after.zone => STALE,
            SiteId::HOME => TO_EDGE,
            _ => TO_HUB,
        };
        (after, Some(mark))
    }

    fn shared(&self, global: &Global, moves: &mut Vec<Move<Self>>) {
        for who in 0..self.bounds.runs {
            if let Some(request) = global.flying[who] {
                let mut after = *global;
                after.flying[who] = None;
                let (to, mark) = self.written(&after, who, request);
                moves.push(Move {
                    action: Action::Arrives(who),
                    to,
                    mark,
                });
            }
        }
        let Some(left) = global.edits.checked_sub(1) else {
            return;
        };
        let [apex, wildcard] = global.zone;
        let edited: BTreeSet<Zone> = [0, 1, FOREIGN]
            .into_iter()
            .flat_map(|code| [[code, wildcard], [apex, code], [code, code]])
            .filter(|zone| *zone != global.zone)
            .collect();
        for zone in edited {
            let mut to = *global;
            to.zone = zone;
            to.edits = left;
            moves.push(Move {
                action: Action::Edited(zone),
                to,
                mark: None,
            });
        }
    }
}

impl Model for World<'_> {
    type State = Global;
    type Action = Action;

    fn initial(&self) -> Global {
        let mut runs = [Run::Over; MOST_RUNS];
        for run in runs.iter_mut().take(self.bounds.runs) {
            *run = Run::Waiting;
        }
        Global {
            runs,
            flying: [None; MOST_RUNS],
            overtaken: [false; MOST_RUNS],
            zone: self.bounds.start,
            crashes: self.bounds.crashes,
            edits: self.bounds.edits,
        }
    }

    fn next(&mut self, global: &Global) -> Vec<Move<Self>> {
        let mut moves = Vec::new();
        for who in 0..self.bounds.runs {
            self.moves_of(global, who, &mut moves);
        }
        self.shared(global, &mut moves);
        moves
    }

    fn marks(&mut self, global: &Global) -> Vec<&'static str> {
        let untouched = global.edits == self.bounds.edits;
        let sets = self.automaton.sets(global.zone);
        let broken = zone_laws(&self.automaton.topology, &sets, untouched);
        broken.iter().map(|_| NOT_OURS).collect()
    }
}

/// What a search found.
struct Walked {
    states: usize,
    ways: BTreeMap<&'static str, Vec<Action>>,
    ends: BTreeSet<Zone>,
}

fn walk(automaton: &Automaton, bounds: Bounds) -> Walked {
    let began = Instant::now();
    let visible = Visible::of(automaton);
    let found = search(&mut World {
        automaton,
        visible: &visible,
        bounds,
    });
    println!(
        "{} runs, {} crashes, {} edits, from {:?}{}{}: {} states, {} actions, {}",
        bounds.runs,
        bounds.crashes,
        bounds.edits,
        bounds.start,
        if bounds.serial { ", serial" } else { "" },
        if bounds.delayed {
            ", delayed writes"
        } else {
            ""
        },
        found.states,
        found.actions,
        pace(found.states, began)
    );
    for never in [HALF, NOT_OURS] {
        let way = found.ways.get(never);
        assert!(way.is_none(), "{never}: {way:?}");
    }
    Walked {
        states: found.states,
        ways: found.ways,
        ends: found.ends.iter().map(|end| end.zone).collect(),
    }
}

/// How long a search took, and its states a second.
fn pace(states: usize, began: Instant) -> String {
    let took = began.elapsed();
    let millis = took.as_millis().max(1);
    format!(
        "{took:?}, {} states a second",
        states as u128 * 1000 / millis
    )
}

/// One run of two sites, with this many mishaps.
fn one_run(mishaps: u8) -> Automaton {
    let began = Instant::now();
    let automaton = Automaton::new(topology(2, &[RecordType::A], 3, 2), None, mishaps);
    told(&automaton, "two sites, a row of 3, 2 tries", mishaps, began);
    automaton
}

fn told(automaton: &Automaton, what: &str, mishaps: u8, began: Instant) {
    println!(
        "one run, {what}, {mishaps} mishaps: {} states, {} steps, {}",
        automaton.nodes.len(),
        automaton.steps(),
        pace(automaton.nodes.len(), began)
    );
    let broken = automaton.broken.first();
    assert!(broken.is_none(), "{broken:?}");
}

#[test]
fn two_runs_two_crashes_one_edit() {
    let automaton = one_run(2);
    for start in [[0, 0], [1, 1], [0, 1]] {
        let walked = walk(&automaton, Bounds { start, ..BOUNDS });
        assert!(walked.ways.contains_key(TO_HUB), "edge to hub is possible");
        assert!(walked.ways.contains_key(TO_EDGE), "hub to edge is possible");
        assert!(walked.states > 1_000);
    }
}

#[test]
fn three_runs_one_crash_one_edit() {
    let automaton = one_run(1);
    let bounds = Bounds {
        runs: 3,
        crashes: 1,
        ..BOUNDS
    };
    let walked = walk(&automaton, bounds);
    assert!(walked.ways.contains_key(TO_HUB) && walked.ways.contains_key(TO_EDGE));
}

#[test]
fn one_run_beside_everything_keeps_its_laws() {
    let began = Instant::now();
    let two = Automaton::new(topology(2, &[RecordType::A], 10, 3), None, 1);
    told(&two, "two sites, a row of 10, 3 tries", 1, began);
    let began = Instant::now();
    let pinned = Automaton::new(topology(2, &[RecordType::A], 3, 2), Some("hub"), 2);
    told(&pinned, "two sites, pinned", 2, began);
    let began = Instant::now();
    let types = [RecordType::A, RecordType::Aaaa];
    let three = Automaton::new(topology(3, &types, 2, 1), None, 0);
    told(&three, "three sites, A and AAAA", 0, began);
    for automaton in [&two, &three] {
        for site in automaton.topology.ids() {
            let moved = Some(Outcome::Moved(site));
            assert!(automaton.nodes.iter().any(|node| node.outcome == moved));
        }
    }
}

#[test]
fn serialisation_is_what_keeps_an_older_decision_from_overwriting_a_newer_one() {
    let automaton = one_run(0);
    let quiet = Bounds {
        runs: 3,
        crashes: 0,
        edits: 0,
        delayed: false,
        ..BOUNDS
    };
    let side_by_side = walk(&automaton, quiet);
    let (edge, hub) = ([0, 0], [1, 1]);
    let reads = |who, zone| Action::Happens(who, Input::Reads(zone));
    let writes = |who| Action::Happens(who, Input::Accepted);
    // Two runs find edge down and decide for hub. One writes, a third brings visitors back to edge, and then the other
    // writes what it decided long before. Route 53 cannot refuse that: an UPSERT has no condition.
    let shortest = [
        Action::Begins(0),
        reads(0, edge),
        reads(0, edge),
        Action::Begins(1),
        reads(1, edge),
        reads(1, edge),
        writes(0),
        Action::Begins(2),
        reads(2, hub),
        reads(2, hub),
        writes(2),
        writes(1),
    ];
    assert_eq!(side_by_side.ways[STALE], shortest);
    // The next run finds visitors at hub and edge well, and brings them back.
    assert_eq!(dispatched(&automaton, hub, &[true, true]), edge);
    let serial = Bounds {
        crashes: 3,
        serial: true,
        ..quiet
    };
    let with_mishaps = one_run(1);
    assert_eq!(walk(&with_mishaps, serial).ways.get(STALE), None);
    // What no concurrency group can reach: a request that outlives its own process. The next run heals that as well.
    let left = walk(
        &with_mishaps,
        Bounds {
            delayed: true,
            ..serial
        },
    );
    let way = &left.ways[STALE];
    assert!(matches!(way.last(), Some(Action::Arrives(_))), "{way:?}");
}

#[test]
fn the_next_dispatch_heals_whatever_was_left() {
    let automaton = one_run(1);
    let walked = walk(&automaton, BOUNDS);
    let calm = one_run(0);
    for zone in &walked.ends {
        for (home, standby) in [(true, true), (true, false), (false, true), (false, false)] {
            let after = dispatched(&calm, *zone, &[home, standby]);
            let expected = match (zone, home, standby) {
                ([FOREIGN, _] | [_, FOREIGN], ..) | (_, false, false) => *zone,
                (_, true, _) => [0, 0],
                (_, false, true) => [1, 1],
            };
            assert_eq!(
                after, expected,
                "from {zone:?}, home {home}, standby {standby}"
            );
        }
    }
    assert!(
        walked.ends.contains(&[0, 1]),
        "an edit can leave the records half switched"
    );
}

/// What the zone holds after one run in a world where nothing goes wrong but that a site may be down.
fn dispatched(automaton: &Automaton, zone: Zone, up: &[bool]) -> Zone {
    let mut zone = zone;
    let mut at = 0;
    loop {
        let node = &automaton.nodes[at as usize];
        let answer = |site: SiteId| up[site.index()];
        let wanted = match node.wants {
            Wants::Nothing => return zone,
            Wants::Start => Input::Starts,
            Wants::Credentials | Wants::Wake => Input::Goes,
            Wants::Read => Input::Reads(zone),
            Wants::Answer => Input::Answers(node.asked.is_some_and(answer)),
            Wants::Write(site) => {
                zone = [u8::try_from(site.index()).unwrap(); 2];
                Input::Accepted
            }
            Wants::Change => Input::InSync,
            Wants::Servers => Input::Shows(zone),
        };
        let edge = node.edges.iter().find(|(input, _)| *input == wanted);
        at = edge.unwrap().1;
    }
}
