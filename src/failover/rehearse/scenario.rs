//! Files of decision scenarios, read into what a rehearsal needs.

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;
use std::str::FromStr as _;

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::failover::{
    FailbackRules, Limits, Order, ProbeRules, RecordSet, SiteDraft, Topology, TopologyDraft,
};
use crate::model::dns::{RecordName, RecordType};

use super::faults::ApiFault;
use super::raw::{Given, RawExtra, RawFile, RawRow, RawZone};
use super::reply::{Reply, replies, reply};
use super::strange;
use super::twice::Twice;

/// A file of scenarios.
#[derive(Debug, Clone)]
pub struct ScenarioFile {
    /// The rows that could be read, and for the others their id and why not.
    pub rows: Vec<Result<Scenario, (String, String)>>,
}

/// One scenario.
#[derive(Debug, Clone)]
pub struct Scenario {
    /// Its id.
    pub id: String,
    /// Its title; may be empty.
    pub title: String,
    /// The topology, or why its configuration is none.
    pub topology: Result<Topology, String>,
    /// What the run is started with.
    pub order: Order,
    /// The zone at the start.
    pub zone: Vec<RecordSet>,
    /// The zone from the second read on, if it changes there.
    pub before_write: Option<Vec<RecordSet>>,
    /// What the answers to each site's probe are, one after the other; the last one repeats.
    pub probes: BTreeMap<String, Vec<Reply>>,
    /// The same for the control target.
    pub control: Vec<Reply>,
    /// What each host answers at each site; others answer 200.
    pub hosts: BTreeMap<(String, RecordName), Reply>,
    /// Faults of the services.
    pub faults: Vec<ApiFault>,
    /// Seconds lost directly before the write.
    pub lost_seconds: u64,
    /// Whether names are listed with a star instead of `\052`.
    pub star: bool,
    /// Whether the process dies after its write was accepted.
    pub crashes: bool,
    /// The zone that the next run finds, if there is one, and what it must decide.
    pub next_run: Option<(Vec<RecordSet>, String)>,
    /// How many runs read the zone before any of them writes.
    pub parallel: usize,
    /// What must come out; absent in a file that only asks.
    pub expected: Option<Expected>,
    /// Places that mean nothing to a rehearsal and are not known as colour either.
    pub unknown: Vec<String>,
}

/// What must come out.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(expecting = "an object with `decision`, `batches`, `status` and `notify`")]
pub struct Expected {
    /// The decision.
    pub decision: String,
    /// Every distinct batch sent or tried.
    pub batches: Vec<Value>,
    /// The exit status.
    pub status: u8,
    /// The same in a word, `zero` or `nonzero`, where the row has it.
    #[serde(default)]
    pub exit: Option<String>,
    /// Whether a person is notified.
    pub notify: bool,
    /// Seconds that must lie between the first and the last probe of the row.
    #[serde(default)]
    pub min_span_s: u64,
}

/// Keys of `given` that must not influence a decision.
const COLOUR: [&str; 7] = [
    "trigger",
    "resolver_says",
    "zone_records",
    "queued_runs",
    "clock_jump_s",
    "note",
    "comment",
];

/// What may stand before a text in UTF-8 (RFC 8259, section 8.1: a reader may pass over it).
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Reads a file of scenarios.
///
/// # Errors
/// Why it is none. A row that cannot be read is told in its place.
pub fn read(bytes: &[u8]) -> Result<ScenarioFile, String> {
    let bytes = bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes);
    let twice = Twice::of(bytes)?;
    let raw = RawFile::read(bytes)?;
    let zone = RecordName::parse(&raw.zone).map_err(|error| error.to_string())?;
    let records = raw
        .records
        .iter()
        .map(|text| record(text))
        .collect::<Result<Vec<_>, _>>()?;
    if let Some((name, _)) = records.iter().find(|(name, _)| !name.is_within(&zone)) {
        return Err(format!("record `{name}` lies outside the zone `{zone}`"));
    }
    let file = Common {
        sites: raw.sites,
        zone,
        records,
    };
    let mut seen = BTreeSet::new();
    let rows = raw.scenarios.into_iter().enumerate().map(|(index, row)| {
        let id = row.get("id").and_then(Value::as_str);
        let id = id.map_or_else(|| format!("row {}", index + 1), str::to_owned);
        let mut strange = strange::keys(&row);
        strange.extend(twice.in_row(index));
        if !seen.insert(id.clone()) {
            strange.push(format!("id = {id:?}, which another row has"));
        }
        let scenario = RawRow::read(row).and_then(|row| file.scenario(row));
        let whole = scenario.map(|mut scenario| {
            scenario.unknown.extend(strange);
            scenario
        });
        whole.map_err(|reason| (id, reason))
    });
    Ok(ScenarioFile {
        rows: rows.collect(),
    })
}

