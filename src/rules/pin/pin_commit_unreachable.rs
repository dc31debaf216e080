//! A pinned commit that a ref led to once, and that none leads to now.

use crate::diag::Severity;
use crate::model::pins::PinStanding;
use crate::rules::{Check, Rule, Sink, Tier, Workspace};

use super::pins;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "pin-commit-unreachable",
    aliases: &[],
    summary: "a pin to a commit that no branch or tag leads to any more",
    severity: Severity::Warning,
    tier: Tier::Specific,
    page: include_str!("pin_commit_unreachable.md"),
    check: Check::Whole(check),
};

fn check(workspace: &Workspace, sink: &mut Sink<'_>) {
    for pin in pins(workspace) {
        if pin.standing() != Some(PinStanding::Former) {
            continue;
        }
        let (short, repository) = (pin.short(), &pin.repository);
        sink.report(
            pin.uses.reference_span(),
            format!("no branch and no tag of `{repository}` leads to `{short}` any more; a ref that has moved since led to it"),
        )
        .help("it may be swept away any day; pin a commit that a release leads to");
    }
}
