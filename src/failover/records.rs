//! Where the records point: every one of them is read and judged, so that a half-switched zone is a state of its own.

use std::net::IpAddr;
use std::str::FromStr as _;

use crate::model::dns::RecordName;

use super::topology::{Record, SiteId, Sites, Topology};

/// A record set as `ListResourceRecordSets` answers it (Route 53 API reference, `ResourceRecordSet`).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct RecordSet {
    /// Its name as answered: `\052.example.com.`, or with a star.
    pub name: String,
    /// Its type.
    pub kind: String,
    /// Its time to live in seconds; an alias has none.
    pub ttl: Option<u32>,
    /// Its values.
    pub values: Vec<String>,
    /// What it is an alias of.
    pub alias: Option<String>,
    /// The identifier of a weighted, failover or other routed set.
    pub set_identifier: Option<String>,
}

/// What was read, judged.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Standing {
    /// Where the records point.
    pub place: Place,
    /// The time to live of each record, in the topology's order; empty when a record has none.
    pub(super) ttls: Vec<u32>,
}

/// Where the records point.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// All at one site.
    At(SiteId),
    /// At several sites of the topology.
    Half(Sites),
    /// One of them, the named one, is not what the executor may change.
    Foreign(usize, Foreign),
}

/// What is foreign about a record.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Foreign {
    /// It does not exist; an UPSERT would create it.
    Missing,
    /// It is an alias: no value to change, no time to live to keep.
    Alias(String),
    /// It is one of several sets of its name and type.
    SetIdentifier(String),
    /// It has other than one value.
    Values(Vec<String>),
    /// It has no time to live.
    NoTtl,
    /// Its one value is no site's address. A valid pin is a person's consent to overwrite it.
    Address(String),
}

impl Standing {
    /// Judges what was read.
    #[must_use]
    pub fn of(topology: &Topology, sets: &[RecordSet]) -> Self {
        let named: Vec<(Option<RecordName>, &RecordSet)> = sets
            .iter()
            .map(|set| (RecordName::parse(&set.name).ok(), set))
            .collect();
        let mut at = Sites::default();
        let mut only = None;
        let mut ttls = Vec::new();
        let mut foreign: Option<(usize, Foreign)> = None;
        for (index, record) in topology.records().iter().enumerate() {
            match judge(topology, record, &named) {
                Ok((site, ttl)) => {
                    at = at.with(site);
                    only = Some(site);
                    ttls.push(ttl);
                }
                Err((fault, ttl)) => {
                    ttls.extend(ttl);
                    // What nobody may overwrite is told before what a pin may.
                    let milder = |(_, told): &(usize, Foreign)| {
                        told.may_be_pinned() && !fault.may_be_pinned()
                    };
                    if foreign.as_ref().is_none_or(milder) {
                        foreign = Some((index, fault));
                    }
                }
            }
        }
        let place = match (foreign, only) {
            (Some((index, fault)), _) => Place::Foreign(index, fault),
            (None, Some(site)) if at == Sites::default().with(site) => Place::At(site),
            (None, _) => Place::Half(at),
        };
        Self { place, ttls }
    }

    /// Every site that a record points at; none for a foreign place.
    #[must_use]
    pub fn sites(&self) -> Sites {
        match &self.place {
            Place::At(site) => Sites::default().with(*site),
            Place::Half(sites) => *sites,
            Place::Foreign(..) => Sites::default(),
        }
    }

    /// Whether all records point at `site`.
    #[must_use]
    pub fn is_at(&self, site: SiteId) -> bool {
        self.place == Place::At(site)
    }
}

impl Place {
    /// Where that is, in a word or two.
    #[must_use]
    pub fn words(&self, topology: &Topology) -> String {
        match self {
            Self::At(site) => topology.name(*site).to_owned(),
            Self::Half(sites) => {
                let ids = topology.ids().filter(|site| sites.has(*site));
                let names: Vec<&str> = ids.map(|site| topology.name(site)).collect();
                names.join(" and ")
            }
            Self::Foreign(..) => "elsewhere".to_owned(),
        }
    }
}

