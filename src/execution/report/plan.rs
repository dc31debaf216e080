//! What a run would do now: what the records hold, what each site answers, the decision, the change, what visitors miss and
//! how long it takes.

use std::io::{self, Write};
use std::net::IpAddr;

use serde_json::{Value, json};

use crate::failover::journal::Entry;
use crate::failover::{Answer, Ask, Effect, Event, Happened, Outcome, Record, RecordSet, Topology};
use crate::model::dns::RecordName;
use crate::model::spec::Spec;
use crate::text::command::one_line;

use super::json::value;
use super::{RunReport, human};

/// What a run would do now, from one that stopped before its write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanReport {
    run: RunReport,
    /// The pin's variable and what it holds.
    pin: Option<(String, Option<String>)>,
    records: Vec<RecordRow>,
    probes: Vec<ProbeRow>,
    /// Milliseconds that Route 53 may take to bring a change to all its servers, before the run gives up on it.
    sync_most: u128,
    /// Seconds that resolvers may keep the old answer.
    caches_most: Option<u32>,
}

/// A record as it was last read.
#[derive(Debug, Clone, PartialEq, Eq)]
struct RecordRow {
    name: String,
    kind: &'static str,
    ttl: Option<u32>,
    values: Vec<String>,
    /// The site that it points at, or what else it does.
    at: Result<String, String>,
}

/// What one host answered at one address, each time it was asked.
#[derive(Debug, Clone, PartialEq, Eq)]
struct ProbeRow {
    site: String,
    host: String,
    address: Option<IpAddr>,
    answers: Vec<String>,
}

impl PlanReport {
    /// What a dry run came to.
    #[must_use]
    pub fn of(spec: &Spec, topology: &Topology, story: &[Entry], outcome: &Outcome) -> Self {
        let records = records(topology, story);
        Self {
            run: RunReport::of(spec, topology, story, outcome),
            pin: Some((topology.pin_variable().to_owned(), pin(story))),
            caches_most: records.iter().filter_map(|record| record.ttl).max(),
            records,
            probes: probes(topology, story),
            sync_most: topology.limits().sync.as_millis(),
        }
    }

    /// The plan of a spec that is wrong.
    #[must_use]
    pub fn unconfigured(run: RunReport) -> Self {
        Self {
            run,
            pin: None,
            records: Vec::new(),
            probes: Vec::new(),
            sync_most: 0,
            caches_most: None,
        }
    }

    /// The same, with what the sites answered where the run did not come to ask them.
    #[must_use]
    pub fn seeing(mut self, topology: &Topology, seen: &[(Ask, Vec<Answer>)]) -> Self {
        for (ask, answers) in seen {
            for (request, answer) in ask.requests(topology).iter().zip(answers) {
                let asked = (request.host.dns(), request.address);
                add(topology, &mut self.probes, asked, answer);
            }
        }
        self
    }

    /// Writes the plan as one JSON object: that of a run, whose `status` it has, with `"pin"`, `"records":[{"name","type","ttl","values","site","fault"}]`,
    /// `"probes":[{"site","host","address","answers"}]` and `"takes":{"until_write_ms","sync_most_ms","caches_most_s"}`.
    ///
    /// # Errors
    /// When `out` cannot be written to.
    pub fn json(&self, out: &mut dyn Write) -> io::Result<()> {
        let records = self.records.iter().map(|record| {
            json!({
                "name": record.name,
                "type": record.kind,
                "ttl": record.ttl,
                "values": record.values,
                "site": record.at.as_ref().ok(),
                "fault": record.at.as_ref().err(),
            })
        });
        let probes = self.probes.iter().map(|probe| {
            json!({
                "site": probe.site,
                "host": probe.host,
                "address": probe.address,
                "answers": probe.answers,
            })
        });
        let mut plan = value(&self.run);
        if let Value::Object(plan) = &mut plan {
            let pin = self.pin.as_ref().and_then(|(_, pin)| pin.as_ref());
            plan.insert("pin".to_owned(), json!(pin));
            plan.insert("records".to_owned(), records.collect());
            plan.insert("probes".to_owned(), probes.collect());
            plan.insert("takes".to_owned(), self.takes());
        }
        writeln!(out, "{plan:#}")
    }

    fn takes(&self) -> Value {
        let moves = self.run.batch.is_some();
        json!({
            "until_write_ms": moves.then_some(self.run.phases.total),
            "sync_most_ms": moves.then_some(self.sync_most),
            "caches_most_s": self.caches_most.filter(|_| moves),
        })
    }

