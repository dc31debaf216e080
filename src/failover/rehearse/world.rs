//! The zone and the services around a rehearsed run. Time is a number that the runs themselves move.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Serialize;

use crate::failover::{
    Answer, ChangeStatus, Fault, Happened, Moment, RecordSet, ServerAnswer, Topology, Upsert,
};
use crate::model::dns::RecordName;

use super::faults::{Effected, Faults, Progress};
use super::reply::Reply;
use super::scenario::{Scenario, rendered};

/// How long a change takes to all servers when nothing is wrong.
const PROPAGATION: Duration = Duration::from_secs(30);

/// Authoritative servers of a zone.
pub(super) const SERVERS: u64 = 4;

/// One change of a batch as the Route 53 API has it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Change {
    action: &'static str,
    name: String,
    #[serde(rename = "type")]
    kind: &'static str,
    ttl: u32,
    values: Vec<String>,
}

impl Change {
    /// The changes of a batch.
    #[must_use]
    pub fn of(batch: &[Upsert<'_>]) -> Vec<Self> {
        let change = batch.iter().map(|upsert| Self {
            action: "UPSERT",
            name: upsert.record.name.dns(),
            kind: upsert.record.kind.word(),
            ttl: upsert.ttl,
            values: vec![upsert.value.to_string()],
        });
        change.collect()
    }
}

/// When faults that last for a time begin: a scenario means the first write, or the start if nothing is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Anchor {
    /// The first write.
    FirstWrite,
    /// The start.
    Start,
}

/// The world of one scenario.
#[derive(Debug, Clone)]
pub struct World<'a> {
    pub(super) scenario: &'a Scenario,
    pub(super) topology: &'a Topology,
    pub(super) zone: Vec<RecordSet>,
    before: Option<Vec<RecordSet>>,
    changed: bool,
    faults: Faults,
    anchor: Anchor,
    pub(super) first_write: Option<Moment>,
    accepted: Option<Moment>,
    in_sync: bool,
    /// Every distinct batch that was sent.
    pub(super) batches: Vec<Vec<Change>>,
}

impl<'a> World<'a> {
    /// The world as a run finds it.
    #[must_use]
    pub fn new(
        scenario: &'a Scenario,
        topology: &'a Topology,
        zone: Vec<RecordSet>,
        anchor: Anchor,
    ) -> Self {
        Self {
            scenario,
            topology,
            zone,
            before: None,
            changed: false,
            faults: Faults::new(&scenario.faults),
            anchor,
            first_write: None,
            accepted: None,
            in_sync: false,
            batches: Vec::new(),
        }
    }

    /// What the zone holds.
    #[must_use]
    pub fn zone(&self) -> &[RecordSet] {
        &self.zone
    }

    /// Every distinct batch that was sent or tried.
    #[must_use]
    pub fn batches(&self) -> &[Vec<Change>] {
        &self.batches
    }

    fn hit(&mut self, op: &str, now: Moment) -> Option<Effected> {
        let progress = self.progress(now);
        self.faults.on(op, progress)
    }

    fn progress(&self, now: Moment) -> Progress {
        Progress {
            now,
            since: match self.anchor {
                Anchor::FirstWrite => self.first_write,
                Anchor::Start => Some(Moment::default()),
            },
            in_sync: self.in_sync,
        }
    }

    /// A call that has no answer but that it went well.
    pub fn plain(&mut self, op: &str, now: Moment, well: Happened) -> Happened {
        match self.hit(op, now) {
            Some(Effected::Fails(fault)) => Happened::Failed(fault),
            Some(Effected::Lost { .. }) => lost(),
            Some(Effected::Pending | Effected::Old) | None => well,
        }
    }

    /// The list. The `second` read finds what somebody wrote meanwhile.
    pub fn list(&mut self, now: Moment, second: bool) -> Happened {
        if second && !self.changed && self.first_write.is_none() {
            self.changed = true;
            if let Some(zone) = &self.scenario.before_write {
                self.zone.clone_from(zone);
            }
        }
        let sets = match self.hit("ListResourceRecordSets", now) {
            Some(Effected::Fails(fault)) => return Happened::Failed(fault),
            Some(Effected::Lost { .. }) => return lost(),
            Some(Effected::Old) => self.before.as_ref().unwrap_or(&self.zone),
            Some(Effected::Pending) | None => &self.zone,
        };
        Happened::Records(sets.clone())
    }

