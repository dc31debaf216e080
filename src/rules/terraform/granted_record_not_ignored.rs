//! A record that a policy lets somebody change, and that Terraform writes back.

use super::granted_names;
use crate::diag::Severity;
use crate::rules::{Check, Rule, Sink, Tier, Workspace};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "granted-record-not-ignored",
    aliases: &[],
    summary: "a record that a policy of the module lets somebody change, without ignore_changes",
    severity: Severity::Warning,
    tier: Tier::General,
    page: include_str!("granted_record_not_ignored.md"),
    check: Check::Whole(check),
};

fn check(workspace: &Workspace, sink: &mut Sink<'_>) {
    for module in &workspace.modules {
        // With a spec, the spec says whose the records are.
        if sink.spec().is_some_and(|spec| module.is_of(spec)) {
            continue;
        }
        let granted = granted_names::of(workspace, module);
        for record in &module.records {
            let value = if record.alias.is_some() {
                "alias"
            } else {
                "records"
            };
            if record.ignore_changes.ignores(value) {
                continue;
            }
            let Some(place) = granted.iter().find_map(|one| one.names(record)) else {
                continue;
            };
            let message = format!(
                "a policy lets somebody change `{}`, but it does not ignore `{value}`: the next apply writes its value back",
                record.address
            );
            sink.report(record.head, message)
                .related(place, "this lets somebody change the record")
                .help(format!("add `lifecycle {{ ignore_changes = [{value}] }}`, or take the name out of the policy"));
        }
    }
}
