//! A resource that owns all records of a zone in which a value is left to others.

use crate::diag::Severity;
use crate::rules::{Check, Rule, Sink, Tier};
use crate::syntax::Node;
use crate::terraform::{Declarations, ExclusiveRecords, Record};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "exclusive-records-over-ignored-value",
    aliases: &[],
    summary: "aws_route53_records_exclusive in a zone with a record whose value is ignored",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("exclusive_records_over_ignored_value.md"),
    check: Check::Terraform(check),
};

fn check(module: &Declarations, sink: &mut Sink<'_>) {
    if sink.spec().is_some_and(|spec| module.is_of(spec)) {
        return;
    }
    for exclusive in &module.exclusive_records {
        let zone = exclusive.zone_id.as_ref().and_then(identity);
        let in_zone = |record: &&Record| {
            let same = record.zone_id.as_ref().and_then(identity) == zone;
            same && record.ignore_changes.ignores("records")
        };
        let Some(record) = module
            .records
            .iter()
            .find(in_zone)
            .filter(|_| zone.is_some())
        else {
            may_own(exclusive, module, sink);
            continue;
        };
        let message = format!(
            "`{}` owns every record of its zone: it writes the value of `{}` back, whatever that ignores",
            exclusive.address, record.address
        );
        let draft = sink
            .report(exclusive.head, message)
            .help("declare each record as an `aws_route53_record`; `ignore_changes` cannot protect a value from this resource");
        if let Some(at) = record.ignore_changes.span() {
            draft.related(at, "the value is left to somebody else here");
        }
    }
}

/// Where it is not known whose records it owns, and there is one that is left to somebody.
fn may_own(exclusive: &ExclusiveRecords, module: &Declarations, sink: &mut Sink<'_>) {
    let open = |node: &Option<Node>| node.as_ref().and_then(Node::as_unknown).cloned();
    let mut ignored = module
        .records
        .iter()
        .filter(|record| record.ignore_changes.ignores("records"));
    let found = ignored.find_map(|record| {
        let unknown = open(&exclusive.zone_id).or_else(|| open(&record.zone_id))?;
        Some((record, unknown))
    });
    let Some((record, unknown)) = found else {
        return;
    };
    let what = format!(
        "whether `{}` owns the value of `{}`",
        exclusive.address, record.address
    );
    sink.undecided(exclusive.head, what, unknown.why, unknown.missing);
}

/// The zone, or the address that would tell it.
fn identity(zone: &Node) -> Option<String> {
    match (zone.as_str(), zone.as_unknown()) {
        (Some(id), _) => Some(id.strip_prefix("/hostedzone/").unwrap_or(id).to_owned()),
        (None, Some(unknown)) if !unknown.missing.is_empty() => Some(unknown.missing.join(" ")),
        (None, _) => None,
    }
}
