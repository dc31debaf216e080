//! Floor 3: the executor's mind. [`step`] takes one event and says what is to be done; it knows no clock, no socket and no
//! randomness, so that every interleaving can be walked and every journal replayed.
//!
//! The order of a run: credentials and records, the pin, the record state, the control target, the sites; then the records
//! once more, the target once more, the write; then INSYNC, the list, the authoritative servers. Retries, waits and
//! deadlines are effects and events as well.
//!
//! What is absent: a way to write an address that is no site's. A [`Batch`] is built from a site's id and what was read.

mod batch;
mod call;
mod confirm;
mod decide;
mod effect;
mod event;
mod fault;
pub mod invariants;
pub mod journal;
mod limits;
mod moment;
mod of_spec;
mod outcome;
mod records;
#[cfg(feature = "lint")]
pub mod rehearse;
mod state;
mod step;
mod topology;
mod write;

pub use batch::{Batch, Upsert};
pub use effect::{Ask, Effect, Hosts, Note, Request, Whom, Why};
pub use event::{Answer, ChangeStatus, Event, Happened, NoAnswer, Order, ServerAnswer};
pub use fault::{Fault, FaultKind};
pub use limits::{FailbackRules, Limits, ProbeRules};
pub use moment::Moment;
pub use outcome::{Outcome, Refusal, Unchanged, Unconfirmed};
pub use records::{Foreign, Place, RecordSet, Standing, left_behind};
pub use state::State;
pub use step::step;
pub use topology::{
    Record, Site, SiteDraft, SiteId, Sites, Topology, TopologyDraft, TopologyFault,
};
