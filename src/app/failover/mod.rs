//! `pointsman failover`: what the executor would do, and what it did.

pub mod scenarios;
