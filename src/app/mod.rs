//! Floor 6: the use cases. One file each, over ports; they write their result to `out` and nothing anywhere else.

mod exit;
pub mod explain;
pub mod failover;
pub mod generate;
pub mod init;
pub mod inspect_terraform;
mod module_files;
pub mod simulate;
mod spec;
pub mod validate;

pub use exit::{AppError, Exit};
pub use spec::SpecChoice;
