//! The records of a zone on loopback, shared by whoever writes them and the name servers that answer from them; a lookup
//! is that of RFC 1034, section 4.3.2, with the wildcards of RFC 4592.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::model::dns::RecordName;

/// A record set: time to live, values.
pub type Values = (u32, Vec<String>);

/// The record sets of a zone by name and type, at one moment.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Records {
    sets: BTreeMap<RecordName, BTreeMap<String, Values>>,
}

/// What a lookup finds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found<'a> {
    /// The record set asked for.
    Set(&'a Values),
    /// The name is another name for something else.
    Alias(&'a Values),
    /// The name has what this one has, as Route 53's alias sets do.
    SameAs(&'a Values),
    /// The name exists, without a record of that type.
    NoData,
    /// The name does not exist.
    NoName,
}

impl Records {
    /// Looks a name up in the zone; the zone's own name always exists.
    #[must_use]
    pub fn find(&self, zone: &RecordName, name: &RecordName, kind: &str) -> Found<'_> {
        let mut closest = name.clone();
        while !self.exists(zone, &closest) {
            let Some(parent) = closest.parent() else {
                return Found::NoName;
            };
            closest = parent;
        }
        let node = if closest == *name {
            self.sets.get(name)
        } else {
            let star = closest.child("*").ok();
            match star.and_then(|star| self.sets.get(&star)) {
                Some(node) => Some(node),
                None => return Found::NoName,
            }
        };
        let Some(node) = node else {
            return Found::NoData;
        };
        if let Some(target) = node.get(&same_as(kind)) {
            return Found::SameAs(target);
        }
        match (node.get(kind), node.get("CNAME")) {
            (Some(set), _) => Found::Set(set),
            (None, Some(alias)) => Found::Alias(alias),
            (None, None) => Found::NoData,
        }
    }

    /// Whether a name exists: it has records, or a name below it has.
    fn exists(&self, zone: &RecordName, name: &RecordName) -> bool {
        name == zone || self.sets.keys().any(|own| own.is_within(name))
    }
}

/// Under what an alias set of this type is kept: no type is called so.
fn same_as(kind: &str) -> String {
    format!("same as {kind}")
}

/// The records, written and read by several; clones share them.
#[derive(Debug, Clone, Default)]
pub struct SharedRecords {
    records: Arc<Mutex<Records>>,
}

impl SharedRecords {
    /// Several sets at once: a reader sees all of them or none.
    pub fn set_all(&self, sets: impl IntoIterator<Item = (RecordName, String, u32, Vec<String>)>) {
        let mut records = self.records.lock().unwrap_or_else(PoisonError::into_inner);
        for (name, kind, ttl, values) in sets {
            let node = records.sets.entry(name).or_default();
            node.insert(kind, (ttl, values));
        }
    }

    /// One set.
    pub fn set(&self, name: &RecordName, kind: &str, ttl: u32, values: &[&str]) {
        let values = values.iter().map(|value| (*value).to_owned()).collect();
        self.set_all([(name.clone(), kind.to_owned(), ttl, values)]);
    }

    /// One set that has the values of another name.
    pub fn alias(&self, name: &RecordName, kind: &str, ttl: u32, target: &RecordName) {
        self.set(name, &same_as(kind), ttl, &[&target.dns()]);
    }

    /// Takes a set away.
    pub fn remove(&self, name: &RecordName, kind: &str) {
        let mut records = self.records.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(node) = records.sets.get_mut(name) {
            node.remove(kind);
        }
        records.sets.retain(|_, node| !node.is_empty());
    }

    /// What they are now.
    #[must_use]
    pub fn now(&self) -> Records {
        self.records
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_example_of_rfc_4592_section_2_2_1() {
        let name = |text: &str| RecordName::parse(text).ok();
        let shared = SharedRecords::default();
        let written = [
            ("example", "NS"),
            ("*.example", "TXT"),
            ("*.example", "MX"),
            ("sub.*.example", "TXT"),
            ("host1.example", "A"),
            ("_ssh._tcp.host1.example", "SRV"),
            ("subdel.example", "NS"),
        ];
        for (owner, kind) in written {
            shared.set(&name(owner).unwrap(), kind, 3600, &[owner]);
        }
        let records = shared.now();
        let zone = name("example").unwrap();
        let find = |asked: &str, kind: &str| match records.find(&zone, &name(asked).unwrap(), kind)
        {
            Found::Set((_, values)) => values.join(","),
            Found::Alias(_) => "alias".to_owned(),
            Found::SameAs((_, target)) => format!("same as {}", target.join(",")),
            Found::NoData => "no data".to_owned(),
            Found::NoName => "no name".to_owned(),
        };
        // Synthesised from the wildcard.
        assert_eq!(find("host3.example", "MX"), "*.example");
        assert_eq!(find("host3.example", "A"), "no data");
        assert_eq!(find("foo.bar.example", "TXT"), "*.example");
        // Not synthesised: the name or a closer one exists.
        assert_eq!(find("host1.example", "MX"), "no data");
        assert_eq!(find("sub.*.example", "MX"), "no data");
        assert_eq!(find("_telnet._tcp.host1.example", "SRV"), "no name");
        assert_eq!(find("ghost.*.example", "MX"), "no name");
        // The wildcard is asked for by its own name; names between exist without records.
        assert_eq!(find("*.example", "TXT"), "*.example");
        assert_eq!(find("_tcp.host1.example", "TXT"), "no data");
        assert_eq!(find("elsewhere", "A"), "no name");
        // An alias set of Route 53 has the values of another name, for its own type alone.
        let (owner, target) = (
            name("same.example").unwrap(),
            name("host1.example").unwrap(),
        );
        shared.alias(&owner, "A", 300, &target);
        let aliased = shared.now();
        assert!(matches!(aliased.find(&zone, &owner, "A"), Found::SameAs(_)));
        assert_eq!(aliased.find(&zone, &owner, "AAAA"), Found::NoData);
        shared.remove(&name("_ssh._tcp.host1.example").unwrap(), "SRV");
        let fewer = shared.now();
        assert_eq!(
            fewer.find(&zone, &name("_tcp.host1.example").unwrap(), "TXT"),
            Found::NoName
        );
        assert!(matches!(
            fewer.find(&zone, &name("_tcp.host2.example").unwrap(), "TXT"),
            Found::Set(_)
        ));
    }
}
