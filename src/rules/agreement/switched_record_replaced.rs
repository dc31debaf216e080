//! A switched record that is made anew when something else changes: the first value is written back, whatever is ignored.

use crate::diag::Severity;
use crate::rules::{Check, Rule, Sink, Tier, Workspace};
use crate::terraform::Standing;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "switched-record-replaced",
    aliases: &[],
    summary: "a switched record with replace_triggered_by, whose replacement undoes the switch",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("switched_record_replaced.md"),
    check: Check::Whole(check),
};

fn check(workspace: &Workspace, sink: &mut Sink<'_>) {
    let (Some(spec), Some(module)) = (&workspace.spec, workspace.own_module()) else {
        return;
    };
    for record in &module.records {
        let Standing::Switched(at, _) = record.standing(spec, true) else {
            continue;
        };
        let Some(place) = record.replace_triggered_by else {
            continue;
        };
        let message = format!(
            "`{}` is replaced when this changes, and a record that is made anew holds its first value again",
            record.address
        );
        let label = spec.label(&format!("/records/names/{at}"));
        sink.report(place, message)
            .related(label.at, "the switch moves this record")
            .help("remove `replace_triggered_by`: `ignore_changes` holds for changes, not for replacement");
    }
}
