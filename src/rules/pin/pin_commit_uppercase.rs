//! A commit id in upper case, which tools that compare letter by letter pass over.

use crate::diag::{Edit, Severity};
use crate::model::pins::PinStanding;
use crate::rules::{Check, Rule, Sink, Tier, Workspace};

use super::pins;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "pin-commit-uppercase",
    aliases: &[],
    summary: "a commit id in upper case",
    severity: Severity::Note,
    tier: Tier::Specific,
    page: include_str!("pin_commit_uppercase.md"),
    check: Check::Whole(check),
};

fn check(workspace: &Workspace, sink: &mut Sink<'_>) {
    for pin in pins(workspace) {
        let written = pin.uses.reference().unwrap_or_default();
        if written == pin.commit || matches!(pin.standing(), Some(PinStanding::Absent { .. })) {
            continue;
        }
        let at = pin.uses.reference_span();
        let edit = Edit {
            at,
            with: pin.commit.clone(),
        };
        sink.report(
            at,
            "this commit id is written in upper case, and tools that compare letters pass over it",
        )
        .help(format!("write `{}`", pin.commit))
        .fix("write the id in lower case", true, vec![edit]);
    }
}
