//! A role for the tokens of an OIDC provider, whoever they were issued to.

use crate::diag::Severity;
use crate::iam::trust::Verdict;
use crate::model::policy::{Condition, PolicyDocument, PolicyKind, Principal, Statement};
use crate::model::spec::{IssuerKind, OIDC_ISSUER};
use crate::rules::{Check, Rule, Sink, Tier};
use crate::text::quoted;

use super::blocks::narrows;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "oidc-condition-missing",
    aliases: &[],
    summary: "a role for every token of an OIDC provider",
    severity: Severity::Warning,
    tier: Tier::Specific,
    page: include_str!("oidc_condition_missing.md"),
    check: Check::Policy(check),
};

fn check(policy: &PolicyDocument, sink: &mut Sink<'_>) {
    if policy.kind != PolicyKind::Trust {
        return;
    }
    let allows = policy.statements.iter().filter(|statement| {
        statement.allows()
            && !statement.incomplete
            && statement.covers_action("sts:AssumeRoleWithWebIdentity")
            && !asks_github(statement)
    });
    for statement in allows {
        // Beside the job that the role is for, it is as bad as the verdict says.
        let verdict = sink.verdict(policy);
        let is_blamed = verdict.is_some_and(|found| {
            found.verdict == Verdict::TooBroad && found.lets_in == statement.index
        });
        let severity = if is_blamed {
            Severity::Error
        } else {
            Severity::Warning
        };
        let principals = statement.principals.iter().filter(|list| !list.negated);
        for principal in principals.flat_map(|list| &list.entries) {
            let Some(provider) = provider(principal) else {
                continue;
            };
            if !is_limited(statement, provider) {
                report(principal, provider, severity, sink);
            }
        }
    }
}

/// Whether it asks for claims of GitHub's tokens: then the provider is the fault, which has a rule of its own.
fn asks_github(statement: &Statement) -> bool {
    let mut conditions = statement.conditions.iter();
    conditions.any(|condition| {
        let issuer = condition.key.as_str().rsplit_once(':');
        issuer.is_some_and(|(issuer, _)| IssuerKind::of(issuer).is_some())
    })
}

/// The host and path of the provider. GitHub's has rules of its own.
fn provider(principal: &Principal) -> Option<&str> {
    let kind = principal.kind.as_ref()?.as_str();
    let text = principal.value.text.as_str();
    let provider = match text.split_once(":oidc-provider/") {
        Some((_, provider)) => provider,
        None if text.contains(':') => return None,
        None => text,
    };
    let plain = provider.contains('.') && !provider.contains(['$', '*']);
    let github =
        provider.to_ascii_lowercase().contains(OIDC_ISSUER) || IssuerKind::of(provider).is_some();
    (kind == "Federated" && plain && !github).then_some(provider)
}

fn is_limited(statement: &Statement, provider: &str) -> bool {
    let on_claim = |condition: &Condition| {
        let key = condition.key.as_str();
        let of_provider = key
            .get(..provider.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(provider));
        of_provider
            && key
                .get(provider.len()..)
                .is_some_and(|rest| rest.starts_with(':'))
    };
    statement
        .conditions
        .iter()
        .any(|condition| on_claim(condition) && narrows(statement, condition))
}

fn report(principal: &Principal, provider: &str, severity: Severity, sink: &mut Sink<'_>) {
    let message = format!(
        "every token of {} may assume the role: no condition limits whom it was issued to",
        quoted(provider)
    );
    sink.report(principal.value.text.span(), message)
        .pointer(principal.value.pointer.clone())
        .severity(severity)
        .help(format!(
            "limit by \"StringEquals\" whom a token is for and of, in `{provider}:aud` and `{provider}:sub`"
        ));
}
