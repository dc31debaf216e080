//! A part of a workflow that has not the shape GitHub asks for.

use crate::diag::Severity;
use crate::model::workflow::StepFile;
use crate::rules::{Check, Rule, Sink, Tier};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "workflow-malformed",
    aliases: &[],
    summary: "a part of the workflow has not the shape that GitHub asks for",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("workflow_malformed.md"),
    check: Check::Steps(check),
};

fn check(file: StepFile<'_>, sink: &mut Sink<'_>) {
    for part in file.malformed() {
        sink.report(part.at, part.reason.clone()).help(
            "GitHub refuses the file or leaves this part out; write it as the workflow syntax asks",
        );
    }
}
