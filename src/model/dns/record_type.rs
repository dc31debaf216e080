//! Record types and change actions as the Route 53 API and its condition keys write them
//! (API reference, `ResourceRecordSet.Type` and `Change.Action`).

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