    /// Writes the plan for a person.
    ///
    /// # Errors
    /// When `out` cannot be written to.
    pub fn human(&self, out: &mut dyn Write) -> io::Result<()> {
        if let Some((variable, pin)) = &self.pin {
            let pin = pin.as_ref().map_or_else(
                || "is not set".to_owned(),
                |pin| format!("is `{}`", pin.escape_debug()),
            );
            writeln!(out, "{variable} {pin}")?;
        }
        for record in &self.records {
            let ttl = record
                .ttl
                .map_or_else(String::new, |ttl| format!(", {ttl} s"));
            let values = record.values.join(" ");
            let at = match &record.at {
                Ok(site) => format!("at {site}"),
                Err(odd) => odd.clone(),
            };
            writeln!(
                out,
                "record {} {}: {values}{ttl}, {at}",
                record.name, record.kind
            )?;
        }
        for probe in &self.probes {
            let address = probe
                .address
                .map_or_else(String::new, |address| format!(" ({address})"));
            let answers = in_runs(&probe.answers);
            writeln!(out, "{}{address}, {}: {answers}", probe.site, probe.host)?;
        }
        human(&self.run, out)?;
        let Some(batch) = &self.run.batch else {
            return writeln!(out, "no change would be sent");
        };
        writeln!(out, "the change that would be sent:\n{batch:#}")?;
        writeln!(
            out,
            "Route 53 may take {} s to bring it to its servers; resolvers keep the old answer for up to {} s more",
            self.sync_most / 1000,
            self.caches_most.unwrap_or_default()
        )
    }
}

/// `timeout (3 times), 200`.
fn in_runs(answers: &[String]) -> String {
    let mut runs: Vec<(&String, usize)> = Vec::new();
    for answer in answers {
        match runs.last_mut() {
            Some((last, times)) if *last == answer => *times += 1,
            _ => runs.push((answer, 1)),
        }
    }
    let told = runs.into_iter().map(|(answer, times)| match times {
        1 => answer.clone(),
        times => format!("{answer} ({times} times)"),
    });
    told.collect::<Vec<_>>().join(", ")
}

/// What the pin's variable held when the run began; empty is none.
fn pin(story: &[Entry]) -> Option<String> {
    let order = story.iter().find_map(|entry| match entry {
        Entry::Event(Event {
            what: Happened::Started(order),
            ..
        }) => Some(order),
        Entry::Event(_) | Entry::Effect(..) => None,
    })?;
    order.pin.clone().filter(|pin| !pin.is_empty())
}

fn records(topology: &Topology, story: &[Entry]) -> Vec<RecordRow> {
    let read = story.iter().rev().find_map(|entry| match entry {
        Entry::Event(Event {
            what: Happened::Records(sets),
            ..
        }) => Some(sets),
        Entry::Event(_) | Entry::Effect(..) => None,
    });
    let Some(sets) = read else {
        return Vec::new();
    };
    let row = |record: &Record| {
        let own: Vec<&RecordSet> = sets
            .iter()
            .filter(|set| {
                set.kind == record.kind.word()
                    && RecordName::parse(&set.name).is_ok_and(|name| name == record.name)
            })
            .collect();
        RecordRow {
            name: record.name.dns(),
            kind: record.kind.word(),
            ttl: own.first().and_then(|set| set.ttl),
            values: own
                .iter()
                .flat_map(|set| set.values.iter().map(|value| one_line(value)))
                .collect(),
            at: at(topology, &own),
        }
    };
    topology.records().iter().map(row).collect()
}

/// The site that a record points at, or why it points at none.
fn at(topology: &Topology, own: &[&RecordSet]) -> Result<String, String> {
    let [set] = own else {
        return Err(match own.len() {
            0 => "missing".to_owned(),
            several => format!("{several} sets"),
        });
    };
    if let Some(id) = &set.set_identifier {
        return Err(one_line(&format!("one of several sets, `{id}`")));
    }
    if let Some(target) = &set.alias {
        return Err(one_line(&format!("an alias of `{target}`")));
    }
    let [value] = set.values.as_slice() else {
        return Err(format!("{} values", set.values.len()));
    };
    let site = value.parse().ok();
    site.and_then(|address| topology.site_of(address))
        .map(|site| topology.name(site).to_owned())
        .ok_or_else(|| "no site's address".to_owned())
}

fn probes(topology: &Topology, story: &[Entry]) -> Vec<ProbeRow> {
    let mut rows: Vec<ProbeRow> = Vec::new();
    let mut asked = None;
    for entry in story {
        match entry {
            Entry::Effect(_, Effect::Ask(ask)) => asked = Some(ask),
            Entry::Event(Event {
                what: Happened::Answered(answers),
                ..
            }) => {
                let requests = asked.map(|ask| ask.requests(topology)).unwrap_or_default();
                for (request, answer) in requests.iter().zip(answers) {
                    let host = request.host.dns();
                    add(topology, &mut rows, (host, request.address), answer);
                }
            }
            Entry::Event(_) | Entry::Effect(..) => {}
        }
    }
    rows
}

fn add(
    topology: &Topology,
    rows: &mut Vec<ProbeRow>,
    (host, address): (String, Option<IpAddr>),
    answer: &Answer,
) {
    let answer = answer.describe();
    let same = |row: &&mut ProbeRow| row.host == host && row.address == address;
    if let Some(row) = rows.iter_mut().find(same) {
        row.answers.push(answer);
        return;
    }
    let site = address.and_then(|address| topology.site_of(address));
    rows.push(ProbeRow {
        site: site
            .map_or("control", |site| topology.name(site))
            .to_owned(),
        host,
        address,
        answers: vec![answer],
    });
}
