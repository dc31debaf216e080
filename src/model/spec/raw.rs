//! What `pointsman.toml` may hold: the keys, their types, their defaults and what each is for.
//!
//! These types are the one place from which the reader, the JSON Schema and the commented template are made. Every
//! default is the reference deployment's value; identities (zone, addresses, owner, ids, account) have none.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// A list of things that are known nowhere else: the deployment in one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(
    feature = "lint",
    derive(schemars::JsonSchema),
    schemars(rename = "Spec")
)]
#[serde(deny_unknown_fields)]
pub(in crate::model::spec) struct RawSpec {
    /// The hosted zone.
    pub zone: RawZone,
    /// The sites in order of preference; the first is home.
    #[cfg_attr(
        feature = "lint",
        schemars(length(min = 2), extend("x-allowed" = "at least two sites, the first of which is home"))
    )]
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
    pub probe: Probe,
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
    /// Findings in JSON files that are meant as they are; elsewhere a comment says so.
    #[serde(default)]
    pub allow: Vec<Allow>,
}

/// The hosted zone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(
    feature = "lint",
    derive(schemars::JsonSchema),
    schemars(rename = "Zone")
)]
#[serde(deny_unknown_fields)]
pub(in crate::model::spec) struct RawZone {
    /// The hosted zone's id, without `/hostedzone/`.
    #[cfg_attr(
        feature = "lint",
        schemars(regex(pattern = "^Z[A-Z0-9]{1,31}$"), extend("x-allowed" = "`Z` and up to 31 capital letters or digits, without `/hostedzone/`"))
    )]
    pub id: String,
    /// The zone's name, such as `example.com`.
    pub name: String,
}

/// A site: a place that can serve all visitors.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(
    feature = "lint",
    derive(schemars::JsonSchema),
    schemars(rename = "Site")
)]
#[serde(deny_unknown_fields)]
pub(in crate::model::spec) struct RawSite {
    /// The site's name, as `PIN_SITE` gives it.
    #[cfg_attr(
        feature = "lint",
        schemars(regex(pattern = "^[a-z]([a-z0-9-]{0,30}[a-z0-9])?$"), extend("x-allowed" = "up to 32 small letters, digits and inner hyphens, with a letter first"))
    )]
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
#[cfg_attr(
    feature = "lint",
    derive(schemars::JsonSchema),
    schemars(rename = "Records")
)]
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

/// A record type that holds an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "lint", derive(schemars::JsonSchema))]
pub enum RecordType {
    /// IPv4.
    A,
    /// IPv6.
    #[serde(rename = "AAAA")]
    Aaaa,
}

impl RecordType {
    /// As the API and the condition key write it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::A => "A",
            Self::Aaaa => "AAAA",
        }
    }
}

/// A host and where it is served.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(
    feature = "lint",
    derive(schemars::JsonSchema),
    schemars(rename = "Host")
)]
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
#[cfg_attr(
    feature = "lint",
    derive(schemars::JsonSchema),
    schemars(rename = "Origin")
)]
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
#[cfg_attr(feature = "lint", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Probe {
    /// Seconds that one request may take.
    #[cfg_attr(feature = "lint", schemars(range(min = 1, max = 60)))]
    pub timeout_seconds: u32,
    /// The only status that counts as serving.
    #[cfg_attr(feature = "lint", schemars(range(min = 100, max = 599)))]
    pub expected_status: u16,
    /// Requests before a site counts as not serving; one good answer is enough.
    #[cfg_attr(feature = "lint", schemars(range(min = 1, max = 10)))]
    pub tries: u32,
    /// Seconds within which all of these tries are made.
    #[cfg_attr(feature = "lint", schemars(range(min = 1, max = 600)))]
    pub window_seconds: u32,
}

impl Default for Probe {
    fn default() -> Self {
        Self {
            timeout_seconds: 10,
            expected_status: 200,
            tries: 3,
            window_seconds: 30,
        }
    }
}

