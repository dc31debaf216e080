//! A record that takes a host out of the switch (RFC 4592, section 2.2: a wildcard answers for no name that exists).

use crate::diag::Severity;
use crate::model::dns::RecordName;
use crate::model::spec::Spec;
use crate::rules::{Check, Rule, Sink, Tier, Workspace};
use crate::syntax::Node;
use crate::terraform::{Declarations, Record};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "host-outside-the-switch",
    aliases: &[],
    summary: "a record that keeps a host of the spec from moving with the switch",
    severity: Severity::Error,
    tier: Tier::Agreement,
    page: include_str!("host_outside_the_switch.md"),
    check: Check::Whole(check),
};

fn check(workspace: &Workspace, sink: &mut Sink<'_>) {
    let Some(spec) = &workspace.spec else { return };
    for module in &workspace.modules {
        // What is left to the switch under a wrong name is told by that name.
        let strays = if module.is_of(spec) {
            module.gap(spec).strays
        } else {
            Vec::new()
        };
        for (at, record) in module.records.iter().enumerate() {
            if strays.contains(&at) {
                continue;
            }
            if let Some(name) = name_in_zone(record, module, spec) {
                of_record(record, &name, spec, sink);
            }
        }
    }
}

/// The name of a record in the spec's zone that is none of the spec's. In another module the zone must be known, in the
/// spec's own it must not be known to be another.
fn name_in_zone(record: &Record, module: &Declarations, spec: &Spec) -> Option<RecordName> {
    let zone = record.zone();
    let is_in_zone = zone.map_or(module.is_of(spec), |zone| zone == spec.zone.id);
    if !is_in_zone {
        return None;
    }
    let written = record.full_name(&spec.zone.name.to_string())?;
    let name = RecordName::parse(&written).ok()?;
    let is_of_spec = spec.record_names().contains(&name) || name == spec.origin.name;
    (!is_of_spec).then_some(name)
}

fn of_record(record: &Record, name: &RecordName, spec: &Spec, sink: &mut Sink<'_>) {
    for (at, host) in spec.hosts.iter().enumerate() {
        let Some(wildcard) = wildcard_for(&host.name, spec) else {
            continue;
        };
        if !hides(name, &host.name, wildcard) {
            continue;
        }
        let place = record.name.as_ref().map_or(record.head, Node::span);
        let message = if *name == host.name {
            format!(
                "`{}` is a record of the host `{}` alone: `{wildcard}` no longer answers for it, and no switch moves it",
                record.address, host.name
            )
        } else {
            format!(
                "`{}` makes a name exist between `{wildcard}` and the host `{}`, which the wildcard then no longer answers for",
                record.address, host.name
            )
        };
        let label = spec.label(&format!("/hosts/{at}/name"));
        return {
            sink.report(place, message)
                .related(label.at, label.text)
                .help("remove the record, or take the host into `records.names`, so that the switch moves it");
        };
    }
}

/// The switched wildcard that answers for `host`, if no switched record of its own does.
fn wildcard_for<'a>(host: &RecordName, spec: &'a Spec) -> Option<&'a RecordName> {
    let names = spec.record_names();
    if names.contains(host) {
        return None;
    }
    let covering = names.iter().filter(|name| host.is_covered_by(name));
    covering.max_by_key(|name| name.dns().len())
}

/// Whether `host` or a name between it and the wildcard exists because of a record of `name`.
fn hides(name: &RecordName, host: &RecordName, wildcard: &RecordName) -> bool {
    let Some(parent) = wildcard.parent() else {
        return false;
    };
    let mut up = Some(host.clone());
    while let Some(found) = up.filter(|found| *found != parent) {
        if name.is_within(&found) {
            return true;
        }
        up = found.parent();
    }
    false
}
