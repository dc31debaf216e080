//! How a record's new value gets about: what name servers answered over time, as phases. Pure: answers come in with their
//! times, and phases come out; nobody is asked here.

mod answer;
mod measure;
mod seen;

pub use answer::{Answer, Observation, Role, Server};
pub use measure::{Measured, Outcome, Phases, Rule, ServerMeasured, Stale, Watch, measure};
