//! The whole-program tests: one binary, quick to link.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that cannot go on should say so and stop"
)]

mod bad_input;
mod binary;
mod deployment;
mod echoes;
mod enactor_model;
mod failover_journal;
mod failover_model;
mod failover_properties;
mod failover_scenarios;
mod generate;
mod generated;
mod given;
mod hcl;
mod house;
mod iam_choices;
mod iam_eval;
mod iam_lint;
mod iam_properties;
mod iam_reports;
mod judges;
mod mutants;
mod oidc;
mod paths;
mod places;
mod planted;
mod readme;
mod rules;
mod run_automaton;
mod search;
mod simulate;
mod snapshot;
mod spec_input;
mod terraform_calls;
mod terraform_console;
mod terraform_modules;
mod workflow_corpus;
mod yaml_corpus;
mod yaml_mutations;
