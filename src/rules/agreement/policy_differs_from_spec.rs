//! A policy says something else than the one that follows from the spec.

use crate::diag::Severity;
use crate::rules::{Check, Rule, Sink, Tier, Workspace};

use super::policy_difference::compared;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "policy-differs-from-spec",
    aliases: &[],
    summary: "a policy says something else than the one that follows from the spec",
    severity: Severity::Error,
    tier: Tier::Remainder,
    page: include_str!("policy_differs_from_spec.md"),
    check: Check::Whole(check),
};

fn check(workspace: &Workspace, sink: &mut Sink<'_>) {
    let Some(spec) = &workspace.spec else { return };
    for one in compared(workspace, spec) {
        for difference in one.differences {
            sink.report(difference.at, difference.message)
                .related(one.spec.at, one.spec.text.clone())
                .pointer(difference.pointer)
                .covers(difference.covers)
                .help("`pointsman generate --check` shows the whole difference");
        }
    }
}
