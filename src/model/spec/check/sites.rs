//! Sites, their addresses, and the hosts that they serve.

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;
use std::str::FromStr as _;

use crate::model::dns::{RecordName, is_public};
use crate::model::spec::ids;
use crate::model::spec::raw::{RawHost, RawSite};
use crate::model::spec::read::place;
use crate::model::spec::{Host, RecordType, Records, Site, Zone};
use crate::syntax::pointer;

use super::Check;

/// Reads the sites.
pub(super) fn sites(check: &mut Check<'_>, raw: &[RawSite]) -> Vec<Site> {
    let mut sites = Vec::new();
    let mut names: BTreeMap<&str, String> = BTreeMap::new();
    let mut used: BTreeMap<IpAddr, (String, &str)> = BTreeMap::new();
    for (index, site) in raw.iter().enumerate() {
        let at = |key: &str| format!("/sites/{index}/{key}");
        if let Some(first) = names.get(site.name.as_str()) {
            check.repeated(first, &at("name"), &format!("site `{}`", site.name));
        } else {
            names.insert(&site.name, at("name"));
        }
        let mut address = |key: &str, written: &Option<String>| {
            let written = written.as_deref()?;
            let found = read_address(check, &at(key), written, key)?;
            if let Some((first, owner)) = used.get(&found) {
                let message = format!("`{written}` is the address of site `{owner}` already");
                check
                    .report(ids::ADDRESS, &at(key), message)
                    .related(first, "used here first")
                    .help("each site needs an address of its own, or a switch would move nothing");
            } else {
                used.insert(found, (at(key), &site.name));
            }
            Some(found)
        };
        let ipv4 = address("ipv4", &site.ipv4);
        let ipv6 = address("ipv6", &site.ipv6);
        sites.push(Site {
            name: site.name.clone(),
            ipv4: ipv4.and_then(v4),
            ipv6: ipv6.and_then(v6),
        });
    }
    sites
}

fn v4(address: IpAddr) -> Option<std::net::Ipv4Addr> {
    match address {
        IpAddr::V4(address) => Some(address),
        IpAddr::V6(_) => None,
    }
}

fn v6(address: IpAddr) -> Option<std::net::Ipv6Addr> {
    match address {
        IpAddr::V4(_) => None,
        IpAddr::V6(address) => Some(address),
    }
}

fn read_address(check: &mut Check<'_>, at: &str, written: &str, key: &str) -> Option<IpAddr> {
    let kind = if key == "ipv4" { "IPv4" } else { "IPv6" };
    let Some(address) = IpAddr::from_str(written)
        .ok()
        .filter(|address| address.is_ipv4() == (key == "ipv4"))
    else {
        let example = if key == "ipv4" {
            "198.51.100.10"
        } else {
            "2001:db8::10"
        };
        let message = if written.is_empty() {
            format!("`{key}` is empty")
        } else {
            format!("`{written}` is no {kind} address")
        };
        let other = if key == "ipv4" { "ipv6" } else { "ipv4" };
        let help = if IpAddr::from_str(written).is_ok() {
            format!("write it as `{other}`, and here an {kind} address such as `{example}`")
        } else {
            format!("write one {kind} address, such as `{example}`")
        };
        check.report(ids::ADDRESS, at, message).help(help);
        return None;
    };
    if let Err(what) = is_public(address) {
        let message = format!("`{written}` is {what}; visitors cannot reach it");
        check
            .report(ids::ADDRESS, at, message)
            .help("write the site's public address, the one that the records shall hold");
    }
    Some(address)
}

