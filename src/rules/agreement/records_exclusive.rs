//! A resource that owns every record of the spec's zone.

use crate::diag::Severity;
use crate::rules::{Check, Rule, Sink, Tier, Workspace};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "records-exclusive",
    aliases: &[],
    summary: "aws_route53_records_exclusive in the spec's zone, which writes switched records back",
    severity: Severity::Error,
    tier: Tier::Agreement,
    page: include_str!("records_exclusive.md"),
    check: Check::Whole(check),
};

fn check(workspace: &Workspace, sink: &mut Sink<'_>) {
    let Some(spec) = &workspace.spec else { return };
    for module in &workspace.modules {
        for exclusive in &module.exclusive_records {
            let Some(zone) = &exclusive.zone_id else {
                continue;
            };
            if let Some(unknown) = zone.as_unknown() {
                if module.is_of(spec) {
                    let what = format!(
                        "whether `{}` owns the records of the zone `{}`",
                        exclusive.address, spec.zone.id
                    );
                    sink.undecided(zone.span(), what, &unknown.why, unknown.missing.clone());
                }
                continue;
            }
            let written = zone.as_str().unwrap_or_default();
            let id = written.strip_prefix("/hostedzone/").unwrap_or(written);
            if id != spec.zone.id {
                continue;
            }
            let message = format!(
                "`{}` owns every record of `{id}`: it deletes what it does not list, and writes switched records back",
                exclusive.address
            );
            let label = spec.label("/zone/id");
            sink.report(exclusive.head, message)
                .related(label.at, label.text)
                .help("declare each record as an `aws_route53_record`; `ignore_changes` cannot protect a value from this resource");
        }
    }
}
