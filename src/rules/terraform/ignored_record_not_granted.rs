//! A record that is left to somebody, whom no policy lets change it.

use super::granted_names;
use crate::diag::Severity;
use crate::rules::{Check, Rule, Sink, Tier, Workspace};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "ignored-record-not-granted",
    aliases: &[],
    summary: "a record with ignored value that no policy of the module lets anybody change",
    severity: Severity::Warning,
    tier: Tier::General,
    page: include_str!("ignored_record_not_granted.md"),
    check: Check::Whole(check),
};

fn check(workspace: &Workspace, sink: &mut Sink<'_>) {
    for module in &workspace.modules {
        if sink.spec().is_some_and(|spec| module.is_of(spec)) {
            continue;
        }
        let granted = granted_names::of(workspace, module);
        // Where something is granted without names, or not known, any record may be meant.
        if granted.is_empty() || !granted.iter().all(|one| one.complete) {
            continue;
        }
        for record in &module.records {
            if record.alias.is_some() || !record.ignore_changes.ignores("records") {
                continue;
            }
            let open = granted
                .iter()
                .any(|one| one.may_be_of(record) && one.may_name(record));
            let elsewhere = !granted.iter().any(|one| one.may_be_of(record));
            let Some(at) = record.ignore_changes.span().filter(|_| !open && !elsewhere) else {
                continue;
            };
            let message = format!(
                "the value of `{}` is left to somebody, but the policy for its zone does not name it",
                record.address
            );
            sink.report(at, message)
                .help("add the name to the policy as IAM sees it, with `\\052` for a wildcard, or let Terraform own the value");
        }
    }
}