fn record(text: &str) -> Result<(RecordName, RecordType), String> {
    let (name, kind) = text
        .split_once(' ')
        .ok_or_else(|| format!("record `{text}` is not written as `NAME TYPE`"))?;
    let name = RecordName::parse(name).map_err(|error| error.to_string())?;
    match kind.trim() {
        "A" => Ok((name, RecordType::A)),
        "AAAA" => Ok((name, RecordType::Aaaa)),
        other => Err(format!(
            "record type `{other}` holds no address; `A` and `AAAA` do"
        )),
    }
}

/// What all rows of a file have in common.
struct Common {
    sites: Map<String, Value>,
    zone: RecordName,
    records: Vec<(RecordName, RecordType)>,
}

impl Common {
    fn scenario(&self, row: RawRow) -> Result<Scenario, String> {
        let given = row.given;
        let star = given.list_rendering.as_deref() == Some("star");
        let extra = given.extra_records.iter().map(|set| self.extra(set, star));
        let extra = extra.collect::<Result<Vec<_>, _>>()?;
        let zone = |raw: &RawZone| {
            let mut sets = self.zone_of(raw, star);
            sets.extend(extra.iter().cloned());
            sets
        };
        let flag = |key: &str| given.config.get(key).and_then(Value::as_bool) == Some(true);
        let mut hosts = BTreeMap::new();
        for (site, table) in &given.hosts {
            for (label, value) in table {
                let answer =
                    reply(value).map_err(|why| format!("`given.hosts.{site}.{label}`: {why}"))?;
                hosts.insert((site.clone(), self.host(label)?), answer);
            }
        }
        Ok(Scenario {
            id: row.id,
            title: row.title,
            topology: self.topology(&given),
            order: Order {
                pin: given.pin.clone(),
                dry_run: flag("dry_run"),
                jitter: 1,
            },
            zone: zone(&given.dns_now),
            before_write: given.dns_before_write.as_ref().map(&zone),
            probes: self.probes(&given)?,
            control: replies(&given.control_probe)
                .map_err(|why| format!("`given.control_probe`: {why}"))?,
            hosts,
            lost_seconds: whole_seconds(given.decision_age_s),
            star,
            crashes: crash(given.crash_at.as_deref())?,
            next_run: given
                .next_run
                .as_ref()
                .map(|next| (zone(&next.dns_now), next.decision.clone())),
            parallel: given.parallel_runs.unwrap_or(1).clamp(1, 16),
            expected: row.expect,
            unknown: self.unknown(&given),
            faults: given.api_faults,
        })
    }

    /// What each site answers, by its list.
    fn probes(&self, given: &Given) -> Result<BTreeMap<String, Vec<Reply>>, String> {
        let of_site = |site: &String| {
            let key = probe_key(site);
            let list = match given.rest.get(&key) {
                None => &[][..],
                Some(Value::Array(list)) => list.as_slice(),
                Some(other) => {
                    return Err(format!("`given.{key}`: `{other}` is no list of answers"));
                }
            };
            let list = replies(list).map_err(|why| format!("`given.{key}`: {why}"))?;
            Ok((site.clone(), list))
        };
        self.sites.keys().map(of_site).collect()
    }

    /// Keys of `given` that mean nothing here.
    fn unknown(&self, given: &Given) -> Vec<String> {
        let known = |key: &&String| {
            COLOUR.contains(&key.as_str()) || self.sites.keys().any(|site| probe_key(site) == **key)
        };
        let keys = given.rest.keys().filter(|key| !known(key)).cloned();
        let extra = given.extra_records.iter().map(|set| &set.name);
        let outside = extra
            .filter(|name| RecordName::parse(name).is_ok_and(|name| !name.is_within(&self.zone)));
        let outside = outside.map(|name| format!("given.extra_records: {name:?} outside the zone"));
        let hosts = given.hosts.keys();
        let strangers = hosts.filter(|site| !self.sites.contains_key(*site));
        let strangers = strangers.map(|site| format!("given.hosts.{site}"));
        keys.chain(self.unknown_config(given))
            .chain(strangers)
            .chain(outside)
            .collect()
    }

    /// Keys of `config` that mean nothing here.
    fn unknown_config(&self, given: &Given) -> Vec<String> {
        let known = |key: &String| {
            ["dry_run", "site_identity", "unexpected_input"].contains(&key.as_str())
                || self.sites.keys().any(|site| format!("{site}_ip") == *key)
        };
        let no_flag = |(key, value): (&String, &Value)| {
            let flag = ["dry_run", "site_identity"].contains(&key.as_str());
            let strange = !known(key) || flag && !value.is_boolean();
            strange.then(|| format!("config.{key}"))
        };
        given.config.iter().filter_map(no_flag).collect()
    }

