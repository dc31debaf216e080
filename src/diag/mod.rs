//! Floor 0: what was found, where, how sure, how to mend it.
//!
//! Invariant: nothing here knows a language or a rule; results own their data and outlive their inputs.

mod finding;
mod outcome;
mod severity;

pub use finding::{Edit, Finding, Fix, Label};
pub use outcome::{
    Attacker, Decided, Outcome, RuleCard, Suppressed, TrustVerdict, Undecided, Unread,
};
pub use severity::Severity;