    /// The write.
    pub fn write(&mut self, now: Moment, batch: &[Upsert<'_>]) -> Happened {
        let changes = Change::of(batch);
        if !self.batches.contains(&changes) {
            self.batches.push(changes.clone());
        }
        self.first_write.get_or_insert(now);
        match self.hit("ChangeResourceRecordSets", now) {
            Some(Effected::Fails(fault)) => Happened::Failed(fault),
            Some(Effected::Lost { applied }) => {
                if applied {
                    self.apply(now, &changes);
                }
                lost()
            }
            Some(Effected::Pending | Effected::Old) | None => {
                self.apply(now, &changes);
                Happened::Accepted("C0123456789EXAMPLE".to_owned())
            }
        }
    }

    fn apply(&mut self, now: Moment, changes: &[Change]) {
        self.before.get_or_insert_with(|| self.zone.clone());
        self.accepted.get_or_insert(now);
        for change in changes {
            let name = RecordName::parse(&change.name).ok();
            let same = |set: &&mut RecordSet| {
                set.kind == change.kind && RecordName::parse(&set.name).ok() == name
            };
            let star = self.scenario.star;
            let fresh = RecordSet {
                name: name
                    .as_ref()
                    .map_or_else(String::new, |name| rendered(name, star)),
                kind: change.kind.to_owned(),
                ttl: Some(change.ttl),
                values: change.values.clone(),
                alias: None,
                set_identifier: None,
            };
            match self.zone.iter_mut().find(same) {
                Some(set) => *set = fresh,
                None => self.zone.push(fresh),
            }
        }
    }

    fn propagated(&self, now: Moment) -> bool {
        self.accepted
            .is_none_or(|accepted| now >= accepted.after(PROPAGATION))
    }

    /// How far the change is.
    pub fn change(&mut self, now: Moment) -> Happened {
        match self.hit("GetChange", now) {
            Some(Effected::Fails(fault)) => Happened::Failed(fault),
            Some(Effected::Lost { .. }) => lost(),
            Some(Effected::Pending) => Happened::Change(ChangeStatus::Pending),
            Some(Effected::Old) | None if self.propagated(now) => {
                self.in_sync = true;
                Happened::Change(ChangeStatus::InSync)
            }
            Some(Effected::Old) | None => Happened::Change(ChangeStatus::Pending),
        }
    }

    /// What the authoritative servers answer.
    pub fn servers(&mut self, now: Moment) -> Happened {
        let progress = self.progress(now);
        let mut answers = Vec::new();
        for server in 1..=SERVERS {
            let hit = self
                .faults
                .on_server("authoritative_dns", Some(server), progress);
            let old = !self.propagated(now);
            let zone = match hit {
                Some(Effected::Fails(_) | Effected::Lost { .. }) => None,
                Some(Effected::Old | Effected::Pending) => Some(true),
                None => Some(old),
            };
            let sets = zone.map(|old| match &self.before {
                Some(before) if old => before,
                _ => &self.zone,
            });
            answers.push(ServerAnswer {
                server: format!("ns-{server}.example.net"),
                values: sets.map(|sets| self.values(sets)),
            });
        }
        Happened::Servers(answers)
    }

    fn values(&self, sets: &[RecordSet]) -> Vec<Vec<String>> {
        let records = self.topology.records().iter();
        let values = records.map(|record| {
            let same = |set: &&RecordSet| {
                set.kind == record.kind.word()
                    && RecordName::parse(&set.name).is_ok_and(|name| name == record.name)
            };
            sets.iter()
                .find(same)
                .map_or_else(Vec::new, |set| set.values.clone())
        });
        values.collect()
    }
}

fn lost() -> Happened {
    Happened::Failed(Fault::lost(
        "the connection broke after the request was sent",
    ))
}

/// The answers that one run has got so far; each list goes on where the last request left it, and its last value repeats.
#[derive(Debug, Clone, Default)]
pub struct Asked {
    counts: BTreeMap<String, usize>,
}

impl Asked {
    /// The next reply to the usual probe of `site`; of the control target for an empty name.
    pub fn next(&mut self, scenario: &Scenario, site: &str) -> Reply {
        let list = if site.is_empty() {
            Some(&scenario.control)
        } else {
            scenario.probes.get(site)
        };
        let count = self.counts.entry(site.to_owned()).or_default();
        let reply = list.and_then(|list| list.get(*count).or(list.last()));
        *count += 1;
        reply.cloned().unwrap_or(Reply::Answer(Answer::status(200)))
    }
}
