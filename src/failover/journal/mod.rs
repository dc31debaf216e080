//! A run's journal: JSON lines, first the topology, then every event and every effect with its moment. What a run did can
//! be read from it, and done again: the same events give the same effects, byte for byte.

mod encode;
mod fields;
mod logged;
mod replay;
mod topology;

use super::effect::Effect;
use super::event::Event;
use super::moment::Moment;

pub use encode::line;
pub use logged::{from_log, in_log};
pub use replay::{Difference, JournalFault, Replay, replay, story};
pub use topology::head;

/// A line of a journal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Entry {
    /// What happened.
    Event(Event),
    /// What was to be done, and when.
    Effect(Moment, Effect),
}
