//! A switched record that the module does not declare.

use crate::diag::Severity;
use crate::model::spec::Spec;
use crate::rules::{Check, Rule, Sink, Tier, Workspace};
use crate::terraform::{Declarations, Standing};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "record-missing-in-terraform",
    aliases: &[],
    summary: "a record of the spec that the spec's module does not declare",
    severity: Severity::Error,
    tier: Tier::Agreement,
    page: include_str!("record_missing_in_terraform.md"),
    check: Check::Whole(check),
};

fn check(workspace: &Workspace, sink: &mut Sink<'_>) {
    let (Some(spec), Some(module)) = (&workspace.spec, workspace.own_module()) else {
        return;
    };
    let Some(first) = module.records.first() else {
        return no_records(workspace, spec, module, sink);
    };
    let mut gap = module.gap(spec);
    // That one is written down, but never made, is told there.
    for (_, standing) in module.unmade_records(spec) {
        let told = |at, found| standing == Standing::Switched(at, found);
        gap.missing.retain(|(at, found)| !told(*at, *found));
    }
    // A record that is called otherwise accounts for one that is missing.
    for (at, record_type) in gap.missing.iter().skip(gap.strays.len()) {
        let Some(name) = spec.record_names().get(*at) else {
            continue;
        };
        let what = format!(
            "whether the module declares `{name}` in type `{}`",
            record_type.word()
        );
        if let Some((unknown, place)) = gap.unknown.first() {
            sink.undecided(*place, what, &unknown.why, unknown.missing.clone());
            continue;
        }
        if let Some((why, missing)) = module.beyond() {
            sink.undecided(first.head, what, why, missing);
            continue;
        }
        let message = format!(
            "`{name}` in type `{}` is switched, but not declared in `{}`",
            record_type.word(),
            module.folder
        );
        let label = spec.label(&format!("/records/names/{at}"));
        sink.report(first.head, message)
            .related(label.at, label.text)
            .help("declare it with `ignore_changes = [records]`, or take it out of the spec");
    }
}

/// Only a run over the whole deployment can say that there are none.
fn no_records(workspace: &Workspace, spec: &Spec, module: &Declarations, sink: &mut Sink<'_>) {
    if !workspace.whole || !module.whole {
        return;
    }
    let unmade: Vec<Standing> = module
        .unmade_records(spec)
        .map(|(_, standing)| standing)
        .collect();
    for (at, name) in spec.record_names().iter().enumerate() {
        let is_it =
            |standing: &Standing| matches!(standing, Standing::Switched(found, _) if *found == at);
        if unmade.iter().any(is_it) {
            continue;
        }
        let label = spec.label(&format!("/records/names/{at}"));
        let message = format!(
            "`{name}` is switched, but `{}` declares no record at all",
            module.folder
        );
        sink.report(label.at, message)
            .help("declare it with `ignore_changes = [records]`; `pointsman generate` writes it");
    }
}
