//! Statements for `*`, and the conditions that limit who that is.
//!
//! Sources of the keys: IAM User Guide, "AWS global condition context keys"; Amazon S3 User Guide, "The meaning of
//! 'public'"; AWS KMS Developer Guide, "AWS KMS condition keys"; Amazon EFS User Guide, "Blocking public access to file
//! systems"; Amazon SNS Developer Guide, the policy that a topic is made with.

use crate::model::policy::{Condition, Family, Principal, Statement, Value};

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

/// Whether the values of a condition on callers say who that is: an account, an organization or an endpoint that a pattern
/// leaves open may be anybody's, and a variable of the same key says of each caller that it is itself (Amazon S3 API Reference,
/// `PublicAccessBlockConfiguration`: "fixed values").
fn names_callers(condition: &Condition) -> bool {
    let pattern = condition.operator.is_some_and(|operator| {
        operator.base.is_pattern() || operator.base.family() == Family::Arn
    });
    let names = |value: &Value| {
        let text = value.text.as_str();
        let key = condition.key.as_str();
        let itself = format!("${{{key}}}");
        !text.eq_ignore_ascii_case(&itself) && (!pattern || is_fixed(key, text))
    };
    condition.values.iter().all(names)
}

/// Whether the part of a pattern that says whose it is has no wildcard.
fn is_fixed(key: &str, text: &str) -> bool {
    let open = |part: &str| part.contains(['*', '?']);
    let name = key.split_once(':').map_or(key, |(_, name)| name);
    let is = |names: &[&str]| names.iter().any(|one| one.eq_ignore_ascii_case(name));
    if is(&["userid"]) {
        // The name of a session is for the caller to choose.
        return text.split(':').next().is_some_and(|id| !open(id));
    }
    if is(&["PrincipalOrgPaths", "SourceOrgPaths", "VpceOrgPaths"]) {
        return text.split('/').next().is_some_and(|id| !open(id));
    }
    if is(&[
        "Endpoint",
        "PrincipalServiceName",
        "PrincipalServiceNamesList",
    ]) {
        return text.chars().any(char::is_alphanumeric);
    }
    if !text.starts_with("arn") {
        return !open(text);
    }
    let mut parts = text.splitn(6, ':').skip(4);
    match (parts.next(), parts.next()) {
        // A bucket has no account; its name is its own.
        (Some(""), Some(id)) => !id.starts_with(['*', '?']),
        (Some(account), Some(_)) => !open(account),
        (Some(_) | None, _) => false,
    }
}

/// A claim of a token limits too: the rules about tokens judge it.
fn is_limited(statement: &Statement) -> bool {
    let of_token = |key: &str| {
        key.split_once(':')
            .is_some_and(|(provider, _)| provider.contains('.'))
    };
    statement.conditions.iter().any(|condition| {
        narrows(statement, condition)
            && (of_token(condition.key.as_str())
                || is_about_callers(condition) && names_callers(condition))
    })
}
