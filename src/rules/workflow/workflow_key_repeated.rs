//! A key that stands twice in one map of a workflow.

use crate::diag::Severity;
use crate::model::workflow::StepFile;
use crate::rules::{Check, Rule, Sink, Tier};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "workflow-key-repeated",
    aliases: &[],
    summary: "a key stands twice in one map",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("workflow_key_repeated.md"),
    check: Check::Steps(check),
};

fn check(file: StepFile<'_>, sink: &mut Sink<'_>) {
    for repeat in file.root().repeats() {
        let key = repeat.again.as_str();
        sink.report(
            repeat.again.span(),
            format!("`{key}` stands here a second time; GitHub refuses the file, and other readers keep one of the two"),
        )
        .related(repeat.first.span(), "it stands here first")
        .help("keep one of the two");
    }
}
