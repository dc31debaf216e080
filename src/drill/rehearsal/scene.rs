//! What the scripts are made of: the quiet before, the death, the move, the return; and the whole rehearsal without a fault.

use std::time::Duration;

use super::cast::Cast;
use super::condition::Condition;
use super::deed::Deed;
use super::script::Act;
use super::world::Dying;

/// What a script depends on.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scene<'a> {
    /// Who plays which part.
    pub cast: &'a Cast,
    /// How home dies.
    pub dying: Dying,
    /// How many sites there are.
    pub sites: usize,
}

/// Home's place among the sites.
pub(super) const HOME: usize = 0;
/// The place of the first standby.
pub(super) const STANDBY: usize = 1;

/// A move with everything in it, generously.
pub(super) const MOVE: Duration = Duration::from_secs(45 * 60);
/// What must not happen is looked for so long.
pub(super) const LONG: Duration = Duration::from_secs(15 * 60);
/// How long home stays dead after all visitors have moved: by then the monitor that asks for the return has had its first run,
/// so that the return is measured from the watch.
const AWAY: Duration = Duration::from_secs(4 * 60);
/// A short while.
pub(super) const WHILE: Duration = Duration::from_secs(60);

/// The whole rehearsal without a fault.
#[must_use]
pub(super) fn whole(scene: &Scene<'_>) -> Vec<Act> {
    let mut acts = scene.quiet();
    acts.extend(scene.dies());
    acts.extend(scene.by_hand_if_unwatched());
    acts.extend(scene.second_message());
    acts.extend(scene.moved());
    acts.push(Act::Wait(AWAY));
    acts.extend(scene.monitors_speak());
    acts.push(Act::Do(Deed::Revive(HOME)));
    acts.extend(scene.by_hand_if_unwatched());
    acts.extend(scene.returned());
    acts.push(Act::See(Condition::Batches(2)));
    if let Some(watch) = &scene.cast.watch {
        acts.push(Act::See(Condition::NoFalseUp(watch.clone())));
    }
    acts
}