/// When the records may return home: after this many good answers in a row.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "lint", derive(schemars::JsonSchema))]
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

/// How GitHub writes the `sub` claim of this repository (GitHub docs, "OpenID Connect reference").
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "lint", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum SubjectFormat {
    /// `repo:OWNER@OWNER_ID/NAME@REPOSITORY_ID:…`: repositories created, renamed or transferred after 2026-07-15.
    Immutable,
    /// `repo:OWNER/NAME:…`: older ones.
    Classic,
}

/// The repository and the workflow that makes the switch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "lint", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct GitHub {
    /// The account or organisation that owns the repository.
    #[cfg_attr(
        feature = "lint",
        schemars(regex(pattern = "^[A-Za-z0-9]([A-Za-z0-9-]{0,37}[A-Za-z0-9])?$"), extend("x-allowed" = "up to 39 letters, digits and inner hyphens"))
    )]
    pub owner: String,
    /// The owner's numeric id: `gh api users/OWNER --jq .id`.
    #[cfg_attr(feature = "lint", schemars(range(min = 1), extend("x-allowed" = "a whole number, without quotes")))]
    pub owner_id: u64,
    /// The repository's name, without its owner.
    #[serde(default = "repository")]
    #[cfg_attr(
        feature = "lint",
        schemars(regex(pattern = "^[A-Za-z0-9._-]{1,100}$"), extend("x-allowed" = "up to 100 letters, digits, `.`, `_` and `-`"))
    )]
    pub repository: String,
    /// The repository's numeric id: `gh api repos/OWNER/NAME --jq .id`.
    #[cfg_attr(feature = "lint", schemars(range(min = 1), extend("x-allowed" = "a whole number, without quotes")))]
    pub repository_id: u64,
    /// The branch that the workflow runs on; the dispatch body names it.
    #[serde(default = "branch")]
    pub branch: String,
    /// How GitHub writes this repository's subject: `immutable` when it was created, renamed or transferred after 2026-07-15, else `classic`.
    #[serde(default = "subject_format")]
    pub subject_format: SubjectFormat,
    /// The deployment environment of the job, if it has one; it then stands in the subject instead of the branch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub environment: Option<String>,
    /// The workflow's file name below `.github/workflows`.
    #[serde(default = "workflow")]
    #[cfg_attr(
        feature = "lint",
        schemars(regex(pattern = r"^[A-Za-z0-9_-][A-Za-z0-9._-]{0,90}\.ya?ml$"), extend("x-allowed" = "a file name of letters, digits, `.`, `_` and `-` that ends with `.yml` or `.yaml`, without a folder"))
    )]
    pub workflow: String,
    /// The repository variable by which a person pins a site.
    #[serde(default = "variable")]
    #[cfg_attr(
        feature = "lint",
        schemars(regex(pattern = "^[A-Z_][A-Z0-9_]{0,99}$"), extend("x-allowed" = "capital letters, digits and `_`, not beginning with a digit"))
    )]
    pub variable: String,
    /// The concurrency group that lets only one run work at a time.
    #[serde(default = "concurrency_group")]
    #[cfg_attr(
        feature = "lint",
        schemars(regex(pattern = "^[A-Za-z0-9._-]{1,100}$"), extend("x-allowed" = "a fixed text of letters, digits, `.`, `_` and `-`"))
    )]
    pub concurrency_group: String,
    /// Minutes after which GitHub ends the job.
    #[serde(default = "job_timeout_minutes")]
    #[cfg_attr(feature = "lint", schemars(range(min = 1, max = 360)))]
    pub job_timeout_minutes: u32,
}

