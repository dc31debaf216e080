//! Floor 3: the IAM policy language, evaluated as AWS documents it.
//!
//! [`Policies`] are compiled once into [`Compiled`]; each [`Request`] is then decided without reading a document again.
//! [`Compiled::decide`] gives the word alone, [`Compiled::evaluate`] the reasons with it. Source: IAM User Guide, "Policy
//! evaluation logic" and "IAM JSON policy element reference"; where AWS is silent, [`choices`].
//!
//! Invariants: nothing here reads files, knows a clock or guesses. What a policy leaves open, because it is malformed or
//! holds an unknown value, is [`Decision::undecided`] wherever it could change the decision.

pub mod advice;
pub mod cases;
pub mod catalog;
pub mod choices;
mod compile;
mod condition;
mod evaluate;
mod explain;
mod operators;
mod pattern;
mod principal;
pub mod prove;
mod request;
mod simulation;
pub mod simulator;
mod statement;
pub mod trust;

pub use compile::{NamedPolicy, Policies};
pub use evaluate::{Compiled, Decision, Matched, Word};
pub use operators::is_readable;
pub use principal::RequestPrincipal;
pub use request::{ContextValue, Request};
pub use simulation::{Answered, Asked, Simulation};
