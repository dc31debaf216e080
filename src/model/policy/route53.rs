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

/// All condition keys of the service.
pub const KEYS: [&str; 4] = [NAMES_KEY, TYPES_KEY, ACTIONS_KEY, "route53:VPCs"];

/// The actions that limit by the VPC of a private zone.
const VPC_ACTIONS: [&str; 6] = [
    "route53:AssociateVPCWithHostedZone",
    "route53:CreateHostedZone",
    "route53:CreateVPCAssociationAuthorization",
    "route53:DeleteVPCAssociationAuthorization",
    "route53:DisassociateVPCFromHostedZone",
    "route53:ListHostedZonesByVPC",
];

/// The actions whose requests carry `key`; `None` for a key that is not Route 53's. Case does not count.
#[must_use]
pub fn actions_carrying(key: &str) -> Option<&'static [&'static str]> {
    if RECORD_KEYS
        .iter()
        .any(|known| known.eq_ignore_ascii_case(key))
    {
        return Some(&[CHANGE_RECORDS]);
    }
    key.eq_ignore_ascii_case("route53:VPCs")
        .then_some(&VPC_ACTIONS)
}
