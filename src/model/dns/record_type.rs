//! Record types and change actions as the Route 53 API and its condition keys write them
//! (API reference, `ResourceRecordSet.Type` and `Change.Action`).

#[cfg(feature = "lint")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A record type that holds an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "lint", derive(JsonSchema))]
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

/// Every record type of the Route 53 API, in upper case as the condition key carries it.
pub const RECORD_TYPES: [&str; 17] = [
    "A", "AAAA", "CAA", "CNAME", "DS", "HTTPS", "MX", "NAPTR", "NS", "PTR", "SOA", "SPF", "SRV",
    "SSHFP", "SVCB", "TLSA", "TXT",
];

/// Every change action, in upper case as the condition key carries it.
pub const CHANGE_ACTIONS: [&str; 3] = ["CREATE", "DELETE", "UPSERT"];

/// The record type that `written` means, whatever its case.
#[must_use]
pub fn canonical_record_type(written: &str) -> Option<&'static str> {
    RECORD_TYPES
        .into_iter()
        .find(|name| name.eq_ignore_ascii_case(written))
}
