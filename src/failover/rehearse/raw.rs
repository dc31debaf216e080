//! The shapes of a file of scenarios, as its JSON has them.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Map, Value};

use super::faults::ApiFault;
use super::scenario::Expected;

#[derive(Deserialize)]
pub(super) struct RawFile {
    pub(super) sites: Map<String, Value>,
    #[serde(default = "example")]
    pub(super) zone: String,
    pub(super) records: Vec<String>,
    pub(super) scenarios: Vec<Value>,
}

fn example() -> String {
    "example.com".to_owned()
}

#[derive(Deserialize)]
pub(super) struct RawRow {
    pub(super) id: String,
    #[serde(default)]
    pub(super) title: String,
    pub(super) given: Given,
    pub(super) expect: Option<Expected>,
}

#[derive(Deserialize)]
pub(super) struct Given {
    pub(super) dns_now: BTreeMap<String, Option<RawSet>>,
    pub(super) dns_before_write: Option<BTreeMap<String, Option<RawSet>>>,
    #[serde(default)]
    pub(super) extra_records: Vec<RawExtra>,
    pub(super) pin: Option<String>,
    #[serde(default)]
    pub(super) hosts: BTreeMap<String, BTreeMap<String, Value>>,
    #[serde(default)]
    pub(super) api_faults: Vec<ApiFault>,
    #[serde(default)]
    pub(super) decision_age_s: f64,
    #[serde(default)]
    pub(super) control_probe: Vec<Value>,
    #[serde(default)]
    pub(super) config: Map<String, Value>,
    pub(super) list_rendering: Option<String>,
    pub(super) crash_at: Option<String>,
    pub(super) next_run: Option<NextRun>,
    pub(super) parallel_runs: Option<usize>,
    #[serde(flatten)]
    pub(super) rest: Map<String, Value>,
}

#[derive(Deserialize)]
pub(super) struct NextRun {
    pub(super) dns_now: BTreeMap<String, Option<RawSet>>,
    pub(super) decision: String,
}

#[derive(Deserialize)]
pub(super) struct RawSet {
    #[serde(default)]
    pub(super) values: Vec<String>,
    pub(super) ttl: Option<u32>,
    pub(super) alias: Option<Value>,
    pub(super) set_identifier: Option<Value>,
}

#[derive(Deserialize)]
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
