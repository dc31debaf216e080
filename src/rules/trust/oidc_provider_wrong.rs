//! A principal that means GitHub's provider and is not it.

use crate::diag::Severity;
use crate::model::policy::PolicyDocument;
use crate::model::spec::OIDC_ISSUER;
use crate::model::trust::{GitHubStatement, github_statements, issuer_of, provider_fault};
use crate::rules::{Check, Rule, Sink, Tier};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "oidc-provider-wrong",
    aliases: &[],
    summary: "a principal that is not GitHub's OIDC provider",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("oidc_provider_wrong.md"),
    check: Check::Trust(check),
};

fn check(policy: &PolicyDocument, sink: &mut Sink<'_>) {
    for one in github_statements(policy) {
        let incomplete = one
            .statement
            .principals
            .as_ref()
            .is_some_and(|principals| principals.incomplete);
        providers(one, sink);
        if one.providers().next().is_none() && !incomplete && !names_everyone(one) {
            other_principal(one, sink);
        }
    }
}

fn providers(one: GitHubStatement<'_>, sink: &mut Sink<'_>) {
    for principal in one.providers() {
        let value = &principal.value;
        let text = value.text.as_str();
        if text.contains("${") {
            continue;
        }
        let wanted = sink
            .repository()
            .and_then(|repository| repository.provider.clone());
        let message = match (provider_fault(principal), &wanted) {
            (Some(fault), _) => format!("`{text}` is not GitHub's provider: {fault}"),
            (None, Some(wanted)) if wanted != text => {
                format!("`{text}` is another provider than the spec's, `{wanted}`")
            }
            (None, None) => match of_another_issuer(text, sink) {
                Some(message) => message,
                None => continue,
            },
            (None, Some(_)) => continue,
        };
        let help =
            wanted.unwrap_or_else(|| format!("arn:aws:iam::ACCOUNT:oidc-provider/{OIDC_ISSUER}"));
        sink.report(value.text.span(), message)
            .pointer(value.pointer.clone())
            .help(format!("write {{\"Federated\": \"{help}\"}}"));
    }
}

/// Where only the issuer of the job's tokens is known, the account may be any.
fn of_another_issuer(arn: &str, sink: &Sink<'_>) -> Option<String> {
    let own = &sink.repository().filter(|job| job.asked)?.issuer;
    let other = issuer_of(arn).filter(|issuer| issuer != own)?;
    Some(format!(
        "`{arn}` is the provider of `{other}`, and the job's tokens are issued by `{own}`"
    ))
}

fn names_everyone(one: GitHubStatement<'_>) -> bool {
    one.principals()
        .any(|principal| principal.value.text.as_str() == "*")
}

/// GitHub's claims are asked for, but the principal is somebody else.
fn other_principal(one: GitHubStatement<'_>, sink: &mut Sink<'_>) {
    let Some(principals) = &one.statement.principals else {
        return;
    };
    let claims: Vec<&str> = one
        .claims()
        .map(|(condition, _)| condition.key.as_str())
        .collect();
    let message = format!(
        "the statement asks for `{}`, which only tokens of GitHub's provider carry, and names another principal",
        claims.join("`, `")
    );
    let mut draft = sink
        .report(principals.span, message)
        .pointer(format!(
            "{}/{}",
            one.statement.pointer,
            principals.key.as_str()
        ))
        .help(format!(
            "write {{\"Federated\": \"arn:aws:iam::ACCOUNT:oidc-provider/{OIDC_ISSUER}\"}}"
        ));
    for principal in one.principals().take(3) {
        let text = &principal.value.text;
        draft = draft.related(text.span(), format!("this is `{}`", text.as_str()));
    }
}
