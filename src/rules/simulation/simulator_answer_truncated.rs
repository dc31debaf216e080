//! A recorded answer of AWS's simulator that is one page of several.

use crate::diag::Severity;
use crate::iam::Simulation;
use crate::rules::{Check, Rule, Sink, Tier, Workspace};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "simulator-answer-truncated",
    aliases: &[],
    summary: "a recorded answer of AWS's simulator that is one page of several",
    severity: Severity::Warning,
    tier: Tier::Specific,
    page: include_str!("simulator_answer_truncated.md"),
    check: Check::Simulation(check),
};

fn check(simulation: &Simulation, _: &Workspace, sink: &mut Sink<'_>) {
    if let Some(at) = simulation.truncated {
        let count = simulation.answers.len();
        sink.report(
            at,
            format!("this answer is one page of several: it has {count} decisions, and others are not here"),
        )
        .help("ask again with `Marker` until `IsTruncated` is false, and keep all pages");
    }
}
