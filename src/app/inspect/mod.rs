//! `pointsman inspect`: what pointsman sees in a file, without a judgement.

pub mod policy;
pub mod workflow;