impl Scene<'_> {
    /// The places of all standbys.
    pub(super) fn standbys(&self) -> std::ops::Range<usize> {
        STANDBY..self.sites
    }

    /// Nothing happens, until home dies in the middle between two checks: the mean of all moments.
    pub(super) fn quiet(&self) -> Vec<Act> {
        vec![
            Act::Wait(self.cast.interval * 5 / 2),
            Act::See(Condition::VisitorsAt(HOME)),
            Act::See(Condition::Runs(0)),
        ]
    }

    pub(super) fn dies(&self) -> Vec<Act> {
        vec![Act::Do(Deed::Kill(HOME, self.dying))]
    }

    pub(super) fn by_hand_if_unwatched(&self) -> Vec<Act> {
        let unwatched = self.cast.watch.is_none();
        unwatched
            .then_some(Act::Do(Deed::ByHand))
            .into_iter()
            .collect()
    }

    /// While a run works, one more message comes, or a person starts another run: it must wait for its turn.
    fn second_message(&self) -> Vec<Act> {
        let more = match &self.cast.watch {
            Some(watch) => Deed::Message(watch.clone()),
            None => Deed::ByHand,
        };
        vec![Act::Until(Condition::ExecutorRuns, MOVE), Act::Do(more)]
    }

    pub(super) fn moved(&self) -> Vec<Act> {
        self.moved_within(MOVE)
    }

    pub(super) fn moved_within(&self, time: Duration) -> Vec<Act> {
        vec![
            Act::Until(Condition::VisitorsAt(STANDBY), time),
            Act::Until(Condition::Idle, LONG),
            Act::See(Condition::RecordsAt(STANDBY)),
            Act::See(Condition::HostsAsTheSpecSays(STANDBY)),
            Act::See(Condition::NoWriteToTheDead),
        ]
    }

    pub(super) fn returned(&self) -> Vec<Act> {
        let retry = self.cast.retry.unwrap_or_default();
        vec![
            Act::Until(Condition::VisitorsAt(HOME), MOVE + retry),
            Act::Until(Condition::Idle, LONG),
            Act::See(Condition::RecordsAt(HOME)),
            Act::See(Condition::HostsAsTheSpecSays(HOME)),
            Act::See(Condition::NoWriteToTheDead),
        ]
    }

    /// The records stay at home, and no batch was made.
    pub(super) fn nothing_moved() -> Vec<Act> {
        vec![
            Act::See(Condition::RecordsAt(HOME)),
            Act::See(Condition::Batches(0)),
        ]
    }

    /// Messages are sent and answered so; nothing begins, nothing moves.
    pub(super) fn refused(&self, setup: Deed, answer: Option<u16>) -> Vec<Act> {
        let mut acts = vec![Act::Do(setup)];
        acts.extend(self.quiet());
        acts.extend(self.dies());
        acts.push(Act::Until(Condition::Answer(answer), LONG));
        acts.push(Act::Wait(WHILE));
        acts.push(Act::See(Condition::Runs(0)));
        acts.extend(Self::nothing_moved());
        acts
    }

    /// A person mends it and starts the run.
    pub(super) fn mended(&self, deed: Deed) -> Vec<Act> {
        let mut acts = vec![Act::Do(deed), Act::Do(Deed::ByHand)];
        acts.extend(self.moved());
        acts
    }

    /// A run ends so, and nothing moves.
    pub(super) fn run_fails(&self, setup: Vec<Deed>, ends: Condition) -> Vec<Act> {
        let mut acts: Vec<Act> = setup.into_iter().map(Act::Do).collect();
        acts.extend(self.quiet());
        acts.extend(self.dies());
        acts.extend(self.by_hand_if_unwatched());
        acts.push(Act::Until(ends, MOVE));
        acts.extend(Self::nothing_moved());
        acts
    }

    /// It is well again, and the next message of the watch moves the records; without any watch a person does.
    pub(super) fn well_again(&self, deed: Deed) -> Vec<Act> {
        let mut acts = self.repeats();
        acts.extend(self.corrected(deed));
        acts
    }

    /// The watch repeats its message, where there is one.
    pub(super) fn repeats(&self) -> Vec<Act> {
        let repeats = self.cast.repeats.is_some();
        let see = Act::See(Condition::Repeats(repeats));
        self.cast.watch.iter().map(|_| see.clone()).collect()
    }

    /// It is corrected, and the next message, or a person where none is repeated, moves the records.
    pub(super) fn corrected(&self, deed: Deed) -> Vec<Act> {
        let mut acts = vec![Act::Do(deed)];
        match self.cast.repeats {
            Some(repeats) => acts.extend(self.moved_within(repeats + MOVE)),
            None => {
                acts.push(Act::Do(Deed::ByHand));
                acts.extend(self.moved());
            }
        }
        acts
    }

    /// While the records are away, whoever is to tell of it does; whoever has nothing to tell does not.
    fn monitors_speak(&self) -> Vec<Act> {
        let mut acts = self.people_hear();
        for (id, within) in &self.cast.transition {
            acts.push(Act::Until(Condition::TellsOfTheMove(id.clone()), *within));
        }
        for (id, within) in &self.cast.failback {
            acts.push(Act::Until(Condition::AsksForTheReturn(id.clone()), *within));
        }
        let check = self.cast.token_check.iter();
        acts.extend(check.map(|(id, _)| Act::See(Condition::Silent(id.clone()))));
        acts
    }

    /// People hear of it from the token check, where there is one.
    pub(super) fn token_check_tells(&self) -> Vec<Act> {
        let check = self.cast.token_check.iter();
        let heard = check.map(|(id, within)| {
            let heard = Condition::PeopleHeard(id.clone());
            Act::Until(heard, *within + WHILE)
        });
        heard.collect()
    }

    pub(super) fn people_hear(&self) -> Vec<Act> {
        let monitor = self.cast.notice.clone();
        let heard = monitor.map(|id| Act::Until(Condition::PeopleHeard(id), LONG));
        heard.into_iter().collect()
    }
}
