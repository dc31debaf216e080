//! What happens in a run, kept: line by line in the journal, in memory for the report, and told to whoever looks on.

use crate::failover::journal::{self, Entry};
use crate::failover::{
    Effect, Event, Fault, Happened, Moment, Order, Outcome, Refusal, State, Topology, step,
};
use crate::ports::{FileFault, JournalSink};

/// Somebody who looks on while a run goes on.
pub trait Onlooker {
    /// Something happened, or is about to be done.
    fn sees(&mut self, entry: &Entry);

    /// The journal could not be written; the run goes on without it.
    fn misses_journal(&mut self, fault: &FileFault);
}

/// Keeps what happens in one run.
pub struct Record<'a> {
    topology: &'a Topology,
    sink: &'a mut dyn JournalSink,
    onlooker: &'a mut dyn Onlooker,
    story: Vec<Entry>,
    /// Lines that are not in the journal yet: after a fault each is tried again with the next, since a journal with a
    /// gap replays as another run.
    pending: Vec<String>,
    fault: Option<FileFault>,
}

impl std::fmt::Debug for Record<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Record").finish_non_exhaustive()
    }
}

impl<'a> Record<'a> {
    /// A record whose journal begins with what is known of the world.
    pub fn begun(
        topology: &'a Topology,
        sink: &'a mut dyn JournalSink,
        onlooker: &'a mut dyn Onlooker,
    ) -> Self {
        let mut record = Self {
            topology,
            sink,
            onlooker,
            story: Vec::new(),
            pending: vec![journal::head(topology)],
            fault: None,
        };
        record.flush();
        record
    }

    /// Ends the run from outside: the program can do no more, for `fault`. It is an event as any other, so the journal
    /// says so in its last lines, and replays.
    pub fn broken(&mut self, order: &Order, fault: Fault) -> Outcome {
        if self.story.is_empty() {
            self.steps(
                State::new(),
                Moment::default(),
                Happened::Started(order.clone()),
            );
        }
        let mut state = State::new();
        let mut at = Moment::default();
        for entry in &self.story {
            if let Entry::Event(event) = entry {
                at = event.at;
                (state, _) = step(self.topology, state, event.clone());
            }
        }
        let state = self.steps(state, at, Happened::Broken(fault.clone()));
        let outcome = state.outcome().cloned();
        outcome.unwrap_or(Outcome::Refused(Refusal::Broken(fault)))
    }

    fn steps(&mut self, state: State, at: Moment, what: Happened) -> State {
        let event = Event { at, what };
        let (state, effects) = step(self.topology, state, event.clone());
        self.append(Entry::Event(event));
        for effect in effects {
            self.append(Entry::Effect(at, effect));
        }
        state
    }

    /// Whether a change was sent, or was about to be.
    #[must_use]
    pub fn has_sent(&self) -> bool {
        let write = |entry: &Entry| matches!(entry, Entry::Effect(_, Effect::Write(..)));
        self.story.iter().any(write)
    }

    /// Keeps an entry. When this returns, it is in the journal, or it is known that the journal is broken.
    pub(super) fn append(&mut self, entry: Entry) {
        self.pending.push(journal::line(self.topology, &entry));
        self.flush();
        self.onlooker.sees(&entry);
        self.story.push(entry);
    }

    fn flush(&mut self) {
        let mut written = 0;
        for line in &self.pending {
            if let Err(fault) = self.sink.append(line) {
                if self.fault.is_none() {
                    self.onlooker.misses_journal(&fault);
                    self.fault = Some(fault);
                }
                break;
            }
            written += 1;
        }
        self.pending.drain(..written);
    }

    /// Everything that happened, in order.
    #[must_use]
    pub fn story(&self) -> &[Entry] {
        &self.story
    }

    /// The end of it: what happened, and why the journal is not whole, if it is not.
    #[must_use]
    pub fn ended(self) -> (Vec<Entry>, Option<FileFault>) {
        let fault = self.fault.filter(|_| !self.pending.is_empty());
        (self.story, fault)
    }
}