/// The account and the role that the workflow borrows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "lint", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Aws {
    /// The account's number.
    #[cfg_attr(
        feature = "lint",
        schemars(regex(pattern = "^[0-9]{12}$"), extend("x-allowed" = "12 digits, in quotes"))
    )]
    pub account: String,
    /// The partition: `aws`, `aws-cn` or `aws-us-gov`.
    #[serde(default = "partition")]
    #[cfg_attr(
        feature = "lint",
        schemars(regex(pattern = "^aws(-[a-z]+)*$"), extend("x-allowed" = "`aws`, `aws-cn` or `aws-us-gov`"))
    )]
    pub partition: String,
    /// The role's name.
    #[serde(default = "role")]
    #[cfg_attr(
        feature = "lint",
        schemars(regex(pattern = "^[A-Za-z0-9+=,.@_-]{1,64}$"), extend("x-allowed" = "up to 64 letters, digits and `+=,.@_-`, without a path"))
    )]
    pub role: String,
    /// The region whose STS is asked; any but `us-east-1`, on which Route 53's own changes depend already.
    #[serde(default = "sts_region")]
    #[cfg_attr(
        feature = "lint",
        schemars(regex(pattern = "^[a-z]{2}(-[a-z]+)+-[0-9]$"), extend("x-allowed" = "a region such as `ap-northeast-2`"))
    )]
    pub sts_region: String,
    /// Seconds that borrowed credentials live; 900 to 43200.
    #[serde(default = "session_seconds")]
    #[cfg_attr(feature = "lint", schemars(range(min = 900, max = 43200)))]
    pub session_seconds: u32,
}

/// An external action that the workflow may use, at one commit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "lint", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Action {
    /// The action, `owner/name`.
    #[cfg_attr(
        feature = "lint",
        schemars(regex(pattern = "^[A-Za-z0-9-]+/[A-Za-z0-9._-]+(/[A-Za-z0-9._-]+)*$"), extend("x-allowed" = "`owner/name`, without `@` and a version"))
    )]
    pub uses: String,
    /// The full commit SHA.
    #[cfg_attr(
        feature = "lint",
        schemars(regex(pattern = "^[0-9a-f]{40}$"), extend("x-allowed" = "the 40 small hexadecimal digits of a commit"))
    )]
    pub commit: String,
    /// The version that this commit is, for the reader; `v7.0.1`.
    #[cfg_attr(
        feature = "lint",
        schemars(regex(pattern = "^[A-Za-z0-9._/+-]{1,64}$"), extend("x-allowed" = "a tag such as `v7.0.1`"))
    )]
    pub version: String,
}

/// The Uptime Kuma monitors, declared as `KumaEntity` for `AutoKuma`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "lint", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Monitors {
    /// The release of `AutoKuma` that reads them: up to 2.0.0 it drops `resend_interval` of `dns` monitors.
    #[cfg_attr(
        feature = "lint",
        schemars(regex(pattern = "^[0-9]+\\.[0-9]+\\.[0-9]+$"), extend("x-allowed" = "a release such as `2.0.0`"))
    )]
    pub autokuma_version: String,
    /// The Kubernetes namespace of the entities.
    #[cfg_attr(
        feature = "lint",
        schemars(regex(pattern = "^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$"), extend("x-allowed" = "up to 63 small letters, digits and inner hyphens"))
    )]
    pub namespace: String,
    /// The `AutoKuma` id of the notification that reaches people; it is declared elsewhere.
    #[cfg_attr(
        feature = "lint",
        schemars(regex(pattern = "^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$"), extend("x-allowed" = "small letters, digits, `.` and `-`"))
    )]
    pub people: String,
    /// The `AutoKuma` id of the notification that starts the workflow.
    #[cfg_attr(
        feature = "lint",
        schemars(regex(pattern = "^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$"), extend("x-allowed" = "small letters, digits, `.` and `-`"))
    )]
    pub dispatch: String,
    /// The environment variable of `AutoKuma` that holds the dispatch token; the token itself is in no file.
    #[cfg_attr(
        feature = "lint",
        schemars(regex(pattern = "^AUTOKUMA__ENV__[A-Z0-9_]{1,100}$"), extend("x-allowed" = "`AUTOKUMA__ENV__` and capital letters, digits and `_`; AutoKuma lets templates read no other variables"))
    )]
    pub token_env: String,
    /// The DNS-over-HTTPS service with JSON answers that the fail-back retry asks where `dns` monitors cannot repeat.
    #[cfg_attr(
        feature = "lint",
        schemars(regex(pattern = "^https://[A-Za-z0-9.-]+(/[A-Za-z0-9._/-]*)?$"), extend("x-allowed" = "an `https://` URL without a query"))
    )]
    pub resolver_url: String,
    /// Is home alive? Starts the workflow, and tells people.
    pub edge_watch: EdgeWatch,
    /// Have the records moved? Tells people.
    pub transition_notice: TransitionNotice,
    /// Are the records still away from home? Starts the workflow now and then.
    pub failback_retry: FailbackRetry,
    /// Is the dispatch token still good? Tells people.
    pub token_check: TokenCheck,
}

