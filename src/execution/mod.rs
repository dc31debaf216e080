//! Floor 5: one run of the executor: the loop that carries the mind's effects out over ports, the record of what happens, and
//! what is told of it afterwards.
//!
//! It stands apart from `app` and `report`, since `pointsman-switch` is built of it without anything that checks files.

mod record;
pub mod report;
mod run;

pub use record::{Onlooker, Record};
pub use run::{Outside, run};
