//! What Route 53 looks at in a batch before it looks at the zone's sets.
//!
//! Source: Route 53 API reference, `ChangeResourceRecordSets`; Developer Guide, "Quotas" (1,000 values and 32,000
//! characters a request, an UPSERT counts twice). The messages are those that users report.

use std::collections::BTreeMap;
use std::net::{Ipv4Addr, Ipv6Addr};

use super::refusal::Refusal;
use super::zone::{Action, Edit, HostedZone, Set};

/// The most values of a batch.
const VALUES: usize = 1000;

/// The most characters in the values of a batch.
const CHARACTERS: usize = 32_000;

/// Checks a batch by itself, and against the zone's name and protections.
pub(super) fn check(zone: &HostedZone, edits: &[Edit]) -> Result<(), Refusal> {
    if edits.is_empty() {
        return Err(Refusal::input(
            "Invalid XML ; cvc-complex-type.2.4.b: The content of element 'Changes' is not complete.",
        ));
    }
    for edit in edits {
        shape(edit)?;
    }
    limits(edits)?;
    let mut faults = repeated(edits);
    for Edit { set, .. } in edits {
        faults.extend(
            set.values
                .iter()
                .filter_map(|value| address(&set.kind, value)),
        );
        faults.extend(outside(zone, set));
        faults.extend(protected(zone, set));
    }
    faults.extend(edits.iter().filter_map(|edit| needed(zone, edit)));
    if faults.is_empty() {
        Ok(())
    } else {
        Err(Refusal::batch(&faults))
    }
}

/// A set is an alias, or has a time to live and values.
fn shape(edit: &Edit) -> Result<(), Refusal> {
    let set = &edit.set;
    let plain = set.ttl.is_some() && !set.values.is_empty();
    let empty = set.ttl.is_none() && set.values.is_empty();
    if plain && set.alias.is_none() || empty && set.alias.is_some() {
        return Ok(());
    }
    let found = if set.alias.is_some() {
        "more than one"
    } else {
        "none"
    };
    Err(Refusal::input(&format!(
        "Invalid request: Expected exactly one of [AliasTarget, all of [TTL, and ResourceRecords], or \
         TrafficPolicyInstanceId], but found {found} in Change with [Action={}, Name={}, Type={}, SetIdentifier={}]",
        edit.action.word(),
        set.name.route53(),
        set.kind,
        set.identifier.as_deref().unwrap_or("null"),
    )))
}

fn limits(edits: &[Edit]) -> Result<(), Refusal> {
    let twice = |edit: &Edit| if edit.action == Action::Upsert { 2 } else { 1 };
    let values = |edit: &Edit| edit.set.values.len() * twice(edit);
    let length = |edit: &Edit| edit.set.values.iter().map(String::len).sum::<usize>() * twice(edit);
    let over = |what: &str, most: usize| {
        let message = format!("Number of {what} limit of {most} exceeded.");
        Err(Refusal::new(400, "InvalidChangeBatch", &message))
    };
    if edits.iter().map(values).sum::<usize>() > VALUES {
        return over("records", VALUES);
    }
    if edits.iter().map(length).sum::<usize>() > CHARACTERS {
        return over("characters", CHARACTERS);
    }
    Ok(())
}

/// A set may be changed once; only its removal may stand before its creation.
fn repeated(edits: &[Edit]) -> Vec<String> {
    let mut seen = BTreeMap::new();
    let mut faults = Vec::new();
    for Edit { action, set } in edits {
        let before: &mut Vec<Action> = seen.entry(set.key()).or_default();
        let replaces = *before == [Action::Delete] && *action != Action::Delete;
        if !before.is_empty() && !replaces {
            faults.push(format!(
                "The request contains an invalid set of changes for a resource record set '{} {}'",
                set.kind,
                set.name.route53()
            ));
        }
        before.push(*action);
    }
    faults
}

fn address(kind: &str, value: &str) -> Option<String> {
    let (fits, version) = match kind {
        "A" => (value.parse::<Ipv4Addr>().is_ok(), 4),
        "AAAA" => (value.parse::<Ipv6Addr>().is_ok(), 6),
        _ => return None,
    };
    (!fits).then(|| {
        format!(
            "Invalid Resource Record: 'FATAL problem: ARRDATAIllegalIPv{version}Address (Value is not a valid \
             IPv{version} address) encountered with '{value}''"
        )
    })
}

fn outside(zone: &HostedZone, set: &Set) -> Option<String> {
    (!set.name.is_within(zone.name())).then(|| {
        let (name, zone) = (set.name.route53(), zone.name().route53());
        format!("RRSet with DNS name {name} is not permitted in zone {zone}")
    })
}

/// The wording of a protection's refusal is not published; the reference says that the message names it.
fn protected(zone: &HostedZone, set: &Set) -> Option<String> {
    zone.is_protected(set).then(|| {
        format!(
            "Resource record set [name='{}', type='{}'] is protected by a resource record set protection",
            set.name.route53(),
            set.kind
        )
    })
}

/// A zone keeps its own NS and SOA records.
fn needed(zone: &HostedZone, edit: &Edit) -> Option<String> {
    if edit.action != Action::Delete || edit.set.name != *zone.name() {
        return None;
    }
    match edit.set.kind.as_str() {
        "SOA" => Some("A HostedZone must contain exactly one SOA record.".to_owned()),
        "NS" => {
            Some("A HostedZone must contain at least one NS record for the zone itself.".to_owned())
        }
        _ => None,
    }
}
