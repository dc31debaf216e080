//! An origin record that does not stay where it is.

use crate::diag::Severity;
use crate::rules::{Check, Rule, Sink, Tier, Workspace};
use crate::terraform::Standing;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "origin-record-ignores-value",
    aliases: &[],
    summary: "the origin record ignores changes to its value",
    severity: Severity::Error,
    tier: Tier::Agreement,
    page: include_str!("origin_record_ignores_value.md"),
    check: Check::Whole(check),
};

fn check(workspace: &Workspace, sink: &mut Sink<'_>) {
    let (Some(spec), Some(module)) = (&workspace.spec, workspace.own_module()) else {
        return;
    };
    for record in &module.records {
        let origin = matches!(record.standing(spec, true), Standing::Origin(_));
        let Some(at) = record.ignore_changes.span() else {
            continue;
        };
        if origin
            && (record.ignore_changes.ignores("records") || record.ignore_changes.ignores("alias"))
        {
            let message = format!(
                "`{}` ignores changes to its value, but `{}` always points at `{}`",
                record.address, spec.origin.name, spec.origin.site
            );
            let label = spec.label("/origin/name");
            sink.report(at, message)
                .related(label.at, label.text)
                .help("remove `ignore_changes`: Terraform keeps the origin record where it is");
        }
    }
}
