//! `pointsman failover`: what a run did, played again, and what runs would do in scenarios.

pub mod replay;
pub mod scenarios;
