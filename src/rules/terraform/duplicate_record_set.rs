//! Two resources for one record set.

use crate::diag::Severity;
use crate::rules::{Check, Rule, Sink, Tier};
use crate::syntax::Node;
use crate::terraform::{Declarations, Record, Repetition, Standing};
use std::collections::BTreeMap;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "duplicate-record-set",
    aliases: &[],
    summary: "one record set with two owners, each of which undoes what the other does",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("duplicate_record_set.md"),
    check: Check::Terraform(check),
};

fn check(module: &Declarations, sink: &mut Sink<'_>) {
    let spec = sink.spec().filter(|spec| module.is_of(spec));
    let mut seen: BTreeMap<[String; 4], &Record> = BTreeMap::new();
    for record in &module.records {
        // Those of the spec are told with the place in the spec.
        let of_spec = |standing| matches!(standing, Standing::Switched(..) | Standing::Origin(_));
        if spec.is_some_and(|spec| of_spec(record.standing(spec, true))) {
            continue;
        }
        let Some(key) = key(record) else {
            continue;
        };
        let Some(first) = seen.get(&key) else {
            seen.insert(key, record);
            continue;
        };
        let [_, name, kind, identifier] = &key;
        let set = if identifier.is_empty() {
            String::new()
        } else {
            format!(" with the set identifier `{identifier}`")
        };
        let message = format!(
            "`{}` and `{}` are the one record `{name}` of type `{kind}`{set}: each apply writes the one over the other",
            record.address, first.address
        );
        let place = |record: &Record| {
            let node = record.set_identifier.as_ref().or(record.name.as_ref());
            node.map_or(record.head, Node::span)
        };
        let draft = sink
            .report(place(record), message)
            .help("give each record of a routing policy a `set_identifier` of its own, or remove one of the two");
        if place(first) != place(record) {
            draft.related(place(first), "declared here first");
        }
    }
}

/// What makes a record set the same in Route 53; `None` where it is not known, or where it may not be there.
fn key(record: &Record) -> Option<[String; 4]> {
    let there = |repeated: &Repetition| repeated.count.as_ref().is_ok_and(|count| *count > 0);
    if !record.repeated.as_ref().is_none_or(there) {
        return None;
    }
    let name = record.name.as_ref()?.as_str()?;
    let name = name.strip_suffix('.').unwrap_or(name).to_ascii_lowercase();
    let zone_id = record.zone_id.as_ref()?;
    let zone = match (record.zone(), zone_id.as_unknown()) {
        (Some(zone), _) => zone.to_owned(),
        // Two that miss the same address are in one zone.
        (None, Some(unknown)) if !unknown.missing.is_empty() => unknown.missing.join(" "),
        (None, _) => return None,
    };
    let identifier = match &record.set_identifier {
        None => String::new(),
        Some(node) => node.as_str()?.to_owned(),
    };
    let kind = record.record_type.as_ref()?.as_str()?.to_owned();
    Some([zone, name, kind, identifier])
}
