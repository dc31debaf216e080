//! How many values a condition key carries (IAM User Guide, "AWS global condition context keys"; for web identity keys
//! "Available keys for AWS OIDC federation"). A key that is not listed may carry any number.

use super::route53;

/// Global keys that carry at most one value.
const SINGLE_VALUED: &[&str] = &[
    "aws:CalledViaFirst",
    "aws:CalledViaLast",
    "aws:CurrentTime",
    "aws:EpochTime",
    "aws:FederatedProvider",
    "aws:MultiFactorAuthAge",
    "aws:MultiFactorAuthPresent",
    "aws:PrincipalAccount",
    "aws:PrincipalArn",
    "aws:PrincipalIsAWSService",
    "aws:PrincipalOrgID",
    "aws:PrincipalServiceName",
    "aws:PrincipalType",
    "aws:Referer",
    "aws:RequestedRegion",
    "aws:ResourceAccount",
    "aws:ResourceOrgID",
    "aws:SecureTransport",
    "aws:SourceAccount",
    "aws:SourceArn",
    "aws:SourceIdentity",
    "aws:SourceIp",
    "aws:SourceOrgID",
    "aws:SourceVpc",
    "aws:SourceVpce",
    "aws:TokenIssueTime",
    "aws:UserAgent",
    "aws:ViaAWSService",
    "aws:VpcSourceIp",
    "aws:userid",
    "aws:username",
    "sts:ExternalId",
    "sts:RoleSessionName",
];

/// Global key families with a tag in their name; each carries one value.
const SINGLE_VALUED_PREFIXES: &[&str] =
    &["aws:PrincipalTag/", "aws:RequestTag/", "aws:ResourceTag/"];

/// Claims of a web identity token that AWS maps to one value each.
const SINGLE_VALUED_CLAIMS: &[&str] = &[":aud", ":sub", ":oaud", ":email", ":azp"];

/// Keys that carry a list: the global ones, and those of Route 53's record sets.
const MULTI_VALUED: &[&str] = &[
    "aws:CalledVia",
    "aws:PrincipalOrgPaths",
    "aws:PrincipalServiceNamesList",
    "aws:ResourceOrgPaths",
    "aws:SourceOrgPaths",
    "aws:TagKeys",
];

/// Whether a key is known to carry a list of values, so that an operator needs `ForAllValues` or `ForAnyValue`; the case
/// of its name does not count.
#[must_use]
pub fn is_multi_valued(key: &str) -> bool {
    MULTI_VALUED
        .iter()
        .chain(&route53::RECORD_KEYS)
        .any(|known| known.eq_ignore_ascii_case(key))
}

/// Whether a key is known to carry at most one value; the case of its name does not count.
#[must_use]
pub fn is_single_valued(key: &str) -> bool {
    let starts = |prefix: &&str| {
        key.get(..prefix.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(prefix))
    };
    let claim = |suffix: &&str| key.contains('.') && key.to_ascii_lowercase().ends_with(suffix);
    SINGLE_VALUED
        .iter()
        .any(|known| known.eq_ignore_ascii_case(key))
        || SINGLE_VALUED_PREFIXES.iter().any(starts)
        || SINGLE_VALUED_CLAIMS.iter().any(claim)
        || key
            .to_ascii_lowercase()
            .starts_with("token.actions.githubusercontent.com:")
}

#[cfg(test)]
mod tests {
    use super::is_single_valued;

    #[test]
    fn tags_and_subjects_carry_one_value_and_lists_of_keys_many() {
        for key in [
            "AWS:principaltag/team",
            "token.actions.githubusercontent.com:sub",
            "aws:SourceIp",
        ] {
            assert!(is_single_valued(key), "{key}");
        }
        for key in [
            "aws:TagKeys",
            "aws:CalledVia",
            "aws:PrincipalOrgPaths",
            "cognito-identity.amazonaws.com:amr",
        ] {
            assert!(!is_single_valued(key), "{key}");
        }
    }
}