impl Default for Monitors {
    fn default() -> Self {
        Self {
            autokuma_version: "2.0.0".to_owned(),
            namespace: "uptime-kuma".to_owned(),
            people: "people".to_owned(),
            dispatch: "dispatch".to_owned(),
            token_env: "AUTOKUMA__ENV__DISPATCH_TOKEN".to_owned(),
            resolver_url: "https://dns.google/resolve".to_owned(),
            edge_watch: EdgeWatch::default(),
            transition_notice: TransitionNotice::default(),
            failback_retry: FailbackRetry::default(),
            token_check: TokenCheck::default(),
        }
    }
}

/// Is home alive?
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "lint", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct EdgeWatch {
    /// Seconds between two checks.
    #[cfg_attr(feature = "lint", schemars(range(min = 1, max = 86400)))]
    pub interval_seconds: u32,
    /// Failing checks that are forgiven; the next one is DOWN.
    #[cfg_attr(feature = "lint", schemars(range(min = 0, max = 100)))]
    pub retries: u32,
    /// Seconds between two checks while they are forgiven.
    #[cfg_attr(feature = "lint", schemars(range(min = 1, max = 86400)))]
    pub retry_interval_seconds: u32,
    /// Checks while DOWN after which the notification is sent again; 0 for never.
    #[cfg_attr(feature = "lint", schemars(range(min = 0, max = 10000)))]
    pub resend_beats: u32,
    /// Seconds that one check may take.
    #[cfg_attr(feature = "lint", schemars(range(min = 1, max = 3600)))]
    pub timeout_seconds: u32,
    /// Statuses that are UP, as `200-299` or `404`.
    #[cfg_attr(feature = "lint", schemars(length(min = 1), inner(regex(pattern = "^[1-5][0-9]{2}(-[1-5][0-9]{2})?$")), extend("x-allowed" = "one status or a range each, in quotes: \"404\", \"200-299\"")))]
    pub accepted_status: Vec<String>,
}

impl Default for EdgeWatch {
    fn default() -> Self {
        Self {
            interval_seconds: 60,
            retries: 3,
            retry_interval_seconds: 30,
            resend_beats: 30,
            timeout_seconds: 10,
            accepted_status: vec!["200-299".to_owned(), "404".to_owned()],
        }
    }
}

/// Have the records moved?
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "lint", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct TransitionNotice {
    /// Seconds between two checks.
    #[cfg_attr(feature = "lint", schemars(range(min = 1, max = 86400)))]
    pub interval_seconds: u32,
    /// Answers that are forgiven; the next one is told.
    #[cfg_attr(feature = "lint", schemars(range(min = 0, max = 100)))]
    pub retries: u32,
    /// Seconds between two checks while they are forgiven.
    #[cfg_attr(feature = "lint", schemars(range(min = 1, max = 86400)))]
    pub retry_interval_seconds: u32,
}

impl Default for TransitionNotice {
    fn default() -> Self {
        Self {
            interval_seconds: 60,
            retries: 3,
            retry_interval_seconds: 30,
        }
    }
}

