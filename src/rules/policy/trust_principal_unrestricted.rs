//! A role that anyone in any account may assume.

use crate::diag::Severity;
use crate::model::policy::{PolicyDocument, PolicyKind, Principal, Statement};
use crate::rules::{Check, Rule, Sink, Tier};

use super::blocks::narrows;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "trust-principal-unrestricted",
    aliases: &[],
    summary: "a role that anyone in any account may assume",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("trust_principal_unrestricted.md"),
    check: Check::Policy(check),
};

/// The keys that say who asks, or from where. An external id is no secret, a tag anyone sets in an account of their own.
const OF_CALLERS: [&str; 16] = [
    "aws:FederatedProvider",
    "aws:PrincipalAccount",
    "aws:PrincipalArn",
    "aws:PrincipalOrgID",
    "aws:PrincipalOrgPaths",
    "aws:PrincipalServiceName",
    "aws:PrincipalServiceNamesList",
    "aws:SourceAccount",
    "aws:SourceArn",
    "aws:SourceIp",
    "aws:SourceOrgID",
    "aws:SourceOrgPaths",
    "aws:SourceVpc",
    "aws:SourceVpce",
    "aws:userid",
    "aws:VpcSourceIp",
];

fn check(policy: &PolicyDocument, sink: &mut Sink<'_>) {
    if policy.kind != PolicyKind::Trust {
        return;
    }
    for statement in &policy.statements {
        let Some(everyone) = everyone(statement) else {
            continue;
        };
        if !statement.allows() || statement.incomplete || is_limited(statement) {
            continue;
        }
        sink.report(
            everyone.value.text.span(),
            "`*` lets anyone in any AWS account assume the role: no condition limits who asks",
        )
        .pointer(everyone.value.pointer.clone())
        .help(
            "name the accounts, roles or services that may assume the role, or limit `*` by \"StringEquals\": {\"aws:PrincipalOrgID\": \"o-example1234\"}",
        );
    }
}

fn everyone(statement: &Statement) -> Option<&Principal> {
    let principals = statement.principals.as_ref()?;
    let is_everyone = |entry: &&Principal| {
        let kind = entry.kind.as_ref().map(|kind| kind.as_str());
        matches!(kind, None | Some("AWS")) && entry.value.text.as_str() == "*"
    };
    let found = principals.entries.iter().find(is_everyone);
    found.filter(|_| !principals.negated)
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
                || OF_CALLERS.iter().any(|key| condition.is_on(key)))
    })
}
