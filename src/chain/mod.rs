//! Floor 4: the chain from the heartbeat to the visitors, link by link, and what every single failure does to it.
//!
//! A link is judged by what the checks found in its files: nothing is checked twice. What was not given is no fault.

mod blame;
mod drawn;
mod duties;
mod given;
mod hosts;
mod links;
mod survival;

pub use duties::Duties;
pub use given::Given;
pub use hosts::HostAt;
pub use links::{Link, Plane, State, links};
pub use survival::{Failure, survival};