impl Foreign {
    /// Whether a valid pin overrules it.
    #[must_use]
    pub fn may_be_pinned(&self) -> bool {
        matches!(self, Self::Address(_))
    }

    /// What it is, as the end of a sentence that begins with the record.
    #[must_use]
    pub fn describe(&self) -> String {
        match self {
            Self::Missing => {
                "does not exist; Terraform must create it, a switch never does".to_owned()
            }
            Self::Alias(target) => format!(
                "is an alias of `{}`, which has no value to change",
                target.escape_debug()
            ),
            Self::SetIdentifier(id) => format!(
                "is one of several sets (set identifier `{}`); a switch moves simple records only",
                id.escape_debug()
            ),
            Self::Values(values) => format!(
                "has {} values ({}); a switch moves records with exactly one",
                values.len(),
                values.join(", ").escape_debug()
            ),
            Self::NoTtl => "has no time to live to keep".to_owned(),
            Self::Address(value) if value.trim().is_empty() => format!(
                "holds an empty value, `{}`, which is no address; a person's pin can write over it",
                value.escape_debug()
            ),
            Self::Address(value) if value.contains(char::is_whitespace) => format!(
                "holds `{}`, an address with blanks in it or none; a person's pin can write over it",
                value.escape_debug()
            ),
            Self::Address(value) => format!(
                "holds `{}`, which is no site's address; a person's pin can take it back",
                value.escape_debug()
            ),
        }
    }
}

type Named<'a> = (Option<RecordName>, &'a RecordSet);

