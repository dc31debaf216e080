//! `pointsman failover run`, and all of `pointsman-switch`: the shell around the executor's mind. It takes an effect, asks
//! the outside, tells the mind what came back, and decides nothing.
//!
//! Every event and effect is in the journal before the effect is performed, so that a process that is killed leaves a
//! journal that says what it was about to do.

use crate::failover::journal::Entry;
use crate::failover::{
    Batch, Effect, Event, Happened, Moment, Note, Order, Outcome, Standing, State, Topology, step,
};
use crate::ports::{AuthoritativeServers, Clock, Identity, Prober, Stop, Zone};

use super::record::Record;

/// The longest comment that a change batch may have (Route 53 API reference, `ChangeBatch`).
const COMMENT_LENGTH: usize = 256;

/// The world around a run.
pub struct Outside<'a> {
    /// The time.
    pub clock: &'a mut dyn Clock,
    /// The role.
    pub identity: &'a mut dyn Identity,
    /// The hosted zone.
    pub zone: &'a mut dyn Zone,
    /// The sites.
    pub prober: &'a mut dyn Prober,
    /// The zone's name servers.
    pub servers: &'a mut dyn AuthoritativeServers,
}

impl std::fmt::Debug for Outside<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Outside").finish_non_exhaustive()
    }
}

/// Runs the executor to its end. `run` is what the comment of a change names this run by; what happens goes to `record`.
pub fn run(
    topology: &Topology,
    order: Order,
    run: &str,
    outside: &mut Outside<'_>,
    record: &mut Record<'_>,
) -> Outcome {
    let mut state = State::new();
    let mut what = Happened::Started(order);
    loop {
        let at = outside.clock.now();
        let event = Event { at, what };
        let (next, effects) = step(topology, state, event.clone());
        state = next;
        record.append(Entry::Event(event));
        for effect in &effects {
            record.append(Entry::Effect(at, effect.clone()));
        }
        if let Some(outcome) = state.outcome() {
            return outcome.clone();
        }
        let wanted = effects.into_iter().find(Effect::is_answered);
        let comment = comment(topology, run, record.story());
        what = match wanted.map(|effect| outside.perform(topology, effect, &comment)) {
            Some(Ok(what)) => what,
            Some(Err(Stop::Failed(fault))) => Happened::Failed(fault),
            Some(Err(Stop::Cancelled)) => Happened::Cancelled,
            // A step that wants nothing and has not ended would be a fault of the mind; an answer to nothing ends it.
            None => Happened::Woke,
        };
    }
}

impl Outside<'_> {
    /// Performs one effect and waits for its answer.
    fn perform(
        &mut self,
        topology: &Topology,
        effect: Effect,
        comment: &str,
    ) -> Result<Happened, Stop> {
        Ok(match effect {
            Effect::FetchToken => {
                self.identity.fetch_token()?;
                Happened::TokenFetched
            }
            Effect::AssumeRole => Happened::RoleAssumed {
                lives: self.identity.assume_role()?,
            },
            Effect::ReadRecords(until) => {
                let within = until.since(self.clock.now());
                Happened::Records(self.zone.list(topology.records(), within)?)
            }
            Effect::Ask(ask) => {
                let requests = ask.requests(topology);
                Happened::Answered(self.prober.ask(&requests, topology.probe())?)
            }
            Effect::Wait(until) => {
                self.clock.wait(until)?;
                Happened::Woke
            }
            Effect::Write(batch, until) => self.write(topology, &batch, until, comment)?,
            Effect::AskChange(change) => Happened::Change(self.zone.change_status(&change)?),
            Effect::AskServers => Happened::Servers(self.servers.ask(topology.records())?),
            // Not answered, so never asked for here; an answer to nothing ends the run.
            Effect::Note(_) | Effect::Finish(_) => Happened::Woke,
        })
    }

    /// Sends the change, unless what it rests on has become too old meanwhile.
    fn write(
        &mut self,
        topology: &Topology,
        batch: &Batch,
        until: Moment,
        comment: &str,
    ) -> Result<Happened, Stop> {
        let now = self.clock.now();
        if now > until {
            return Ok(Happened::Late);
        }
        let changes = batch.changes(topology);
        let change = self.zone.change(&changes, comment, until.since(now))?;
        Ok(Happened::Accepted(change))
    }
}

/// What stands in the change's comment: which run, from where, to where and why.
fn comment(topology: &Topology, run: &str, story: &[Entry]) -> String {
    let mut from = None;
    let mut decided = None;
    for entry in story {
        match entry {
            Entry::Event(Event {
                what: Happened::Records(sets),
                ..
            }) => from = Some(Standing::of(topology, sets).place),
            Entry::Effect(_, Effect::Note(Note::Decided(to, why))) => decided = Some((*to, *why)),
            Entry::Event(_) | Entry::Effect(..) => {}
        }
    }
    let (Some(from), Some((to, why))) = (from, decided) else {
        return String::new();
    };
    let text = format!(
        "pointsman {} run {run}: {} to {}, {}",
        env!("CARGO_PKG_VERSION"),
        from.words(topology),
        topology.name(to),
        why.describe()
    );
    let plain = |letter: char| if letter.is_control() { ' ' } else { letter };
    text.chars().map(plain).take(COMMENT_LENGTH).collect()
}
