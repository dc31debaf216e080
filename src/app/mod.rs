//! Floor 6: the use cases. One file each, over ports; they write their result to `out` and nothing anywhere else.

pub mod bench;
pub mod chain;
#[cfg(feature = "drill")]
pub mod drill;
pub mod exercise;
mod exit;
pub mod explain;
pub mod failover;
pub mod fix;
pub mod forecast;
pub mod generate;
pub mod init;
pub mod inspect;
pub mod inspect_terraform;
mod module_files;
pub mod pins;
pub mod prove;
pub mod rehearsals;
pub mod serve;
pub mod simulate;
mod spare;
mod spec;
pub mod validate;
pub mod watch;
pub mod why;

pub use exit::{AppError, Exit};
pub use spec::SpecChoice;
