//! pointsman: a policy and infrastructure-as-code validation toolkit for DNS failover.
//!
//! The house, floor by floor; a floor imports only from below (a test in `tests/it/house.rs` says so):
//!
//! | floor | module | what it is |
//! |---|---|---|
//! | 0 | [`text`], [`diag`] | files, byte spans, values that know their bytes; findings |
//! | 1 | [`syntax`] | bytes to trees with spans, never failing |

#![warn(missing_docs)]

pub mod diag;
pub mod model;
pub mod syntax;
pub mod text;
