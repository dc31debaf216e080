//! A switched record that is made anew when something else changes: the first value is written back, whatever is ignored.

use crate::diag::Severity;
use crate::rules::{Check, Rule, Sink, Tier, Workspace};
use crate::terraform::{Record, Standing};

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
    let own = workspace.own_module().map(|module| module.folder.as_str());
    let others = workspace
        .modules
        .iter()
        .filter(|module| Some(module.folder.as_str()) != own);
    for record in others.flat_map(|module| &module.records) {
        left_to_others(record, sink);
    }
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

/// A record that leaves its value to somebody, though no spec says to whom.
fn left_to_others(record: &Record, sink: &mut Sink<'_>) {
    let Some(place) = record.replace_triggered_by else {
        return;
    };
    if !record.ignore_changes.ignores("records") {
        return;
    }
    let message = format!(
        "`{}` leaves its value to somebody else, but is replaced when this changes: made anew, it holds its first value again",
        record.address
    );
    sink.report(place, message)
        .severity(Severity::Warning)
        .help("remove `replace_triggered_by`: `ignore_changes` holds for changes, not for replacement");
}
