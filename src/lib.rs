//! pointsman: a policy and infrastructure-as-code validation toolkit for DNS failover.
//!
//! The house, floor by floor; a floor imports only from below (a test in `tests/it/house.rs` says so):
//!
//! | floor | module | what it is |
//! |---|---|---|
//! | 0 | [`text`], [`diag`], `parts` | files, byte spans, values that know their bytes; findings; work on two threads |
//! | 1 | [`syntax`] | bytes to trees with spans, never failing |
//! | 2 | [`model`] | typed meaning: record names, policies, the spec |
//! | 3 | [`iam`], `generate`, `terraform`, [`failover`], [`forecast`], [`propagation`] | the IAM policy language, evaluated; the spec as files; HCL, evaluated; the executor's mind; how long an outage lasts; how a new value gets about |
//! | 4 | [`ports`], `rules`, `check`, `chain` | what is needed from outside; one rule a file; sources to outcome; heartbeat to visitors |
//! | 5 | `report`, `adapters`, `execution` | an outcome as text; the outside world; one run of the executor |
//! | 6 | `app`, `drill` | one use case a file; a world on loopback |
//! | 7 | `cli`, `switch` | what was typed, to settings, to a use case, to an exit status; the executor as a program |

#![warn(missing_docs)]

#[cfg(any(feature = "lint", feature = "switch"))]
pub mod adapters;
#[cfg(feature = "lint")]
pub mod app;
#[cfg(feature = "lint")]
pub mod chain;
#[cfg(feature = "lint")]
pub mod check;
#[cfg(feature = "lint")]
pub mod cli;
pub mod diag;
#[cfg(feature = "drill")]
pub mod drill;
#[cfg(any(feature = "lint", feature = "switch"))]
pub mod execution;
pub mod failover;
#[cfg(feature = "lint")]
pub mod forecast;
#[cfg(feature = "lint")]
pub mod generate;
#[cfg(feature = "lint")]
pub mod iam;
pub mod model;
#[cfg(feature = "lint")]
mod parts;
pub mod ports;
pub mod propagation;
#[cfg(feature = "lint")]
pub mod report;
#[cfg(feature = "lint")]
pub mod rules;
#[cfg(feature = "switch")]
pub mod switch;
pub mod syntax;
#[cfg(feature = "lint")]
pub mod terraform;
pub mod text;
