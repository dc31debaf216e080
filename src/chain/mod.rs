//! Floor 4: the chain from the heartbeat to the visitors, link by link, and what every single failure does to it.
//!
//! A link is judged by what the checks found in its files: nothing is checked twice. What was not given is no fault.

mod duties;
mod links;
mod survival;

pub use duties::Duties;
pub use links::{Given, Link, Plane, State, links};
pub use survival::{Failure, survival};
