//! The monitors: what `[monitors]` may hold. Settings and traps: Uptime Kuma 2.5.3 and `AutoKuma` 2.0.0, their sources.

#[cfg(feature = "lint")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The Uptime Kuma monitors, declared as `KumaEntity` for `AutoKuma`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "lint", derive(JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Monitors {
    /// The release of `AutoKuma` that reads them: up to 2.0.0 it drops `resend_interval` of `dns` monitors.
    #[cfg_attr(feature = "lint", schemars(regex(pattern = "^[0-9]+\\.[0-9]+\\.[0-9]+$"), extend("x-allowed" = "a release such as `2.0.0`")))]
    pub autokuma_version: String,
    /// The Kubernetes namespace of the entities.
    #[cfg_attr(feature = "lint", schemars(regex(pattern = "^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$"), extend("x-allowed" = "up to 63 small letters, digits and inner hyphens")))]
    pub namespace: String,
    /// The `AutoKuma` id of the notification that reaches people; it is declared elsewhere.
    #[cfg_attr(feature = "lint", schemars(regex(pattern = "^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$"), extend("x-allowed" = "small letters, digits, `.` and `-`")))]
    pub people: String,
    /// The `AutoKuma` id of the notification that starts the workflow.
    #[cfg_attr(feature = "lint", schemars(regex(pattern = "^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$"), extend("x-allowed" = "small letters, digits, `.` and `-`")))]
    pub dispatch: String,
    /// The environment variable of `AutoKuma` that holds the dispatch token; the token itself is in no file.
    #[cfg_attr(feature = "lint", schemars(regex(pattern = "^AUTOKUMA__ENV__[A-Z0-9_]{1,100}$"), extend("x-allowed" = "`AUTOKUMA__ENV__` and capital letters, digits and `_`; AutoKuma lets templates read no other variables")))]
    pub token_env: String,
    /// The DNS-over-HTTPS service with JSON answers that the fail-back retry asks where `dns` monitors cannot repeat.
    #[cfg_attr(feature = "lint", schemars(regex(pattern = "^https://[A-Za-z0-9.-]+(/[A-Za-z0-9._/-]*)?$"), extend("x-allowed" = "an `https://` URL without a query")))]
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
#[cfg_attr(feature = "lint", derive(JsonSchema))]
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
#[cfg_attr(feature = "lint", derive(JsonSchema))]
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
#[cfg_attr(feature = "lint", derive(JsonSchema))]
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
#[cfg_attr(feature = "lint", derive(JsonSchema))]
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
