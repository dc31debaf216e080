//! What `pointsman.toml` may hold: the keys, their types, their defaults and what each is for.
//!
//! These types are the one place from which the reader, the JSON Schema and the commented template are made. Every
//! default is the reference deployment's value; identities (zone, addresses, owner, ids, account) have none.

mod monitors;
mod platform;

use std::collections::BTreeMap;

#[cfg(feature = "lint")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::model::dns::RecordType;

pub use monitors::{EdgeWatch, FailbackRetry, Monitors, TokenCheck, TransitionNotice};
use platform::actions;
pub use platform::{Action, Aws, GitHub, SubjectFormat};

/// The deployment in one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "lint", derive(JsonSchema))]
#[cfg_attr(feature = "lint", schemars(rename = "Spec"))]
#[serde(deny_unknown_fields)]
pub(in crate::model::spec) struct RawSpec {
    /// The hosted zone.
    pub zone: RawZone,
    /// The sites in order of preference; the first is home.
    #[cfg_attr(feature = "lint", schemars(length(min = 2), extend("x-allowed" = "at least two sites, the first of which is home")))]
    pub sites: Vec<RawSite>,
    /// The records that the switch moves.
    #[serde(default)]
    pub records: RawRecords,
    /// The hosts that visitors ask for, and where each of them is served.
    #[cfg_attr(feature = "lint", schemars(length(min = 1), extend("x-allowed" = "at least one host")))]
    pub hosts: Vec<RawHost>,
    /// The record that always points at one site, which the monitor watches.
    #[serde(default)]
    pub origin: RawOrigin,
    /// How a site is asked whether it serves.
    #[serde(default)]
    pub probe: RawProbe,
    /// When the records may return home.
    #[serde(default)]
    pub failback: Failback,
    /// The repository and the workflow that makes the switch.
    pub github: GitHub,
    /// The account and the role that the workflow borrows.
    pub aws: Aws,
    /// The external actions that the workflow may use.
    #[serde(default = "actions")]
    pub actions: Vec<Action>,
    /// The Uptime Kuma monitors, declared for `AutoKuma`.
    #[serde(default)]
    pub monitors: Monitors,
    /// Where the generated files are.
    #[serde(default)]
    pub artefacts: Artefacts,
    /// The ledger of rehearsals, `rehearsals/`.
    #[serde(default)]
    pub rehearsals: Rehearsals,
    /// Findings in JSON files that are meant as they are; elsewhere a comment says so.
    #[serde(default)]
    pub allow: Vec<Allow>,
}

/// The hosted zone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "lint", derive(JsonSchema))]
#[cfg_attr(feature = "lint", schemars(rename = "Zone"))]
#[serde(deny_unknown_fields)]
pub(in crate::model::spec) struct RawZone {
    /// The hosted zone's id, without `/hostedzone/`.
    #[cfg_attr(feature = "lint", schemars(regex(pattern = "^Z[A-Z0-9]{1,31}$"), extend("x-allowed" = "`Z` and up to 31 capital letters or digits, without `/hostedzone/`")))]
    pub id: String,
    /// The zone's name, such as `example.com`.
    pub name: String,
}

/// A site: a place that can serve all visitors.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "lint", derive(JsonSchema))]
#[cfg_attr(feature = "lint", schemars(rename = "Site"))]
#[serde(deny_unknown_fields)]
pub(in crate::model::spec) struct RawSite {
    /// The site's name, as `PIN_SITE` gives it.
    #[cfg_attr(feature = "lint", schemars(regex(pattern = "^[a-z]([a-z0-9-]{0,30}[a-z0-9])?$"), extend("x-allowed" = "up to 32 small letters, digits and inner hyphens, with a letter first")))]
    pub name: String,
    /// The public IPv4 address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ipv4: Option<String>,
    /// The public IPv6 address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ipv6: Option<String>,
}

/// The records that the switch moves, all of them in one change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "lint", derive(JsonSchema))]
#[cfg_attr(feature = "lint", schemars(rename = "Records"))]
#[serde(default, deny_unknown_fields)]
pub(in crate::model::spec) struct RawRecords {
    /// Their names; without this key the zone itself and its wildcard.
    pub names: Vec<String>,
    /// Their types.
    #[cfg_attr(feature = "lint", schemars(length(min = 1), extend("x-allowed" = "`A`, `AAAA` or both")))]
    pub types: Vec<RecordType>,
    /// Their time to live in seconds.
    #[cfg_attr(feature = "lint", schemars(range(min = 1, max = 86400)))]
    pub ttl: u32,
}

impl Default for RawRecords {
    fn default() -> Self {
        Self {
            names: Vec::new(),
            types: vec![RecordType::A],
            ttl: 300,
        }
    }
}

/// A host and where it is served.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "lint", derive(JsonSchema))]
#[cfg_attr(feature = "lint", schemars(rename = "Host"))]
#[serde(deny_unknown_fields)]
pub(in crate::model::spec) struct RawHost {
    /// The host's name, such as `www.example.com`.
    pub name: String,
    /// Names of the sites that do not serve it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub absent_at: Vec<String>,
    /// By site: what visitors see there that they do not see elsewhere.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub notes: BTreeMap<String, String>,
}

