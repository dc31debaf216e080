//! The switched records and the origin record that must not be one of them.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::dns::RecordName;
use crate::model::spec::ids;
use crate::model::spec::raw::{RawOrigin, RawRecords};
use crate::model::spec::read::place;
use crate::model::spec::{Host, OriginRecord, Records, Site, Zone};
use crate::syntax::pointer;

use super::Check;

/// Reads the switched records; without names they are the zone itself and its wildcard.
pub(super) fn records(check: &mut Check<'_>, raw: &RawRecords, zone: &Zone) -> Option<Records> {
    let mut names = Vec::new();
    let mut seen: BTreeMap<RecordName, String> = BTreeMap::new();
    for (index, written) in raw.names.iter().enumerate() {
        let at = format!("/records/names/{index}");
        let Some(name) = check.name_within(&at, written, zone) else {
            continue;
        };
        if let Some(first) = seen.get(&name) {
            check.repeated(first, &at, &format!("record `{name}`"));
        } else {
            seen.insert(name.clone(), at);
            names.push(name);
        }
    }
    if raw.names.is_empty() {
        if pointer::find(check.root, "/records/names").is_some() {
            check
                .report(
                    ids::VALUE,
                    "/records/names",
                    "no record is named, so a switch would move nothing".to_owned(),
                )
                .help("name the records, or remove the key for the zone itself and its wildcard");
        }
        names.push(zone.name.clone());
        names.push(zone.name.child("*").ok()?);
    }
    let mut types = BTreeSet::new();
    for (index, record_type) in raw.types.iter().enumerate() {
        if !types.insert(*record_type) {
            let first = raw.types.iter().position(|other| other == record_type);
            check.repeated(
                &format!("/records/types/{}", first.unwrap_or(index)),
                &format!("/records/types/{index}"),
                &format!("type `{}`", record_type.word()),
            );
        }
    }
    Some(Records {
        names,
        types: raw.types.clone(),
        ttl: raw.ttl,
    })
}

/// Reads the origin record.
pub(super) fn origin(
    check: &mut Check<'_>,
    raw: &RawOrigin,
    zone: &Zone,
    sites: &[Site],
) -> Option<OriginRecord> {
    let name = match &raw.name {
        Some(written) => check.host_within("/origin/name", written, zone)?,
        None => zone.name.child("origin").ok()?,
    };
    if name.is_wildcard() {
        let message = format!("`{name}` is a wildcard; the monitor needs one host to watch");
        check
            .report(ids::NAME, "/origin/name", message)
            .help("name one host, such as `origin` in the zone");
    }
    let known = || sites.iter().map(|site| site.name.as_str());
    if let Some(site) = &raw.site
        && !known().any(|name| name == site)
    {
        let at = place(check.root, "/origin/site");
        check.unknown_site(at, "/origin/site", site, known());
    }
    let home = || sites.first().map(|site| site.name.clone());
    Some(OriginRecord {
        name,
        site: raw.site.clone().or_else(home)?,
        ttl: raw.ttl,
    })
}

/// The origin record must stay where it is: moved with the others, it would show the monitor the standby and report a
/// dead home as recovered.
pub(super) fn origin_stays(
    check: &mut Check<'_>,
    origin: &OriginRecord,
    records: &Records,
    hosts: &[(usize, Host)],
) {
    if records.names.contains(&origin.name) && !origin.name.is_wildcard() {
        let message = format!(
            "`{}` is one of the switched records, so the monitor would follow the switch",
            origin.name
        );
        check
            .report(ids::ORIGIN_SWITCHED, "/origin/name", message)
            .related("/records/names", "the switched records")
            .help("give the origin record a name of its own, such as `origin` in the zone");
    }
    if let Some((index, _)) = hosts.iter().find(|(_, host)| host.name == origin.name) {
        let message = format!(
            "`{}` is the origin record, which no switch moves; visitors must not be sent to it",
            origin.name
        );
        check
            .report(
                ids::ORIGIN_SWITCHED,
                &format!("/hosts/{index}/name"),
                message,
            )
            .related("/origin/name", "the origin record")
            .help("remove it from the hosts, or name another origin record");
    }
}

/// A host that no switched record answers for stays where it is, whatever the switch does.
pub(super) fn hosts_move(
    check: &mut Check<'_>,
    hosts: &[(usize, Host)],
    records: &Records,
    origin: &OriginRecord,
    zone: &Zone,
) {
    let moves = |name: &RecordName| {
        records
            .names
            .iter()
            .any(|record| record == name || name.is_covered_by(record))
    };
    for (index, host) in hosts {
        let told =
            host.name.is_wildcard() || host.name == origin.name || !host.name.is_within(&zone.name);
        if !told && !moves(&host.name) {
            let list: Vec<String> = records
                .names
                .iter()
                .map(|name| format!("`{name}`"))
                .collect();
            let message = format!(
                "no switched record answers for host `{}`; switched are {}",
                host.name,
                list.join(", ")
            );
            check
                .report(ids::HOST_NOWHERE, &format!("/hosts/{index}/name"), message)
                .related("/records/names", "the switched records")
                .help("add its record to `records.names`, or remove the host");
        }
    }
}
