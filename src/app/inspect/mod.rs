//! `pointsman inspect`: what pointsman sees in a file, without a judgement.

pub mod policy;
mod sentences;
pub mod workflow;
