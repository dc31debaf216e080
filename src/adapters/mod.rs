//! Floor 5: the outside world. Only here are files, clocks and sockets known.

#[cfg(feature = "lint")]
mod fs;
#[cfg(feature = "switch")]
mod runtime;
#[cfg(feature = "lint")]
mod stopwatch;
#[cfg(feature = "switch")]
mod world;

#[cfg(feature = "lint")]
pub use fs::DiskFiles;
#[cfg(feature = "switch")]
pub use runtime::Runtime;
#[cfg(feature = "lint")]
pub use stopwatch::SystemStopwatch;
#[cfg(feature = "switch")]
pub use world::{Detour, World};
