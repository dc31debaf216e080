//! `pointsman failover`: what the executor would do, and what it did.

pub mod replay;
pub mod scenarios;
