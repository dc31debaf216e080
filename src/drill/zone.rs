//! A hosted zone as Route 53 keeps one: record sets in the order of their names, batches that are applied whole or not at
//! all, lists in pages.
//!
//! Source: Route 53 API reference, `ChangeResourceRecordSets` and `ListResourceRecordSets`. What is absent: routing
//! policies (sets of one name and type with several identifiers are kept, not checked against each other), the rules for
//! CNAME, and every type's own grammar but those of addresses.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::dns::RecordName;

use super::batch;
use super::refusal::Refusal;

/// The most sets of a page, and what is answered when nothing is said.
pub const PAGE: usize = 300;

/// What sorts the sets of a zone, and tells one from another.
type Key = (Vec<u8>, String, Option<String>);

/// A record set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Set {
    /// Its name.
    pub name: RecordName,
    /// Its type, in upper case.
    pub kind: String,
    /// The identifier of a routed set.
    pub identifier: Option<String>,
    /// Its time to live in seconds; an alias has none.
    pub ttl: Option<u32>,
    /// Its values.
    pub values: Vec<String>,
    /// What it is an alias of.
    pub alias: Option<Alias>,
}

/// The target of an alias.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Alias {
    /// The zone that the target is in.
    pub zone: String,
    /// The target's name, as written.
    pub name: String,
}

impl Set {
    /// A plain set with one value.
    #[must_use]
    pub fn new(name: RecordName, kind: &str, ttl: u32, value: &str) -> Self {
        Self {
            name,
            kind: kind.to_owned(),
            identifier: None,
            ttl: Some(ttl),
            values: vec![value.to_owned()],
            alias: None,
        }
    }

    pub(super) fn key(&self) -> Key {
        let order = self.name.listing_order();
        (order, self.kind.clone(), self.identifier.clone())
    }
}

/// What is done to a set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Action {
    /// It must not exist.
    Create,
    /// It must exist, with exactly these values.
    Delete,
    /// It may exist.
    Upsert,
}

impl Action {
    /// All of them with their words.
    pub const WORDS: [(Self, &'static str); 3] = [
        (Self::Create, "CREATE"),
        (Self::Delete, "DELETE"),
        (Self::Upsert, "UPSERT"),
    ];

    /// Its word.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Create => "CREATE",
            Self::Delete => "DELETE",
            Self::Upsert => "UPSERT",
        }
    }
}

/// One change of a batch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// What is done.
    pub action: Action,
    /// To which set, with which values.
    pub set: Set,
}

/// Where a list begins.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Start {
    /// At this name, or after it.
    pub name: Option<RecordName>,
    /// At this type of that name; never without the name.
    pub kind: Option<String>,
    /// At this identifier of that type; never without the type.
    pub identifier: Option<String>,
}

/// A page of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page<'a> {
    /// Its sets.
    pub sets: Vec<&'a Set>,
    /// The first set of the next page.
    pub next: Option<&'a Set>,
}

/// A hosted zone.
#[derive(Debug, Clone)]
pub struct HostedZone {
    id: String,
    name: RecordName,
    sets: BTreeMap<Key, Set>,
    /// Names and types whose changes are refused: `ListResourceRecordSetProtections`.
    protected: BTreeSet<(RecordName, String)>,
}

impl HostedZone {
    /// A zone as it is when it has just been created: with its NS and SOA records.
    #[must_use]
    pub fn new(id: &str, name: RecordName, servers: &[&str]) -> Self {
        let first = servers.first().copied().unwrap_or("ns-1.example.net.");
        let soa = format!("{first} hostmaster.example.net. 1 7200 900 1209600 86400");
        let mut ns = Set::new(name.clone(), "NS", 172_800, first);
        ns.values = servers.iter().map(|&server| server.to_owned()).collect();
        let mut zone = Self {
            id: id.to_owned(),
            name: name.clone(),
            sets: BTreeMap::new(),
            protected: BTreeSet::new(),
        };
        zone.put(ns);
        zone.put(Set::new(name, "SOA", 900, &soa));
        zone
    }

