//! Floor 4: the chain from the heartbeat to the visitors, link by link, and what every single failure does to it.
//!
//! A link is judged by what the checks found in its files: nothing is checked twice. What was not given is no fault. What
//! works follows from that verdict once, for the matrix of failures and for the forecast.

mod blame;
mod drawn;
mod duties;
mod given;
mod hosts;
mod links;
mod standing;
mod survival;
mod weak;

pub use duties::{Duties, Duty, Holder};
pub use given::Given;
pub use hosts::HostAt;
pub use links::{Chain, Link, Plane, State};
pub use standing::{Standing, Stop};
pub use survival::{Failure, survival};
pub use weak::Weak;
