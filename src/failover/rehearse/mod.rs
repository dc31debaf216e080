//! Rehearsal on a virtual clock: decision scenarios against a zone whose faults are scripted.
//!
//! The form of a file of scenarios: `sites` by name with their addresses, home first; `zone`; `records` as `NAME TYPE`;
//! `scenarios`, each with `given` and, if it is a test, `expect`. No clock is asked and nothing is contacted: a run of ten
//! probes takes as long as its steps take to compute.

mod actor;
mod faults;
mod raw;
mod reply;
mod row;
mod scenario;
mod strange;
mod twice;
mod world;

pub use actor::Actor;
pub use reply::Reply;
pub use row::{Kill, Ran, run, run_killed};
pub use scenario::{Expected, Scenario, ScenarioFile, read};
pub use world::{Anchor, Asked, Change, World};
