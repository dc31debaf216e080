//! Floor 2: typed meaning. What a tree of keys and values says, with every part still knowing its bytes.

#[cfg(feature = "lint")]
pub mod batch;
pub mod calendar;
#[cfg(feature = "lint")]
pub mod cluster;
#[cfg(feature = "lint")]
pub mod decider;
pub mod dns;
#[cfg(feature = "lint")]
pub mod facts;
#[cfg(feature = "lint")]
pub mod git_index;
#[cfg(feature = "lint")]
pub mod monitor;
#[cfg(feature = "lint")]
pub mod pins;
pub mod policy;
#[cfg(feature = "lint")]
pub mod rehearsal;
#[cfg(feature = "lint")]
pub mod script;
pub mod spec;
#[cfg(feature = "lint")]
pub mod trust;
#[cfg(feature = "lint")]
pub mod workflow;
