//! What the executor needs of the spec: sites in order, the records that it moves, hosts by site, numbers and limits.
//!
//! A topology that could move visitors to a wrong place cannot be built: every site has its own public address of every
//! switched type, and at least one host.

use std::collections::BTreeSet;
use std::net::IpAddr;

use crate::model::dns::{RecordName, RecordType, is_public};

use super::limits::{FailbackRules, Limits, ProbeRules};

/// A site of one topology; the first one, home, is 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SiteId(pub(super) u8);

impl SiteId {
    /// The site that serves in quiet times.
    pub const HOME: Self = Self(0);

    /// Its place in the list of sites.
    #[must_use]
    pub fn index(self) -> usize {
        usize::from(self.0)
    }
}

/// Several sites of one topology.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Sites(u16);

impl Sites {
    /// The most sites that a topology may have.
    pub const MOST: usize = 16;

    /// With `site` among them.
    #[must_use]
    pub fn with(self, site: SiteId) -> Self {
        Self(self.0 | 1_u16.checked_shl(u32::from(site.0)).unwrap_or(0))
    }

    /// Whether `site` is among them.
    #[must_use]
    pub fn has(self, site: SiteId) -> bool {
        self.with(site) == self
    }

    /// Whether all of them are among `others`.
    #[must_use]
    pub fn within(self, others: Self) -> bool {
        self.0 & !others.0 == 0
    }
}

/// One record that the switch moves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// Its name.
    pub name: RecordName,
    /// Its type.
    pub kind: RecordType,
}

/// A site as it is written, before it is checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SiteDraft {
    /// Its name, as a pin gives it.
    pub name: String,
    /// Its addresses, at most one of each type.
    pub addresses: Vec<IpAddr>,
    /// The hosts that it serves; the first is the one it is probed with.
    pub hosts: Vec<RecordName>,
}

/// A topology as it is written, before it is checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TopologyDraft {
    /// The sites; the first is home.
    pub sites: Vec<SiteDraft>,
    /// Names of the records.
    pub names: Vec<RecordName>,
    /// Types of the records.
    pub types: Vec<RecordType>,
    /// How a site is asked.
    pub probe: ProbeRules,
    /// When the records may return home.
    pub failback: FailbackRules,
    /// Whether an answer that names another site makes the run refuse.
    pub site_identity: bool,
    /// A host elsewhere that must answer before any probe is believed.
    pub control: Option<RecordName>,
    /// The variable that a person pins a site with, as texts name it.
    pub pin_variable: String,
    /// Budgets and deadlines.
    pub limits: Limits,
}

/// A site whose addresses are fixed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Site {
    name: String,
    /// In the order of the topology's types.
    addresses: Vec<IpAddr>,
    hosts: Vec<RecordName>,
}

impl Site {
    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its addresses, one for each switched type.
    #[must_use]
    pub fn addresses(&self) -> &[IpAddr] {
        &self.addresses
    }

    /// The hosts that it serves; the first is the one it is probed with.
    #[must_use]
    pub fn hosts(&self) -> &[RecordName] {
        &self.hosts
    }
}

/// Where visitors can be sent, and by which rules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Topology {
    sites: Vec<Site>,
    records: Vec<Record>,
    draft: TopologyDraft,
}

