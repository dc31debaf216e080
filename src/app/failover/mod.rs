//! `pointsman failover`: what the executor would do, what it does, and what it did.

mod record;
#[cfg(feature = "lint")]
pub mod replay;
pub mod run;
#[cfg(feature = "lint")]
pub mod scenarios;

pub use record::{Onlooker, Record};