/// The record that always points at one site.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "lint", derive(JsonSchema))]
#[cfg_attr(feature = "lint", schemars(rename = "Origin"))]
#[serde(default, deny_unknown_fields)]
pub(in crate::model::spec) struct RawOrigin {
    /// Its name; without this key `origin` in the zone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The site it points at; without this key the first one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub site: Option<String>,
    /// Its time to live in seconds.
    #[cfg_attr(feature = "lint", schemars(range(min = 1, max = 86400)))]
    pub ttl: u32,
}

impl Default for RawOrigin {
    fn default() -> Self {
        Self {
            name: None,
            site: None,
            ttl: 300,
        }
    }
}

/// How a site is asked whether it serves, from outside, as `curl --resolve HOST:443:ADDRESS` would ask.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "lint", derive(JsonSchema))]
#[cfg_attr(feature = "lint", schemars(rename = "Probe"))]
#[serde(default, deny_unknown_fields)]
pub(in crate::model::spec) struct RawProbe {
    /// Seconds that one request may take.
    #[cfg_attr(feature = "lint", schemars(range(min = 1, max = 60)))]
    pub timeout_seconds: u32,
    /// The only status that counts as serving: exactly 200, and no other is taken.
    #[cfg_attr(feature = "lint", schemars(range(min = 100, max = 599)))]
    pub expected_status: u16,
    /// Requests before a site counts as not serving; one good answer is enough.
    #[cfg_attr(feature = "lint", schemars(range(min = 1, max = 10)))]
    pub tries: u32,
    /// Seconds within which all of these tries are made.
    #[cfg_attr(feature = "lint", schemars(range(min = 1, max = 600)))]
    pub window_seconds: u32,
    /// Whether an answer must not name another site than the asked one in its header `x-pointsman-site`; if it does, the run refuses.
    pub site_identity: bool,
    /// A host outside the zone, asked first over HTTPS; while it does not answer 200, no probe is believed and the run refuses.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub control: Option<String>,
}

impl Default for RawProbe {
    fn default() -> Self {
        Self {
            timeout_seconds: 10,
            expected_status: 200,
            tries: 3,
            window_seconds: 30,
            site_identity: false,
            control: None,
        }
    }
}

/// When the records may return home: after this many good answers in a row.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "lint", derive(JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Failback {
    /// Good answers in a row.
    #[cfg_attr(feature = "lint", schemars(range(min = 1, max = 100)))]
    pub probes: u32,
    /// Seconds between two of them.
    #[cfg_attr(feature = "lint", schemars(range(min = 1, max = 3600)))]
    pub interval_seconds: u32,
}

impl Default for Failback {
    fn default() -> Self {
        Self {
            probes: 10,
            interval_seconds: 30,
        }
    }
}

/// The folders of the artefacts, which are generated but for the manifests, relative to the spec's own; the workflow's is `.github/workflows`, where GitHub looks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "lint", derive(JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Artefacts {
    /// IAM policies as JSON.
    #[cfg_attr(feature = "lint", schemars(regex(pattern = "^[A-Za-z0-9_-][A-Za-z0-9._-]*(/[A-Za-z0-9_-][A-Za-z0-9._-]*)*$"), extend("x-allowed" = "a folder below the spec's own, written with `/`")))]
    pub policies: String,
    /// The Terraform module.
    #[cfg_attr(feature = "lint", schemars(regex(pattern = "^[A-Za-z0-9_-][A-Za-z0-9._-]*(/[A-Za-z0-9_-][A-Za-z0-9._-]*)*$"), extend("x-allowed" = "a folder below the spec's own, written with `/`")))]
    pub terraform: String,
    /// The monitors.
    #[cfg_attr(feature = "lint", schemars(regex(pattern = "^[A-Za-z0-9_-][A-Za-z0-9._-]*(/[A-Za-z0-9_-][A-Za-z0-9._-]*)*$"), extend("x-allowed" = "a folder below the spec's own, written with `/`")))]
    pub monitors: String,
    /// The manifests of the sites' clusters, in a folder for each site; nothing is missing where it is not there.
    #[cfg_attr(feature = "lint", schemars(regex(pattern = "^[A-Za-z0-9_-][A-Za-z0-9._-]*(/[A-Za-z0-9_-][A-Za-z0-9._-]*)*$"), extend("x-allowed" = "a folder below the spec's own, written with `/`")))]
    pub kubernetes: String,
}

impl Default for Artefacts {
    fn default() -> Self {
        Self {
            policies: "policies".to_owned(),
            terraform: "terraform".to_owned(),
            monitors: "monitors".to_owned(),
            kubernetes: "kubernetes".to_owned(),
        }
    }
}

/// How long a rehearsal counts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "lint", derive(JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Rehearsals {
    /// Days after which the last one that passed is too old.
    #[cfg_attr(feature = "lint", schemars(range(min = 1, max = 3650)))]
    pub limit_days: u32,
}

impl Default for Rehearsals {
    fn default() -> Self {
        Self { limit_days: 90 }
    }
}

/// A finding that is meant as it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "lint", derive(JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Allow {
    /// The rule's id.
    pub rule: String,
    /// The file.
    pub path: String,
    /// JSON pointer to the place; without this key the whole file.
    #[serde(default)]
    pub pointer: String,
    /// Why it is meant.
    #[cfg_attr(feature = "lint", schemars(regex(pattern = r"\S"), extend("x-allowed" = "a few words that say why")))]
    pub reason: String,
}
