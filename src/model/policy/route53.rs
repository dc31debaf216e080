//! Route 53 as IAM sees it (Service Authorization Reference, "Amazon Route 53"; Route 53 Developer Guide, "Specifying
//! conditions: using condition keys for fine-grained access control").

/// The one action that the three record keys belong to.
pub const CHANGE_RECORDS: &str = "route53:ChangeResourceRecordSets";
/// Reads the records of a zone.
pub const LIST_RECORDS: &str = "route53:ListResourceRecordSets";
/// Reads the state of a change.
pub const GET_CHANGE: &str = "route53:GetChange";

/// The normalised names of all records in a batch.
pub const NAMES_KEY: &str = "route53:ChangeResourceRecordSetsNormalizedRecordNames";
/// The types of all records in a batch.
pub const TYPES_KEY: &str = "route53:ChangeResourceRecordSetsRecordTypes";
/// The actions of all changes in a batch.
pub const ACTIONS_KEY: &str = "route53:ChangeResourceRecordSetsActions";

/// The three record keys: multi-valued, and in every request for [`CHANGE_RECORDS`], since a batch has at least one change.
pub const RECORD_KEYS: [&str; 3] = [NAMES_KEY, TYPES_KEY, ACTIONS_KEY];

/// Whether a key belongs to the service; case does not count.
#[must_use]
pub fn is_key(key: &str) -> bool {
    key.split_once(':')
        .is_some_and(|(service, _)| service.eq_ignore_ascii_case("route53"))
}
