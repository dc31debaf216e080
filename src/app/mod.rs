//! Floor 6: the use cases. One file each, over ports; they write their result to `out` and nothing anywhere else.

#[cfg(feature = "lint")]
pub mod bench;
#[cfg(feature = "lint")]
pub mod chain;
#[cfg(feature = "drill")]
pub mod drill;
#[cfg(feature = "lint")]
pub mod exercise;
mod exit;
#[cfg(feature = "lint")]
pub mod explain;
pub mod failover;
#[cfg(feature = "lint")]
pub mod fix;
#[cfg(feature = "lint")]
pub mod forecast;
#[cfg(feature = "lint")]
pub mod generate;
#[cfg(feature = "lint")]
pub mod init;
#[cfg(feature = "lint")]
pub mod inspect;
#[cfg(feature = "lint")]
pub mod inspect_terraform;
#[cfg(feature = "lint")]
mod module_files;
#[cfg(feature = "lint")]
pub mod pins;
#[cfg(feature = "lint")]
pub mod prove;
#[cfg(feature = "lint")]
pub mod rehearsals;
#[cfg(feature = "lint")]
pub mod serve;
#[cfg(feature = "lint")]
pub mod simulate;
#[cfg(feature = "lint")]
mod spec;
#[cfg(feature = "lint")]
pub mod validate;
#[cfg(feature = "lint")]
pub mod watch;
#[cfg(feature = "lint")]
pub mod why;

pub use exit::{AppError, Exit};
#[cfg(feature = "lint")]
pub use spec::SpecChoice;
