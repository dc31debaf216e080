//! A record that resolvers keep for another time than the spec says.

use crate::diag::Severity;
use crate::rules::{Check, Rule, Sink, Tier, Workspace};
use crate::terraform::Standing;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "record-ttl-differs",
    aliases: &[],
    summary: "the TTL of a record is not the spec's",
    severity: Severity::Error,
    tier: Tier::Agreement,
    page: include_str!("record_ttl_differs.md"),
    check: Check::Whole(check),
};

fn check(workspace: &Workspace, sink: &mut Sink<'_>) {
    let (Some(spec), Some(module)) = (&workspace.spec, workspace.own_module()) else {
        return;
    };
    for record in &module.records {
        let (wanted, pointer) = match record.standing(spec, true) {
            Standing::Switched(..) => (spec.records.ttl, "/records/ttl"),
            Standing::Origin(_) => (spec.origin.ttl, "/origin/ttl"),
            Standing::OtherType(_) | Standing::Other | Standing::Unknown(..) => continue,
        };
        // An alias record has none; that it is one is found elsewhere.
        if record.alias.is_some() {
            continue;
        }
        let label = spec.label(pointer);
        let Some(ttl) = &record.ttl else {
            let message = format!("`{}` has no TTL, the spec says {wanted}", record.address);
            sink.report(record.head, message)
                .related(label.at, label.text)
                .help(format!("write `ttl = {wanted}`"));
            continue;
        };
        if let Some(unknown) = ttl.as_unknown() {
            let what = format!("whether the TTL of `{}` is {wanted}", record.address);
            sink.undecided(ttl.span(), what, &unknown.why, unknown.missing.clone());
            continue;
        }
        let written = ttl.as_integer().or_else(|| ttl.as_str()?.parse().ok());
        if written != Some(i64::from(wanted)) {
            let shown = written.map_or_else(|| ttl.kind_name().to_owned(), |ttl| ttl.to_string());
            let message = format!(
                "the TTL of `{}` is {shown}, the spec says {wanted}",
                record.address
            );
            sink.report(ttl.span(), message)
                .related(label.at, label.text)
                .help(format!("write {wanted}, or change the spec"));
        }
    }
}