/// The site that a record points at and its time to live, or what is foreign about it.
fn judge(
    topology: &Topology,
    record: &Record,
    sets: &[Named<'_>],
) -> Result<(SiteId, u32), (Foreign, Option<u32>)> {
    let mut own = sets.iter().filter(|(name, set)| {
        name.as_ref() == Some(&record.name) && set.kind == record.kind.word()
    });
    let Some((_, set)) = own.next() else {
        return Err((Foreign::Missing, None));
    };
    if let Some(id) = &set.set_identifier {
        return Err((Foreign::SetIdentifier(id.clone()), set.ttl));
    }
    if own.next().is_some() {
        return Err((Foreign::SetIdentifier(String::new()), set.ttl));
    }
    if let Some(target) = &set.alias {
        return Err((Foreign::Alias(target.clone()), set.ttl));
    }
    let [value] = set.values.as_slice() else {
        return Err((Foreign::Values(set.values.clone()), set.ttl));
    };
    let Some(ttl) = set.ttl else {
        return Err((Foreign::NoTtl, None));
    };
    let site = IpAddr::from_str(value).ok().and_then(|address| {
        let own = |id: &SiteId| topology.address(*id, record.kind) == Some(address);
        topology.ids().find(own)
    });
    site.map(|site| (site, ttl))
        .ok_or_else(|| (Foreign::Address(value.clone()), Some(ttl)))
}

/// Address records beside the switched ones, of a type that is not switched: they stay where they are when the others
/// move.
#[must_use]
pub fn left_behind(topology: &Topology, sets: &[RecordSet]) -> Vec<(RecordName, String)> {
    let mut found = Vec::new();
    for set in sets
        .iter()
        .filter(|set| matches!(set.kind.as_str(), "A" | "AAAA"))
    {
        let Ok(name) = RecordName::parse(&set.name) else {
            continue;
        };
        let ours = |record: &Record| record.name == name;
        let switched = |record: &Record| ours(record) && record.kind.word() == set.kind;
        let records = topology.records();
        if records.iter().any(ours) && !records.iter().any(switched) {
            found.push((name, set.kind.clone()));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::failover::{Batch, FailbackRules, Limits, ProbeRules, SiteDraft, TopologyDraft};
    use crate::model::dns::RecordType;

    fn topology() -> Option<Topology> {
        let name = |text: &str| RecordName::parse(text).ok();
        let site = |site: &str, last: u8| SiteDraft {
            name: site.to_owned(),
            addresses: vec![IpAddr::from([203, 0, 113, last])],
            hosts: name("example.com").into_iter().collect(),
        };
        Topology::new(TopologyDraft {
            sites: vec![site("edge", 10), site("hub", 20)],
            names: vec![name("example.com")?, name("*.example.com")?],
            types: vec![RecordType::A],
            probe: ProbeRules::default(),
            failback: FailbackRules::default(),
            site_identity: false,
            control: None,
            pin_variable: "PIN_SITE".to_owned(),
            limits: Limits::default(),
        })
        .ok()
    }

    fn set(name: &str, value: &str, ttl: u32) -> RecordSet {
        RecordSet {
            name: name.to_owned(),
            kind: "A".to_owned(),
            ttl: Some(ttl),
            values: vec![value.to_owned()],
            alias: None,
            set_identifier: None,
        }
    }

    #[test]
    fn a_value_that_only_looks_empty_or_right_is_told_as_it_is() {
        let says = |value: &str| Foreign::Address(value.to_owned()).describe();
        assert!(says("").contains("an empty value, ``"));
        assert!(says(" ").contains("an empty value, ` `"));
        assert!(says("198.51.100.10 ").contains("`198.51.100.10 `, an address with blanks"));
        assert!(says("192.0.2.1").contains("no site's address"));
    }

    #[test]
    fn every_record_is_judged_and_the_worst_is_told() {
        let topology = topology().unwrap();
        let apex = |value| set("example.com.", value, 300);
        let star = |value| set("\\052.example.com.", value, 60);
        let (edge, hub) = ("203.0.113.10", "203.0.113.20");
        let place = |sets: &[RecordSet]| Standing::of(&topology, sets).place;
        assert_eq!(place(&[apex(edge), star(edge)]), Place::At(SiteId(0)));
        assert_eq!(
            place(&[apex(hub), set("*.Example.com", hub, 1)]),
            Place::At(SiteId(1))
        );
        assert!(matches!(place(&[apex(edge), star(hub)]), Place::Half(_)));
        assert_eq!(place(&[apex(edge)]), Place::Foreign(1, Foreign::Missing));
        let mut alias = star(edge);
        alias.alias = Some("d1.example.net".to_owned());
        // What nobody may overwrite comes before what a pin may.
        let told = place(&[apex("192.0.2.66"), alias]);
        assert!(
            matches!(told, Place::Foreign(1, Foreign::Alias(_))),
            "{told:?}"
        );
        let told = place(&[apex("192.0.2.66"), star(edge)]);
        assert!(
            matches!(&told, Place::Foreign(0, foreign) if foreign.may_be_pinned()),
            "{told:?}"
        );
        let mut two = apex(edge);
        two.values.push("192.0.2.66".to_owned());
        assert!(matches!(
            place(&[two, star(edge)]),
            Place::Foreign(0, Foreign::Values(_))
        ));
    }

    #[test]
    fn a_batch_keeps_each_time_to_live_and_needs_them_all() {
        let topology = topology().unwrap();
        let sets = [
            set("example.com.", "203.0.113.10", 300),
            set("\\052.example.com.", "203.0.113.10", 60),
        ];
        let standing = Standing::of(&topology, &sets);
        let batch = Batch::toward(&topology, SiteId(1), &standing).unwrap();
        let changes = batch.changes(&topology);
        let told: Vec<(String, u32, String)> = changes
            .iter()
            .map(|change| {
                (
                    change.record.name.dns(),
                    change.ttl,
                    change.value.to_string(),
                )
            })
            .collect();
        let hub = "203.0.113.20".to_owned();
        assert_eq!(
            told,
            [
                ("example.com".to_owned(), 300, hub.clone()),
                ("*.example.com".to_owned(), 60, hub),
            ]
        );
        let missing = Standing::of(&topology, &sets[..1]);
        assert_eq!(Batch::toward(&topology, SiteId(1), &missing), None);
        assert_eq!(Batch::toward(&topology, SiteId(9), &standing), None);
    }

    #[test]
    fn addresses_of_another_type_are_left_behind() {
        let topology = topology().unwrap();
        let six = RecordSet {
            kind: "AAAA".to_owned(),
            ..set("example.com.", "2001:db8::10", 300)
        };
        let other = set("www.example.com.", "203.0.113.10", 300);
        let left = left_behind(&topology, &[six, other]);
        assert_eq!(left.len(), 1);
    }
}