    /// Its id, without `/hostedzone/`.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &RecordName {
        &self.name
    }

    /// Puts a set in place, whatever was there: as a person does it in the console.
    pub fn put(&mut self, set: Set) {
        self.sets.insert(set.key(), set);
    }

    /// Takes the sets of this name and type away.
    pub fn take(&mut self, name: &RecordName, kind: &str) {
        self.sets
            .retain(|_, set| set.name != *name || set.kind != kind);
    }

    /// Protects the sets of this name and type from changes.
    pub fn protect(&mut self, name: RecordName, kind: &str) {
        self.protected.insert((name, kind.to_owned()));
    }

    /// The sets of this name and type.
    #[must_use]
    pub fn sets(&self, name: &RecordName, kind: &str) -> Vec<&Set> {
        let own = |set: &&Set| set.name == *name && set.kind == kind;
        self.sets.values().filter(own).collect()
    }

    pub(super) fn is_protected(&self, set: &Set) -> bool {
        self.protected
            .contains(&(set.name.clone(), set.kind.clone()))
    }

    /// Applies a batch, whole or not at all.
    ///
    /// # Errors
    /// What Route 53 would refuse it for; the zone is as before then.
    pub fn apply(&mut self, edits: &[Edit]) -> Result<(), Refusal> {
        batch::check(self, edits)?;
        let mut sets = self.sets.clone();
        let mut faults = Vec::new();
        for edit in edits {
            faults.extend(apply_one(&mut sets, edit).err());
        }
        if !faults.is_empty() {
            return Err(Refusal::batch(&faults));
        }
        self.sets = sets;
        Ok(())
    }

    /// A page of at most `most` sets, in the order of their names.
    ///
    /// # Errors
    /// For a start that is none.
    pub fn list(&self, start: &Start, most: usize) -> Result<Page<'_>, Refusal> {
        let needs = match start {
            Start {
                name: None,
                kind: Some(_),
                ..
            } => Some("a type without a name"),
            Start {
                kind: None,
                identifier: Some(_),
                ..
            } => Some("an identifier without a type"),
            Start { .. } => None,
        };
        if let Some(what) = needs {
            return Err(Refusal::input(&format!("The input is not valid: {what}")));
        }
        let from = (
            start
                .name
                .as_ref()
                .map(RecordName::listing_order)
                .unwrap_or_default(),
            start.kind.clone().unwrap_or_default(),
            start.identifier.clone(),
        );
        let mut rest = self.sets.range(from..).map(|(_, set)| set);
        let sets = rest.by_ref().take(most.clamp(1, PAGE)).collect();
        Ok(Page {
            sets,
            next: rest.next(),
        })
    }
}

fn apply_one(sets: &mut BTreeMap<Key, Set>, edit: &Edit) -> Result<(), String> {
    let Edit { action, set } = edit;
    let key = set.key();
    let what = format!("[name='{}', type='{}']", set.name.route53(), set.kind);
    match (action, sets.get(&key)) {
        (Action::Create, Some(_)) => {
            return Err(format!(
                "Tried to create resource record set {what} but it already exists"
            ));
        }
        (Action::Delete, None) => {
            return Err(format!(
                "Tried to delete resource record set {what} but it was not found"
            ));
        }
        (Action::Delete, Some(old)) if !same(old, set) => {
            return Err(format!(
                "Tried to delete resource record set {what} but the values provided do not match the current values"
            ));
        }
        (Action::Delete, Some(_)) => sets.remove(&key),
        (Action::Create, None) | (Action::Upsert, _) => sets.insert(key, set.clone()),
    };
    Ok(())
}

/// Whether two sets hold the same; the order of values does not matter.
fn same(old: &Set, new: &Set) -> bool {
    let values = |set: &Set| set.values.iter().cloned().collect::<BTreeSet<String>>();
    old.ttl == new.ttl && old.alias == new.alias && values(old) == values(new)
}
