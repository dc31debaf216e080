//! The whole-program tests: one binary, quick to link.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test that cannot go on should say so and stop"
)]

mod deployment;
mod hcl;
mod iam_lint;
mod rules;
mod workflow_corpus;
mod yaml_corpus;
