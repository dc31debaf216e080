//! The executor's mind: one event in, the next state and what is to be done out. Total and pure; it knows no clock and no
//! socket, and whatever order events come in, it ends.

use super::effect::{Ask, Effect, Note};
use super::event::{Event, Happened, Order};
use super::fault::Fault;
use super::outcome::{Outcome, Refusal, Unconfirmed};
use super::state::{Phase, State};
use super::topology::Topology;

/// What follows from `event` in `state`.
///
/// An event that answers nothing that was asked ends the run; after its end, nothing follows from any event.
#[must_use]
pub fn step(topology: &Topology, state: State, event: Event) -> (State, Vec<Effect>) {
    let mut run = Run {
        topology,
        state,
        effects: Vec::with_capacity(2),
    };
    run.take(event);
    (run.state, run.effects)
}

/// A step in the making.
pub(super) struct Run<'a> {
    pub(super) topology: &'a Topology,
    pub(super) state: State,
    pub(super) effects: Vec<Effect>,
}

impl Run<'_> {
    fn take(&mut self, event: Event) {
        if self.state.outcome().is_some() {
            return;
        }
        self.state.now = self.state.now.max(event.at);
        if event.what == Happened::Cancelled {
            let sent = self.state.sent.is_some();
            return self.finish(Outcome::Cancelled { sent });
        }
        if let Happened::Broken(fault) = event.what {
            return self.broken(fault);
        }
        let now = self.state.now;
        let phase = std::mem::replace(&mut self.state.phase, Phase::New);
        match (phase, event.what) {
            (Phase::New, Happened::Started(order)) => self.begin(order),
            (Phase::Calling(calling), Happened::Failed(fault)) => self.failed(calling, fault),
            (Phase::Calling(calling), what) => self.answered(calling, what),
            (Phase::Resting(calling, until), Happened::Woke) if now >= until => self.call(calling),
            (Phase::Asking(round), Happened::Answered(answers)) => self.heard(round, &answers),
            (Phase::Spacing(round, until), Happened::Woke) if now >= until => self.ask(round),
            (Phase::Surveying(survey, site), Happened::Answered(answers)) => {
                self.surveyed(survey, site, &answers);
            }
            _ => self.out_of_order(),
        }
    }

    fn begin(&mut self, order: Order) {
        let now = self.state.now;
        self.state.ends = self.topology.limits().run.map(|run| now.after(run));
        self.state.order = order;
        self.first_read();
    }

    /// The program can do no more; what it sent is sent.
    fn broken(&mut self, fault: Fault) {
        self.finish(if self.state.sent.is_some() {
            Outcome::Unconfirmed(Unconfirmed::Broken(fault))
        } else {
            Outcome::Refused(Refusal::Broken(fault))
        });
    }

    /// The shell answered what was not asked; going on would be guessing.
    pub(super) fn out_of_order(&mut self) {
        self.finish(if self.state.sent.is_some() {
            Outcome::Unconfirmed(Unconfirmed::OutOfOrder)
        } else {
            Outcome::Refused(Refusal::OutOfOrder)
        });
    }

    pub(super) fn note(&mut self, note: Note) {
        self.effects.push(Effect::Note(note));
    }

    pub(super) fn finish(&mut self, outcome: Outcome) {
        self.state.phase = Phase::Finished(outcome.clone());
        self.effects.push(Effect::Finish(outcome));
    }

    pub(super) fn refuse(&mut self, why: Refusal) {
        self.finish(Outcome::Refused(why));
    }

    /// Waits for an answer of the other kind.
    pub(super) fn want(&mut self, phase: Phase, effect: Effect) {
        self.state.phase = phase;
        self.effects.push(effect);
    }

    /// Whether `ask` has any request at all.
    pub(super) fn has_requests(&self, ask: Ask) -> bool {
        !ask.requests(self.topology).is_empty()
    }
}