/// Why a written topology is none. Each of them makes a run refuse before it asks anybody anything.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TopologyFault {
    /// A switch needs somewhere to go.
    #[error("{0} sites are given; at least 2 and at most {most} are needed", most = Sites::MOST)]
    Count(usize),
    /// Two sites of one name: a pin would not say which.
    #[error("two sites are called `{0}`")]
    Name(String),
    /// Nothing would be moved.
    #[error("no record is to be moved")]
    NoRecord,
    /// A switch would leave records of this type behind.
    #[error("site `{0}` has no address for {1} records")]
    NoAddress(String, &'static str),
    /// A switch would move nothing.
    #[error("`{0}` is the address of site `{1}` and of site `{2}`")]
    SameAddress(IpAddr, String, String),
    /// Visitors could not reach it.
    #[error("`{0}`, the address of site `{1}`, is {2}; visitors cannot reach it")]
    NotPublic(IpAddr, String, &'static str),
    /// Nothing to probe it with.
    #[error("no host is served at site `{0}`, so it cannot be probed")]
    NoHost(String),
    /// A number that makes no sense.
    #[error("{0} must be at least 1")]
    Zero(&'static str),
}

impl Topology {
    /// The variable that a person pins a site with.
    #[must_use]
    pub fn pin_variable(&self) -> &str {
        &self.draft.pin_variable
    }

    /// Checks what is written.
    ///
    /// # Errors
    /// What is wrong with it, the first fault alone.
    pub fn new(draft: TopologyDraft) -> Result<Self, TopologyFault> {
        if draft.sites.len() < 2 || draft.sites.len() > Sites::MOST {
            return Err(TopologyFault::Count(draft.sites.len()));
        }
        let numbers = [
            (u64::from(draft.probe.tries), "the number of tries"),
            (u64::from(draft.failback.probes), "the number of probes"),
        ];
        if let Some((_, what)) = numbers.into_iter().find(|(number, _)| *number == 0) {
            return Err(TopologyFault::Zero(what));
        }
        let kinds = |name: &RecordName| {
            let name = name.clone();
            let record = move |kind: &RecordType| Record {
                name: name.clone(),
                kind: *kind,
            };
            draft.types.iter().map(record).collect::<Vec<_>>()
        };
        let records: Vec<Record> = draft.names.iter().flat_map(kinds).collect();
        if records.is_empty() {
            return Err(TopologyFault::NoRecord);
        }
        let mut sites: Vec<Site> = Vec::new();
        for written in &draft.sites {
            let site = checked(written, &draft.types, &sites)?;
            sites.push(site);
        }
        Ok(Self {
            sites,
            records,
            draft,
        })
    }

    /// What it was built from.
    #[must_use]
    pub fn draft(&self) -> &TopologyDraft {
        &self.draft
    }

    /// The sites, home first.
    #[must_use]
    pub fn sites(&self) -> &[Site] {
        &self.sites
    }

    /// The site of this id.
    #[must_use]
    pub fn site(&self, id: SiteId) -> Option<&Site> {
        self.sites.get(id.index())
    }

    /// Every site's id, home first.
    pub fn ids(&self) -> impl Iterator<Item = SiteId> + use<> {
        let count = u8::try_from(self.sites.len()).unwrap_or(u8::MAX);
        (0..count).map(SiteId)
    }

    /// Ids of the sites but home, in order of preference.
    pub fn standbys(&self) -> impl Iterator<Item = SiteId> + use<> {
        self.ids().skip(1)
    }

    /// The site of exactly this name.
    #[must_use]
    pub fn named(&self, name: &str) -> Option<SiteId> {
        self.ids().find(|id| self.name(*id) == name)
    }

    /// A site's name.
    #[must_use]
    pub fn name(&self, id: SiteId) -> &str {
        self.site(id).map_or("", Site::name)
    }

    /// The records that the switch moves, in the order in which a batch has them.
    #[must_use]
    pub fn records(&self) -> &[Record] {
        &self.records
    }

    /// The address that a record of this type holds while it points at `site`.
    #[must_use]
    pub fn address(&self, site: SiteId, kind: RecordType) -> Option<IpAddr> {
        let index = self.draft.types.iter().position(|other| *other == kind)?;
        self.site(site)?.addresses.get(index).copied()
    }

    /// The site that has this address.
    #[must_use]
    pub fn site_of(&self, address: IpAddr) -> Option<SiteId> {
        self.ids().find(|id| {
            self.site(*id)
                .is_some_and(|site| site.addresses.contains(&address))
        })
    }

    /// How a site is asked.
    #[must_use]
    pub fn probe(&self) -> ProbeRules {
        self.draft.probe
    }

    /// When the records may return home.
    #[must_use]
    pub fn failback(&self) -> FailbackRules {
        self.draft.failback
    }

    /// Budgets and deadlines.
    #[must_use]
    pub fn limits(&self) -> &Limits {
        &self.draft.limits
    }

    /// Whether an answer that names another site makes the run refuse.
    #[must_use]
    pub fn checks_identity(&self) -> bool {
        self.draft.site_identity
    }

    /// A host elsewhere that must answer before any probe is believed.
    #[must_use]
    pub fn control(&self) -> Option<&RecordName> {
        self.draft.control.as_ref()
    }
}

fn checked(
    written: &SiteDraft,
    types: &[RecordType],
    before: &[Site],
) -> Result<Site, TopologyFault> {
    let name = written.name.clone();
    if before.iter().any(|site| site.name == name) {
        return Err(TopologyFault::Name(name));
    }
    let mut addresses = Vec::new();
    for kind in types.iter().copied().collect::<BTreeSet<_>>() {
        let fits = |address: &&IpAddr| address.is_ipv4() == (kind == RecordType::A);
        let Some(address) = written.addresses.iter().find(fits).copied() else {
            return Err(TopologyFault::NoAddress(name, kind.word()));
        };
        if let Some(other) = before.iter().find(|site| site.addresses.contains(&address)) {
            let other = other.name.clone();
            return Err(TopologyFault::SameAddress(address, other, name));
        }
        is_public(address).map_err(|what| TopologyFault::NotPublic(address, name.clone(), what))?;
    }
    for kind in types {
        let fits = |address: &&IpAddr| address.is_ipv4() == (*kind == RecordType::A);
        addresses.extend(written.addresses.iter().find(fits));
    }
    if written.hosts.is_empty() {
        return Err(TopologyFault::NoHost(name));
    }
    Ok(Site {
        name,
        addresses,
        hosts: written.hosts.clone(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draft() -> TopologyDraft {
        let name = |text: &str| RecordName::parse(text).ok();
        let site = |site: &str, addresses: [&str; 2]| SiteDraft {
            name: site.to_owned(),
            addresses: addresses
                .iter()
                .filter_map(|text| text.parse().ok())
                .collect(),
            hosts: name("example.com").into_iter().collect(),
        };
        TopologyDraft {
            sites: vec![
                site("edge", ["2001:db8::10", "198.51.100.10"]),
                site("hub", ["203.0.113.20", "2001:db8::20"]),
            ],
            names: name("example.com")
                .into_iter()
                .chain(name("*.example.com"))
                .collect(),
            types: vec![RecordType::A, RecordType::Aaaa],
            probe: ProbeRules::default(),
            failback: FailbackRules::default(),
            site_identity: false,
            control: None,
            pin_variable: "PIN_SITE".to_owned(),
            limits: Limits::default(),
        }
    }

    #[test]
    fn each_site_has_an_address_of_each_type_in_the_order_of_types() {
        let topology = Topology::new(draft()).unwrap();
        let edge = topology.named("edge").unwrap();
        let address = |kind| topology.address(edge, kind).unwrap().to_string();
        assert_eq!(address(RecordType::A), "198.51.100.10");
        assert_eq!(address(RecordType::Aaaa), "2001:db8::10");
        assert_eq!(topology.records().len(), 4);
        assert_eq!(topology.named("EDGE"), None);
        assert_eq!(topology.named(" edge"), None);
    }

    #[test]
    fn what_could_move_visitors_to_a_wrong_place_is_no_topology() {
        type Wrong = fn(&mut TopologyDraft);
        let cases: [(Wrong, &str); 9] = [
            (|draft| draft.sites.truncate(1), "at least 2"),
            (|draft| draft.sites[1].name = "edge".to_owned(), "two sites"),
            (|draft| draft.names.clear(), "no record"),
            (
                |draft| draft.sites[1].addresses.truncate(1),
                "no address for AAAA",
            ),
            (
                |draft| draft.sites[1].addresses = draft.sites[0].addresses.clone(),
                "of site `edge` and of site `hub`",
            ),
            (
                |draft| draft.sites[1].addresses[0] = IpAddr::from([10, 0, 0, 1]),
                "private",
            ),
            (
                |draft| draft.sites[1].addresses[0] = IpAddr::from([127, 0, 0, 1]),
                "loopback",
            ),
            (|draft| draft.sites[0].hosts.clear(), "no host"),
            (|draft| draft.probe.tries = 0, "at least 1"),
        ];
        for (wrong, told) in cases {
            let mut draft = draft();
            wrong(&mut draft);
            let fault = Topology::new(draft).unwrap_err().to_string();
            assert!(fault.contains(told), "{fault}");
        }
    }
}
