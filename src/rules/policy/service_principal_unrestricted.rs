//! A service allowed into a resource on behalf of any account.

use crate::diag::Severity;
use crate::model::policy::{Condition, PolicyDocument, PolicyKind, Principal, Statement};
use crate::rules::{Check, Rule, Sink, Tier};
use crate::text::quoted;

use super::invalid_principal::is_no_service;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "service-principal-unrestricted",
    aliases: &[],
    summary: "a service principal that may act for any account",
    severity: Severity::Warning,
    tier: Tier::Specific,
    page: include_str!("service_principal_unrestricted.md"),
    check: Check::Policy(check),
};

/// The keys that say on whose behalf a service asks; the last is the secret of one Alexa skill.
const SOURCES: [&str; 6] = [
    "aws:SourceArn",
    "aws:SourceAccount",
    "aws:SourceOrgID",
    "aws:SourceOrgPaths",
    "aws:PrincipalIsAWSService",
    "lambda:EventSourceToken",
];

/// Keys of whoever asks, which a service does not carry.
const OF_CALLERS: [&str; 4] = [
    "aws:PrincipalOrgID",
    "aws:PrincipalOrgPaths",
    "aws:PrincipalAccount",
    "aws:PrincipalType",
];

fn check(policy: &PolicyDocument, sink: &mut Sink<'_>) {
    if policy.kind != PolicyKind::Resource {
        return;
    }
    for statement in policy
        .statements
        .iter()
        .filter(|statement| statement.allows())
    {
        let Some(principals) = statement
            .principals
            .as_ref()
            .filter(|principals| !principals.negated)
        else {
            continue;
        };
        let is_service = |entry: &&Principal| {
            entry
                .kind
                .as_ref()
                .is_some_and(|kind| kind.as_str() == "Service")
        };
        let Some(service) = principals.entries.iter().find(is_service) else {
            continue;
        };
        // What is no service at all is told as that.
        let is_none = is_no_service(service.value.text.as_str());
        if is_none || !principals.entries.iter().all(|entry| is_service(&entry)) {
            continue;
        }
        judge(statement, service, sink);
    }
}

/// What is encrypted names for whom: `kms:EncryptionContext:aws:logs:arn` is how a key is limited to log groups.
fn is_of_encryption(condition: &Condition) -> bool {
    let key = condition.key.as_str().to_ascii_lowercase();
    key.starts_with("kms:encryptioncontext:")
}

fn judge(statement: &Statement, service: &Principal, sink: &mut Sink<'_>) {
    let name = quoted(service.value.text.as_str());
    let of_caller = statement
        .conditions
        .iter()
        .find(|condition| OF_CALLERS.iter().any(|key| condition.is_on(key)));
    if let Some(condition) = of_caller {
        let message = format!(
            "{name} carries no {}: a service is in no organization",
            quoted(condition.key.as_str())
        );
        sink.report(condition.key.span(), message)
            .severity(Severity::Error)
            .pointer(condition.pointer.clone())
            .help("limit on whose behalf it asks, by `aws:SourceAccount` or `aws:SourceOrgID`");
        return;
    }
    let limited = |key: &&'static str| statement.conditions_on(key).next().is_some();
    if !SOURCES.iter().any(limited)
        && !statement.conditions.iter().any(is_of_encryption)
        && !statement.incomplete
    {
        let message = format!("{name} may use this resource on behalf of any account");
        sink.report(service.value.text.span(), message)
            .pointer(service.value.pointer.clone())
            .help("add \"StringEquals\": {\"aws:SourceAccount\": \"123456789012\"}, or `aws:SourceArn` of what sends");
    }
}