    fn topology(&self, given: &Given) -> Result<Topology, String> {
        let mut sites = Vec::new();
        for (name, written) in &self.sites {
            let written = given.config.get(&format!("{name}_ip")).unwrap_or(written);
            let all = written
                .as_array()
                .map_or_else(|| std::slice::from_ref(written), Vec::as_slice);
            let address = |value: &Value| {
                let text = text(value);
                IpAddr::from_str(&text).map_err(|_wrong| {
                    format!("`{text}`, the address of site `{name}`, is no IP address")
                })
            };
            let hosts = match given.hosts.get(name) {
                None => vec![self.zone.clone(), self.host("www")?],
                Some(table) if table.is_empty() => Vec::new(),
                Some(table) => {
                    let others = table.keys().map(|label| self.host(label));
                    std::iter::once(Ok(self.zone.clone()))
                        .chain(others)
                        .collect::<Result<_, _>>()?
                }
            };
            sites.push(SiteDraft {
                name: name.clone(),
                addresses: all.iter().map(address).collect::<Result<_, _>>()?,
                hosts,
            });
        }
        let mut names: Vec<RecordName> = Vec::new();
        let mut types: Vec<RecordType> = Vec::new();
        for (name, kind) in &self.records {
            if !names.contains(name) {
                names.push(name.clone());
            }
            if !types.contains(kind) {
                types.push(*kind);
            }
        }
        let identity = given.config.get("site_identity").and_then(Value::as_bool);
        let control = (!given.control_probe.is_empty())
            .then(|| self.host("control"))
            .transpose()?;
        Topology::new(TopologyDraft {
            sites,
            names,
            types,
            probe: ProbeRules::default(),
            failback: FailbackRules::default(),
            site_identity: identity == Some(true),
            control,
            pin_variable: "PIN_SITE".to_owned(),
            limits: Limits::default(),
        })
        .map_err(|fault| fault.to_string())
    }

    /// A host by its label in the zone; `@` is the zone itself.
    fn host(&self, label: &str) -> Result<RecordName, String> {
        match label {
            "" | "@" => Ok(self.zone.clone()),
            label => self.zone.child(label).map_err(|error| error.to_string()),
        }
    }

    /// The record sets that `apex` and `wildcard` stand for.
    fn zone_of(&self, raw: &RawZone, star: bool) -> Vec<RecordSet> {
        let records = self.records.iter().filter_map(|(name, kind)| {
            let key = if name.is_wildcard() {
                "wildcard"
            } else {
                "apex"
            };
            let set = raw.get(key)?.as_ref()?;
            // In a file that switches both types, each takes the addresses of its own form.
            let both = self.records.iter().any(|(_, other)| other != kind);
            let fits =
                |value: &&String| !both || value.contains(':') == (*kind == RecordType::Aaaa);
            Some(RecordSet {
                name: rendered(name, star),
                kind: kind.word().to_owned(),
                ttl: set.ttl,
                values: set.values.iter().filter(fits).cloned().collect(),
                alias: set.alias.as_ref().map(text),
                set_identifier: set.set_identifier.as_ref().map(text),
            })
        });
        records.collect()
    }

    fn extra(&self, set: &RawExtra, star: bool) -> Result<RecordSet, String> {
        let name = RecordName::parse(&set.name).map_err(|error| error.to_string())?;
        Ok(RecordSet {
            name: rendered(&name, star),
            kind: set.kind.clone(),
            ttl: set.ttl,
            values: set.values.clone(),
            alias: set.alias.as_ref().map(text),
            set_identifier: set.set_identifier.as_ref().map(text),
        })
    }
}

/// The key under which the answers of a site stand.
fn probe_key(site: &str) -> String {
    format!("{site}_probe")
}

/// A name as the list answers it.
pub(super) fn rendered(name: &RecordName, star: bool) -> String {
    if star {
        name.dns() + "."
    } else {
        name.route53()
    }
}

fn text(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

fn crash(at: Option<&str>) -> Result<bool, String> {
    match at {
        None => Ok(false),
        Some("after_write") => Ok(true),
        Some(other) => Err(format!("`crash_at` is `{other}`; `after_write` is known")),
    }
}

fn whole_seconds(seconds: f64) -> u64 {
    std::time::Duration::try_from_secs_f64(seconds).map_or(0, |duration| duration.as_secs())
}
