//! A record that has changed outside of Terraform, and that nobody else owns.

use crate::diag::Severity;
use crate::rules::{Check, Rule, Sink, Tier, Workspace};
use crate::terraform::{Claim, Ownership, Record, Standing, block_address};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "plan-record-drift",
    aliases: &[],
    summary: "a plan that tells of a record changed outside of Terraform, which nobody is said to write",
    severity: Severity::Warning,
    tier: Tier::Specific,
    page: include_str!("plan_record_drift.md"),
    check: Check::Whole(check),
};

fn check(workspace: &Workspace, sink: &mut Sink<'_>) {
    for drift in workspace.plans.iter().flat_map(|plan| &plan.drift) {
        let Some(record) = drift.record() else {
            continue;
        };
        let (before, after) = drift.values();
        if before == after || is_owned(workspace, &record) {
            continue;
        }
        let shown = |values: Option<Vec<String>>| {
            values.map_or_else(
                || "nothing".to_owned(),
                |values| format!("`{}`", values.join("`, `")),
            )
        };
        let message = format!(
            "`{}` was {} and is {}: somebody writes a record that Terraform owns",
            drift.address,
            shown(before),
            shown(after)
        );
        sink.report(drift.at, message).help(
            "find out who it was; if it is meant, add `ignore_changes = [records]`, else apply",
        );
    }
}

fn is_owned(workspace: &Workspace, record: &Record) -> bool {
    let switched = workspace
        .spec
        .as_ref()
        .is_some_and(|spec| matches!(record.standing(spec, false), Standing::Switched(..)));
    let claimed = |ownership: &Ownership| matches!(ownership.claim(record), Claim::Owned(_));
    let mut declared = workspace.modules.iter().flat_map(|module| &module.records);
    let ignored = |declared: &Record| {
        block_address(&declared.address) == block_address(&record.address)
            && declared.ignore_changes.ignores("records")
    };
    switched || workspace.owned.iter().any(claimed) || declared.any(ignored)
}
