//! An Allow to GitHub's tokens that takes any audience.

use crate::diag::Severity;
use crate::model::policy::PolicyDocument;
use crate::model::spec::OIDC_AUDIENCE;
use crate::model::trust::GitHubStatement;
use crate::rules::{Check, Rule, Sink, Tier};

use super::subjects::{allows, comparisons, is_like, issuer, place, pointer};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "oidc-aud-missing",
    aliases: &[],
    summary: "a role for GitHub's tokens that takes any audience",
    severity: Severity::Warning,
    tier: Tier::Specific,
    page: include_str!("oidc_aud_missing.md"),
    check: Check::Trust(check),
};

fn check(policy: &PolicyDocument, sink: &mut Sink<'_>) {
    for one in allows(policy) {
        if is_missing(one) {
            let issuer = issuer(one);
            let help = format!("add \"StringEquals\": {{\"{issuer}:aud\": \"{OIDC_AUDIENCE}\"}}");
            let message = format!(
                "no condition on `{issuer}:aud`: a token that was made for another service is taken, if the provider lists its audience"
            );
            sink.report(place(one), message)
                .pointer(pointer(one))
                .help(help);
        }
        for condition in comparisons(one, "aud").filter(|condition| is_like(condition)) {
            let any = condition.values.iter().filter(|value| {
                let text = value.text.as_str();
                !text.is_empty() && text.bytes().all(|byte| byte == b'*')
            });
            for value in any {
                let message = format!("`{}` takes every audience", value.text.as_str());
                sink.report(value.text.span(), message)
                    .pointer(value.pointer.clone())
                    .help(format!("write `{OIDC_AUDIENCE}` under `StringEquals`"));
            }
        }
    }
}

/// Whether the statement names GitHub's provider and has no condition on the audience.
fn is_missing(one: GitHubStatement<'_>) -> bool {
    let misspelt = one
        .claim("aud")
        .any(|condition| condition.operator.is_none());
    // Of a statement about GitHub's claims, a principal that is not known can only be the provider.
    let principals = one.statement.principals.as_ref();
    let provider = one.providers().next().is_some() || principals.is_some_and(|all| all.incomplete);
    provider
        && !misspelt
        && !one.statement.open_conditions
        && comparisons(one, "aud").next().is_none()
}
