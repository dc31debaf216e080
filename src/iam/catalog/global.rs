//! Condition keys that belong to no single service (IAM User Guide, "AWS global condition context keys", and for web
//! identity and SAML "Available keys for AWS OIDC federation"), with their types as of 2026-09-26.

use super::{Key, KeyType, packed};

const fn one(name: &'static str, kind: KeyType) -> Key {
    Key {
        name,
        kind,
        many: false,
    }
}

const fn many(name: &'static str, kind: KeyType) -> Key {
    Key {
        name,
        kind,
        many: true,
    }
}

use KeyType::{Arn, Bool, Date, Ip, Numeric, Text};

/// The global keys, by name without regard to case.
pub(super) const KEYS: &[Key] = &[
    one("aws:AssumedRoot", Bool),
    many("aws:CalledVia", Text),
    one("aws:CalledViaAWSMCP", Text),
    one("aws:CalledViaFirst", Text),
    one("aws:CalledViaLast", Text),
    one("aws:ChatbotSourceArn", Arn),
    one("aws:CurrentTime", Date),
    one("aws:Ec2InstanceSourcePrivateIPv4", Ip),
    one("aws:Ec2InstanceSourceVpc", Text),
    one("aws:EpochTime", Date),
    one("aws:FederatedProvider", Text),
    one("aws:IsMcpServiceAction", Bool),
    one("aws:MultiFactorAuthAge", Numeric),
    one("aws:MultiFactorAuthPresent", Bool),
    one("aws:PrincipalAccount", Text),
    one("aws:PrincipalArn", Arn),
    one("aws:PrincipalIsAWSService", Bool),
    one("aws:PrincipalOrgID", Text),
    // Documented nowhere; the service-linked role of IAM Identity Center asks for it.
    one("aws:PrincipalOrgMasterAccountId", Text),
    many("aws:PrincipalOrgPaths", Text),
    one("aws:PrincipalServiceName", Text),
    many("aws:PrincipalServiceNamesList", Text),
    one("aws:PrincipalTag/${TagKey}", Text),
    one("aws:PrincipalType", Text),
    one("aws:Referer", Text),
    one("aws:RequestedRegion", Text),
    one("aws:RequestTag/${TagKey}", Text),
    one("aws:ResourceAccount", Text),
    one("aws:ResourceOrgID", Text),
    many("aws:ResourceOrgPaths", Text),
    one("aws:ResourceTag/${TagKey}", Text),
    one("aws:SecureTransport", Bool),
    one("aws:SourceAccount", Text),
    one("aws:SourceArn", Arn),
    one("aws:SourceIdentity", Text),
    one("aws:SourceIp", Ip),
    one("aws:SourceOrgID", Text),
    many("aws:SourceOrgPaths", Text),
    one("aws:SourceOwner", Text),
    one("aws:SourceVpc", Text),
    one("aws:SourceVpcArn", Arn),
    one("aws:SourceVpce", Text),
    many("aws:TagKeys", Text),
    one("aws:TokenIssueTime", Date),
    one("aws:UserAgent", Text),
    one("aws:userid", Text),
    one("aws:username", Text),
    one("aws:ViaAWSMCPService", Bool),
    one("aws:ViaAWSService", Bool),
    one("aws:VpceAccount", Text),
    one("aws:VpceOrgID", Text),
    many("aws:VpceOrgPaths", Text),
    one("aws:VpcSourceIp", Ip),
    // Of the service role of a build (CodeBuild User Guide, "Use CodeBuild condition keys as IAM service role variables").
    one("codebuild:buildArn", Arn),
    one("codebuild:projectArn", Arn),
    // The two that AWS writes into every session of an instance role.
    one("ec2:RoleDelivery", Numeric),
    one("ec2:SourceInstanceARN", Arn),
    one("glue:CredentialIssuingService", Text),
    one("glue:RoleAssumedBy", Text),
    // Of sessions that know whose they are (IAM Identity Center User Guide, "Identity-enhanced IAM role sessions").
    one("identitystore:UserId", Text),
    one("lambda:SourceFunctionArn", Arn),
    one("ssm:SourceInstanceARN", Arn),
];

/// The global key that `written` is.
pub(super) fn find(written: &str) -> Option<Key> {
    // All tag keys of one kind are one entry; it stands where its name without a tag would.
    let name = match written.split_once('/') {
        Some((family, tag)) if !tag.is_empty() => family,
        _ => written,
    };
    let tagged = name.len() < written.len();
    let folded = |key: &Key| {
        let own = key.name.strip_suffix("/${TagKey}").unwrap_or(key.name);
        packed::folded(own.as_bytes(), name.as_bytes())
    };
    let found = KEYS.binary_search_by(folded).ok()?;
    KEYS.get(found)
        .copied()
        .filter(|key| key.name.contains('/') == tagged)
}

/// Keys that the reference has as one string while AWS's own guides ask for them with `ForAllValues` or `ForAnyValue`:
/// how many values they carry is open.
pub(super) const UNSETTLED: [&str; 2] = ["cognito-identity.amazonaws.com:amr", "route53:VPCs"];

/// Keys that AWS has replaced, each with what to use instead (Access Analyzer policy check reference, "Deprecated global
/// condition key").
pub(super) const DEPRECATED: &[(&str, &str)] = &[
    ("aws:ARN", "aws:PrincipalArn"),
    ("aws:SourceOwner", "aws:SourceAccount"),
];

/// Whether `key` comes from whoever issued the session: a claim of a web identity, whose key begins with the issuer's host,
/// or an attribute of a SAML assertion. Some of them stay with the session (IAM User Guide, "Available keys for AWS OIDC
/// federation", "Available keys for SAML-based AWS STS federation").
pub(super) fn is_of_issuer(key: &str) -> bool {
    key.split_once(':')
        .is_some_and(|(issuer, _)| issuer.contains('.') || issuer.eq_ignore_ascii_case("saml"))
}

/// Claims of a web identity token that AWS maps to one value each, whatever the provider.
const CLAIMS: [&str; 5] = ["aud", "sub", "oaud", "email", "azp"];

/// The claim key of a web identity provider, `<host>:sub`; `None` for any other key.
pub(super) fn claim(key: &str) -> Option<Key> {
    let (host, claim) = key.rsplit_once(':')?;
    let known = CLAIMS.iter().any(|known| known.eq_ignore_ascii_case(claim));
    (known && host.contains('.')).then(|| one("<provider>:<claim>", Text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_global_keys_are_in_order() {
        let own = |key: &Key| key.name.split('/').next().map(str::to_ascii_lowercase);
        assert!(KEYS.is_sorted_by_key(own));
        for key in KEYS {
            assert_eq!(find(&key.name.to_ascii_uppercase()), Some(*key));
        }
        assert_eq!(find("aws:PrincipalTag"), None);
        assert_eq!(find("aws:PrincipalTag/"), None);
        assert_eq!(find("aws:SourceIp/x"), None);
    }
}
