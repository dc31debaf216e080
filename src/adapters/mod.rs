//! Floor 5: the outside world. Only here are files, clocks and sockets known.

#[cfg(feature = "lint")]
mod calendar;
#[cfg(feature = "lint")]
mod fs;
#[cfg(feature = "lint")]
mod git;
#[cfg(feature = "switch")]
mod runtime;
#[cfg(feature = "switch")]
mod world;

#[cfg(feature = "lint")]
pub use calendar::today;
#[cfg(feature = "lint")]
pub use fs::DiskFiles;
#[cfg(feature = "lint")]
pub use git::BareClones;
#[cfg(feature = "switch")]
pub use runtime::Runtime;
#[cfg(feature = "switch")]
pub use world::{Detour, World};
