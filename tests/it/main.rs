//! The whole-program tests: one binary, quick to link.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that cannot go on should say so and stop"
)]

mod access_analyzer;
#[cfg(feature = "serve")]
mod aws_cli;
mod bad_input;
mod binary;
mod chain;
mod clusters;
mod deployment;
#[cfg(feature = "drill")]
mod drill;
#[cfg(feature = "drill")]
mod drill_artefacts;
#[cfg(feature = "drill")]
mod drill_endpoint;
#[cfg(feature = "drill")]
mod drill_faults;
#[cfg(feature = "drill")]
mod drill_judge;
#[cfg(feature = "drill")]
mod drill_unknown;
#[cfg(feature = "drill")]
mod drill_zone;
mod echoes;
mod enactor_model;
mod enclosed;
mod engines;
#[cfg(feature = "detour")]
mod exercise;
mod failover_faults;
mod failover_journal;
mod failover_model;
mod failover_properties;
mod failover_report;
mod failover_scenarios;
mod failover_shell;
mod first_deployment;
mod fix;
mod forecast;
mod formats;
mod generate;
mod generated;
mod github_reports;
#[cfg(feature = "drill")]
mod github_token;
mod given;
mod hcl;
mod house;
mod iam_choices;
mod iam_eval;
mod iam_lint;
mod iam_managed;
mod iam_oracles;
mod iam_properties;
mod iam_real_statements;
mod iam_reports;
mod iam_sizes;
mod inspect;
mod issuers;
mod judges;
mod monitors;
mod mutants;
#[cfg(feature = "drill")]
mod nameservers;
mod oidc;
mod pages;
mod paths;
mod pins;
#[cfg(feature = "online")]
mod pins_online;
mod places;
mod planted;
mod policy_mutations;
#[cfg(feature = "drill")]
mod probe;
mod prove;
mod prove_chance;
mod prove_random;
mod prove_tokens;
mod prove_vain;
mod readme;
mod rehearsals;
#[cfg(feature = "drill")]
mod route53;
mod rules;
mod run_automaton;
mod search;
#[cfg(feature = "serve")]
mod serve;
mod settings;
mod simulate;
mod simulator_wire;
mod snapshot;
mod spec_input;
#[cfg(feature = "detour")]
mod switch_ends;
#[cfg(feature = "detour")]
mod switch_figures;
#[cfg(feature = "detour")]
mod switch_inputs;
#[cfg(feature = "detour")]
mod switch_program;
#[cfg(feature = "detour")]
mod switch_world;
mod terraform_calls;
mod terraform_console;
mod terraform_modules;
mod terraform_plans;
mod terraform_refused;
mod terraform_told;
#[cfg(feature = "drill")]
mod watch;
mod why;
mod workflow_corpus;
mod yaml_corpus;
mod yaml_mutations;
