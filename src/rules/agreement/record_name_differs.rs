//! A record that was meant to be switched and is called otherwise.

use crate::diag::Severity;
use crate::model::spec::Spec;
use crate::rules::{Check, Rule, Sink, Tier, Workspace};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "record-name-differs",
    aliases: &[],
    summary: "a record left to the workflow that is none of the spec's, while one of those is missing",
    severity: Severity::Error,
    tier: Tier::Agreement,
    page: include_str!("record_name_differs.md"),
    check: Check::Whole(check),
};

fn check(workspace: &Workspace, sink: &mut Sink<'_>) {
    let (Some(spec), Some(module)) = (&workspace.spec, workspace.own_module()) else {
        return;
    };
    let gap = module.gap(spec);
    let stray = gap.strays.iter().filter_map(|at| module.records.get(*at));
    for (record, (at, _)) in stray.zip(&gap.missing) {
        let (Some(wanted), Some(name)) = (spec.record_names().get(*at), &record.name) else {
            continue;
        };
        let full = record.full_name(&spec.zone.name.to_string());
        let message = format!(
            "`{}` is called `{}`, which is none of the records that the switch moves; `{wanted}` is missing",
            record.address,
            full.unwrap_or_default()
        );
        let label = spec.label(&format!("/records/names/{at}"));
        sink.report(name.span(), message)
            .related(label.at, label.text)
            .help(format!("the spec's records are {}", names(spec)));
    }
}

fn names(spec: &Spec) -> String {
    let names = spec.record_names().iter().map(|name| format!("`{name}`"));
    names.collect::<Vec<_>>().join(", ")
}
