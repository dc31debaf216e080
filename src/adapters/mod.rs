//! Floor 5: the outside world. Only here are files, clocks and sockets known.

#[cfg(feature = "switch")]
mod aws;
#[cfg(feature = "lint")]
mod fs;
#[cfg(feature = "serve")]
mod loopback;
#[cfg(any(feature = "switch", feature = "serve"))]
mod runtime;
#[cfg(feature = "switch")]
mod world;

#[cfg(feature = "aws")]
pub use aws::AwsSimulator;
#[cfg(feature = "lint")]
pub use fs::DiskFiles;
#[cfg(feature = "serve")]
pub use loopback::Loopback;
#[cfg(any(feature = "switch", feature = "serve"))]
pub use runtime::Runtime;
#[cfg(feature = "switch")]
pub use world::{Detour, World};
