//! The shapes of a file of scenarios, as its JSON has them: each key by itself, so that a value of another shape is told with
//! its place.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::faults::ApiFault;
use super::scenario::Expected;

/// What a whole file holds.
pub(super) struct RawFile {
    pub(super) sites: Map<String, Value>,
    pub(super) zone: String,
    pub(super) records: Vec<String>,
    pub(super) scenarios: Vec<Value>,
}

impl RawFile {
    pub(super) fn read(bytes: &[u8]) -> Result<Self, String> {
        let root: Value = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
        let mut keys = Keys::of("", root)?;
        let file = Self {
            sites: keys.needed("sites")?,
            zone: keys.or("zone", || "example.com".to_owned())?,
            records: keys.needed("records")?,
            scenarios: keys.needed("scenarios")?,
        };
        if file.scenarios.is_empty() {
            return Err("its list `scenarios` is empty".to_owned());
        }
        Ok(file)
    }
}

/// A row.
pub(super) struct RawRow {
    pub(super) id: String,
    pub(super) title: String,
    pub(super) given: Given,
    pub(super) expect: Option<Expected>,
}

impl RawRow {
    pub(super) fn read(row: Value) -> Result<Self, String> {
        let mut keys = Keys::of("", row)?;
        Ok(Self {
            id: keys.needed("id")?,
            title: keys.or("title", String::new)?,
            given: Given::read(keys.needed("given")?)?,
            expect: keys.or("expect", || None)?,
        })
    }
}

pub(super) struct Given {
    pub(super) dns_now: RawZone,
    pub(super) dns_before_write: Option<RawZone>,
    pub(super) extra_records: Vec<RawExtra>,
    pub(super) pin: Option<String>,
    pub(super) hosts: BTreeMap<String, BTreeMap<String, Value>>,
    pub(super) api_faults: Vec<ApiFault>,
    pub(super) decision_age_s: f64,
    pub(super) control_probe: Vec<Value>,
    pub(super) config: Map<String, Value>,
    pub(super) list_rendering: Option<String>,
    pub(super) crash_at: Option<String>,
    pub(super) next_run: Option<NextRun>,
    pub(super) parallel_runs: Option<usize>,
    /// Everything else.
    pub(super) rest: Map<String, Value>,
}

impl Given {
    fn read(given: Value) -> Result<Self, String> {
        let mut keys = Keys::of("given", given)?;
        Ok(Self {
            dns_now: keys.needed("dns_now")?,
            dns_before_write: keys.or("dns_before_write", || None)?,
            extra_records: keys.or("extra_records", Vec::new)?,
            pin: keys.or("pin", || None)?,
            hosts: keys.or("hosts", BTreeMap::new)?,
            api_faults: keys.or("api_faults", Vec::new)?,
            decision_age_s: keys.or("decision_age_s", || 0.0)?,
            control_probe: keys.or("control_probe", Vec::new)?,
            config: keys.or("config", Map::new)?,
            list_rendering: keys.or("list_rendering", || None)?,
            crash_at: keys.or("crash_at", || None)?,
            next_run: keys.or("next_run", || None)?,
            parallel_runs: keys.or("parallel_runs", || None)?,
            rest: keys.map,
        })
    }
}

/// Record sets by `apex` and `wildcard`.
pub(super) type RawZone = BTreeMap<String, Option<RawSet>>;

#[derive(Deserialize)]
#[serde(expecting = "an object with `dns_now` and `decision`")]
pub(super) struct NextRun {
    pub(super) dns_now: RawZone,
    pub(super) decision: String,
}

#[derive(Deserialize)]
#[serde(expecting = "a record set: an object with `values` and `ttl`")]
pub(super) struct RawSet {
    #[serde(default)]
    pub(super) values: Vec<String>,
    pub(super) ttl: Option<u32>,
    pub(super) alias: Option<Value>,
    pub(super) set_identifier: Option<Value>,
}

#[derive(Deserialize)]
#[serde(expecting = "a record set: an object with `name`, `type`, `values` and `ttl`")]
pub(super) struct RawExtra {
    pub(super) name: String,
    #[serde(rename = "type")]
    pub(super) kind: String,
    pub(super) ttl: Option<u32>,
    #[serde(default)]
    pub(super) values: Vec<String>,
    pub(super) alias: Option<Value>,
    pub(super) set_identifier: Option<Value>,
}

/// The keys of an object, taken one by one.
struct Keys {
    at: &'static str,
    map: Map<String, Value>,
}

impl Keys {
    fn of(at: &'static str, value: Value) -> Result<Self, String> {
        let Value::Object(map) = value else {
            let place = if at.is_empty() { "it" } else { at };
            return Err(format!("{place} is {}, not an object", kind(&value)));
        };
        Ok(Self { at, map })
    }

    fn place(&self, key: &str) -> String {
        if self.at.is_empty() {
            format!("`{key}`")
        } else {
            format!("`{}.{key}`", self.at)
        }
    }

    fn needed<T: DeserializeOwned>(&mut self, key: &str) -> Result<T, String> {
        let value = self.map.remove(key);
        let value = value.ok_or_else(|| format!("{} is missing", self.place(key)))?;
        self.read(key, value)
    }

    fn or<T: DeserializeOwned>(
        &mut self,
        key: &str,
        absent: impl FnOnce() -> T,
    ) -> Result<T, String> {
        match self.map.remove(key) {
            Some(value) => self.read(key, value),
            None => Ok(absent()),
        }
    }

    fn read<T: DeserializeOwned>(&self, key: &str, value: Value) -> Result<T, String> {
        let read = serde_json::from_value(value);
        read.map_err(|error| format!("{}: {}", self.place(key), plain(&error.to_string())))
    }
}

/// What JSON calls a value.
fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// What serde says, in the words of JSON.
fn plain(said: &str) -> String {
    let mut said = said.to_owned();
    for (theirs, ours) in [
        ("a map", "an object"),
        ("a sequence", "a list"),
        ("map,", "object,"),
        ("sequence,", "list,"),
        ("expected f64", "expected a number"),
        ("expected u8", "expected a whole number up to 255"),
        ("expected u16", "expected a whole number up to 65535"),
        ("expected u32", "expected a whole number up to 4294967295"),
        ("expected u64", "expected a whole number"),
        ("expected usize", "expected a whole number"),
    ] {
        said = said.replace(theirs, ours);
    }
    said
}
