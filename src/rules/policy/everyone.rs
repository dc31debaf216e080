//! Statements for `*`, and the conditions that limit who that is.
//!
//! Sources of the keys: IAM User Guide, "AWS global condition context keys"; Amazon S3 User Guide, "The meaning of
//! 'public'"; AWS KMS Developer Guide, "AWS KMS condition keys"; Amazon EFS User Guide, "Blocking public access to file
//! systems"; Amazon SNS Developer Guide, the policy that a topic is made with.

use crate::model::policy::{Condition, Principal, Statement};

use super::blocks::narrows;

/// The keys that say who asks, or from where. An external id is no secret, a tag anyone sets in an account of their own,
/// and a service asks for anybody: `kms:ViaService` limits only beside `kms:CallerAccount`.
const OF_CALLERS: [&str; 28] = [
    "aws:FederatedProvider",
    "aws:PrincipalAccount",
    "aws:PrincipalArn",
    "aws:PrincipalIsAWSService",
    "aws:PrincipalOrgID",
    "aws:PrincipalOrgPaths",
    "aws:PrincipalServiceName",
    "aws:PrincipalServiceNamesList",
    "aws:SourceAccount",
    "aws:SourceArn",
    "aws:SourceIp",
    "aws:SourceOrgID",
    "aws:SourceOrgPaths",
    "aws:SourceOwner",
    "aws:SourceVpc",
    "aws:SourceVpcArn",
    "aws:SourceVpce",
    "aws:userid",
    "aws:VpceAccount",
    "aws:VpceOrgID",
    "aws:VpceOrgPaths",
    "aws:VpcSourceIp",
    "elasticfilesystem:AccessedViaMountTarget",
    "elasticfilesystem:AccessPointArn",
    "kms:CallerAccount",
    "s3:DataAccessPointAccount",
    "s3:DataAccessPointArn",
    "sns:Endpoint",
];

/// The `*` of an Allow, if no condition limits who asks.
pub(super) fn let_in(statement: &Statement) -> Option<&Principal> {
    let open = statement.allows() && !statement.incomplete && !is_limited(statement);
    of(statement).filter(|_| open)
}

/// The `*` among the principals of a statement.
pub(super) fn of(statement: &Statement) -> Option<&Principal> {
    let principals = statement.principals.as_ref()?;
    let is_everyone = |entry: &&Principal| {
        let kind = entry.kind.as_ref().map(|kind| kind.as_str());
        matches!(kind, None | Some("AWS")) && entry.value.text.as_str() == "*"
    };
    let found = principals.entries.iter().find(is_everyone);
    found.filter(|_| !principals.negated)
}

/// Whether a condition is about who asks, or from where.
pub(super) fn is_about_callers(condition: &Condition) -> bool {
    OF_CALLERS.iter().any(|key| condition.is_on(key))
}

/// A claim of a token limits too: the rules about tokens judge it.
fn is_limited(statement: &Statement) -> bool {
    let of_token = |key: &str| {
        key.split_once(':')
            .is_some_and(|(provider, _)| provider.contains('.'))
    };
    statement.conditions.iter().any(|condition| {
        narrows(statement, condition)
            && (of_token(condition.key.as_str()) || is_about_callers(condition))
    })
}
