//! A module without the record that the monitor watches.

use crate::diag::Severity;
use crate::rules::{Check, Rule, Sink, Tier, Workspace};
use crate::terraform::Standing;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "origin-record-missing",
    aliases: &[],
    summary: "switched records without the origin record",
    severity: Severity::Error,
    tier: Tier::Agreement,
    page: include_str!("origin_record_missing.md"),
    check: Check::Whole(check),
};

fn check(workspace: &Workspace, sink: &mut Sink<'_>) {
    let (Some(spec), Some(module)) = (&workspace.spec, workspace.own_module()) else {
        return;
    };
    let standings: Vec<Standing> = module
        .records
        .iter()
        .map(|record| record.standing(spec, true))
        .collect();
    let switched = |standing: &Standing| matches!(standing, Standing::Switched(..));
    let Some(first) = standings.iter().position(switched) else {
        return;
    };
    // That it is written down, but never made, is told there.
    let unmade = module.unmade_records(spec).map(|(_, standing)| standing);
    let mut written = standings.iter().cloned().chain(unmade);
    if written.any(|standing| matches!(standing, Standing::Origin(_))) {
        return;
    }
    let Some(record) = module.records.get(first) else {
        return;
    };
    let what = format!("whether the module declares `{}`", spec.origin.name);
    for standing in standings {
        if let Standing::Unknown(unknown, at) = standing {
            return sink.undecided(at, what, unknown.why, unknown.missing);
        }
    }
    if let Some((why, missing)) = module.beyond() {
        return sink.undecided(record.head, what, why, missing);
    }
    let message = format!(
        "`{}` is not declared: the wildcard answers for it and moves with the switch",
        spec.origin.name
    );
    let label = spec.label("/origin/name");
    sink.report(record.head, message)
        .related(label.at, label.text)
        .help(format!(
            "declare an `A` record `{}` with the address of `{}` and without `ignore_changes`",
            spec.origin.name, spec.origin.site
        ));
}