/// Every site needs an address of every switched type.
pub(super) fn addresses_of_types(check: &mut Check<'_>, sites: &[Site], records: &Records) {
    for (index, site) in sites.iter().enumerate() {
        for record_type in &records.types {
            let key = match record_type {
                RecordType::A => "ipv4",
                RecordType::Aaaa => "ipv6",
            };
            let at = format!("/sites/{index}/{key}");
            // What is written there and could not be read has its finding already.
            let written = pointer::find(check.root, &at).is_some();
            if site.address(*record_type).is_none() && !written {
                let word = record_type.word();
                let message = format!(
                    "site `{}` has no `{key}`, but {word} records are switched",
                    site.name
                );
                check
                    .report(ids::ADDRESS_MISSING, &format!("/sites/{index}"), message)
                    .related("/records/types", "the switched types")
                    .help(format!(
                        "add `{key}`, or remove `{word}` from `records.types`"
                    ));
            }
        }
    }
}

/// Reads the hosts, each with its place in the written list.
pub(super) fn hosts(
    check: &mut Check<'_>,
    raw: &[RawHost],
    zone: &Zone,
    sites: &[Site],
) -> Vec<(usize, Host)> {
    let mut hosts = Vec::new();
    let mut seen: BTreeMap<RecordName, String> = BTreeMap::new();
    for (index, host) in raw.iter().enumerate() {
        let at = format!("/hosts/{index}/name");
        let Some(name) = check.host_within(&at, &host.name, zone) else {
            continue;
        };
        if name.is_wildcard() {
            let message = format!("`{name}` is no host; visitors ask for names without `*`");
            check
                .report(ids::NAME, &at, message)
                .help("list each host that visitors ask for");
        }
        if let Some(first) = seen.get(&name) {
            check.repeated(first, &at, &format!("host `{name}`"));
        } else {
            seen.insert(name.clone(), at);
        }
        sites_of_host(check, index, host, sites);
        let host = Host {
            name,
            absent_at: host.absent_at.iter().cloned().collect(),
            notes: host.notes.clone(),
        };
        hosts.push((index, host));
    }
    each_is_served(check, &hosts, sites);
    hosts
}

fn sites_of_host(check: &mut Check<'_>, index: usize, host: &RawHost, sites: &[Site]) {
    let known = || sites.iter().map(|site| site.name.as_str());
    let mut seen = BTreeSet::new();
    for (entry, site) in host.absent_at.iter().enumerate() {
        let at = format!("/hosts/{index}/absent_at/{entry}");
        if !known().any(|name| name == site) {
            check.unknown_site(place(check.root, &at), &at, site, known());
        } else if !seen.insert(site) {
            let first = host.absent_at.iter().position(|other| other == site);
            let first = format!("/hosts/{index}/absent_at/{}", first.unwrap_or(entry));
            check.repeated(&first, &at, &format!("site `{site}`"));
        }
    }
    for site in host.notes.keys() {
        if !known().any(|name| name == site) {
            let notes = format!("/hosts/{index}/notes");
            let at = pointer::join(&notes, site);
            let key = pointer::find(check.root, &notes).and_then(|notes| notes.entry(site));
            let span = key.map_or_else(|| place(check.root, &at), |entry| entry.key.span());
            check.unknown_site(span, &at, site, known());
        }
    }
}

/// Every host is served somewhere, and every site serves one: the probes ask for hosts, and one without any would count
/// as alive for ever.
fn each_is_served(check: &mut Check<'_>, hosts: &[(usize, Host)], sites: &[Site]) {
    for (index, host) in hosts {
        if !sites.is_empty() && sites.iter().all(|site| host.absent_at.contains(&site.name)) {
            let message = format!("host `{}` is absent at every site", host.name);
            check
                .report(
                    ids::HOST_NOWHERE,
                    &format!("/hosts/{index}/absent_at"),
                    message,
                )
                .help("remove the host, or name only the sites that do not serve it");
        }
    }
    for (index, site) in sites.iter().enumerate() {
        if hosts
            .iter()
            .all(|(_, host)| host.absent_at.contains(&site.name))
            && !hosts.is_empty()
        {
            let message = format!("no host is served at site `{}`", site.name);
            check
                .report(
                    ids::SITE_WITHOUT_HOST,
                    &format!("/sites/{index}/name"),
                    message,
                )
                .help("a site is probed through its hosts: let at least one host exist there");
        }
    }
}
