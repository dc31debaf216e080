//! A record in a zone in which the switch changes nothing.

use crate::diag::Severity;
use crate::rules::{Check, Rule, Sink, Tier, Workspace};
use crate::terraform::Standing;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "record-zone-differs",
    aliases: &[],
    summary: "a record of the spec in another hosted zone",
    severity: Severity::Error,
    tier: Tier::Agreement,
    page: include_str!("record_zone_differs.md"),
    check: Check::Whole(check),
};

fn check(workspace: &Workspace, sink: &mut Sink<'_>) {
    let (Some(spec), Some(module)) = (&workspace.spec, workspace.own_module()) else {
        return;
    };
    for record in &module.records {
        let ours = matches!(
            record.standing(spec, true),
            Standing::Switched(..) | Standing::Origin(_)
        );
        let Some(zone) = record.zone_id.as_ref().filter(|_| ours) else {
            continue;
        };
        if let Some(unknown) = zone.as_unknown() {
            let what = format!(
                "whether `{}` is in the zone `{}`",
                record.address, spec.zone.id
            );
            sink.undecided(zone.span(), what, &unknown.why, unknown.missing.clone());
            continue;
        }
        let written = record.zone().unwrap_or_default();
        if written != spec.zone.id {
            let message = format!(
                "`{}` is in the zone `{written}`, the spec's is `{}`",
                record.address, spec.zone.id
            );
            let label = spec.label("/zone/id");
            sink.report(zone.span(), message)
                .related(label.at, label.text)
                .help("the policies allow changes in the spec's zone alone");
        }
    }
}
