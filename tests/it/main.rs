//! The whole-program tests: one binary, quick to link.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test that cannot go on should say so and stop"
)]

mod deployment;
mod generate;
mod hcl;
mod house;
mod iam_eval;
mod oidc;
mod rules;
mod simulate;
mod snapshot;
mod terraform_console;
mod workflow_corpus;
mod yaml_corpus;
