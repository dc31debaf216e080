//! IAM's policy simulator, both sides of it: a case as a request to `SimulateCustomPolicy` and its answer read again, and
//! the answer that the local evaluator gives to such a request; the wire form of both (AWS query protocol: a form in, XML
//! out). Bytes to bytes: nothing here knows a socket.

mod answer;
mod context_type;
mod exchange;
mod express;
mod form;
mod interpret;
mod keys;
mod place;
mod wire;
mod xml;

pub use answer::{answer, context_keys};
pub use exchange::{
    ActionResult, Answer, CONTEXT_TYPES, ContextEntry, MatchedStatement, Place, Query, Refusal,
    ResourceResult,
};
pub use express::{Question, express};
pub use interpret::{Verdict, interpret};
pub use wire::{Reply, not_a_form, reply, too_large};