/// Are the records still away from home?
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "lint", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct FailbackRetry {
    /// Seconds between two checks.
    #[cfg_attr(feature = "lint", schemars(range(min = 1, max = 86400)))]
    pub interval_seconds: u32,
    /// Answers that are forgiven; the next one starts the workflow.
    #[cfg_attr(feature = "lint", schemars(range(min = 0, max = 100)))]
    pub retries: u32,
    /// Seconds between two checks while they are forgiven.
    #[cfg_attr(feature = "lint", schemars(range(min = 1, max = 86400)))]
    pub retry_interval_seconds: u32,
    /// Checks after which the workflow is started again; times `interval_seconds`, about half an hour.
    #[cfg_attr(feature = "lint", schemars(range(min = 1, max = 10000)))]
    pub resend_beats: u32,
    /// Seconds that one check may take.
    #[cfg_attr(feature = "lint", schemars(range(min = 1, max = 3600)))]
    pub timeout_seconds: u32,
}

impl Default for FailbackRetry {
    fn default() -> Self {
        Self {
            interval_seconds: 60,
            retries: 3,
            retry_interval_seconds: 30,
            resend_beats: 30,
            timeout_seconds: 10,
        }
    }
}

/// Is the dispatch token still good?
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "lint", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct TokenCheck {
    /// Seconds between two checks.
    #[cfg_attr(feature = "lint", schemars(range(min = 1, max = 86400)))]
    pub interval_seconds: u32,
    /// Refused checks that are forgiven; the next one is told.
    #[cfg_attr(feature = "lint", schemars(range(min = 0, max = 100)))]
    pub retries: u32,
    /// Seconds between two checks while they are forgiven.
    #[cfg_attr(feature = "lint", schemars(range(min = 1, max = 86400)))]
    pub retry_interval_seconds: u32,
    /// Seconds that one check may take.
    #[cfg_attr(feature = "lint", schemars(range(min = 1, max = 3600)))]
    pub timeout_seconds: u32,
}

impl Default for TokenCheck {
    fn default() -> Self {
        Self {
            interval_seconds: 3600,
            retries: 3,
            retry_interval_seconds: 60,
            timeout_seconds: 10,
        }
    }
}

/// The folders of the generated files, relative to the spec's own; the workflow's is `.github/workflows`, where GitHub looks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "lint", derive(schemars::JsonSchema))]
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
}

impl Default for Artefacts {
    fn default() -> Self {
        Self {
            policies: "policies".to_owned(),
            terraform: "terraform".to_owned(),
            monitors: "monitors".to_owned(),
        }
    }
}

/// A finding that is meant as it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "lint", derive(schemars::JsonSchema))]
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

fn repository() -> String {
    "dns-failover".to_owned()
}

fn branch() -> String {
    "main".to_owned()
}

fn subject_format() -> SubjectFormat {
    SubjectFormat::Immutable
}

fn workflow() -> String {
    "dns-failover.yml".to_owned()
}

fn variable() -> String {
    "PIN_SITE".to_owned()
}

fn concurrency_group() -> String {
    "dns-failover".to_owned()
}

fn job_timeout_minutes() -> u32 {
    20
}

fn partition() -> String {
    "aws".to_owned()
}

fn role() -> String {
    "dns-failover".to_owned()
}

fn sts_region() -> String {
    "ap-northeast-2".to_owned()
}

fn session_seconds() -> u32 {
    3600
}

/// The two external actions of the reference deployment.
fn actions() -> Vec<Action> {
    let action = |uses: &str, commit: &str, version: &str| Action {
        uses: uses.to_owned(),
        commit: commit.to_owned(),
        version: version.to_owned(),
    };
    vec![
        action(
            "actions/checkout",
            "3d3c42e5aac5ba805825da76410c181273ba90b1",
            "v7.0.1",
        ),
        action(
            "aws-actions/configure-aws-credentials",
            "e6de054238d6b7531b4efff3b6587d9aade6a06c",
            "v6.2.3",
        ),
    ]
}
