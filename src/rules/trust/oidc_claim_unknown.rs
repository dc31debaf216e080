//! A condition on a claim that AWS does not hand on, or on a claim of another issuer.

use crate::diag::Severity;
use crate::model::policy::{Condition, PolicyDocument};
use crate::model::spec::OIDC_ISSUER;
use crate::model::trust::{CLAIM_KEYS, GitHubStatement, github_statements, is_provider};
use crate::rules::{Check, Rule, Sink, Tier};
use crate::text::nearest;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "oidc-claim-unknown",
    aliases: &[],
    summary: "a condition on a claim that no request carries",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("oidc_claim_unknown.md"),
    check: Check::Trust(check),
};

fn check(policy: &PolicyDocument, sink: &mut Sink<'_>) {
    for one in github_statements(policy) {
        let is_known = |claim: &str| {
            CLAIM_KEYS
                .iter()
                .any(|known| known.eq_ignore_ascii_case(claim))
        };
        for (condition, claim) in one.claims().filter(|(_, claim)| !is_known(claim)) {
            unknown(condition, claim, sink);
        }
        let foreign: Vec<(&Condition, &str)> = one
            .claims()
            .filter(|(condition, claim)| is_known(claim) && !is_plain(condition, claim))
            .collect();
        if names_the_plain_issuer(one) {
            other_issuer(&foreign, sink);
        }
    }
}

fn unknown(condition: &Condition, claim: &str, sink: &mut Sink<'_>) {
    let key = condition.key.as_str();
    let help = match nearest(claim, CLAIM_KEYS) {
        Some(near) => format!("did you mean `{OIDC_ISSUER}:{near}`?"),
        None => format!("AWS hands on {}", CLAIM_KEYS.join(", ")),
    };
    let message = format!("`{claim}` is no claim that AWS hands on, so no request carries `{key}`");
    sink.report(condition.key.span(), message)
        .pointer(condition.pointer.clone())
        .help(help);
}

/// One finding, however many claims the statement asks for.
fn other_issuer(conditions: &[(&Condition, &str)], sink: &mut Sink<'_>) {
    let Some(((first, claim), rest)) = conditions.split_first() else {
        return;
    };
    let key = first.key.as_str();
    let message = format!("the provider is `{OIDC_ISSUER}`, so no request carries `{key}`");
    let mut draft = sink
        .report(first.key.span(), message)
        .pointer(first.pointer.clone())
        .help(format!(
            "write `{OIDC_ISSUER}:{claim}`, or name the provider of the enterprise's issuer"
        ));
    for (condition, _) in rest {
        draft = draft.related(condition.key.span(), "nor this one");
    }
}

/// Whether the key is of the issuer itself, not of an enterprise's.
fn is_plain(condition: &Condition, claim: &str) -> bool {
    condition.key.as_str().len() == OIDC_ISSUER.len() + 1 + claim.len()
}

/// Whether every provider of GitHub that the statement names is the one of the plain issuer.
fn names_the_plain_issuer(one: GitHubStatement<'_>) -> bool {
    let mut providers = one.providers().peekable();
    providers.peek().is_some()
        && providers.all(|principal| is_provider(principal.value.text.as_str()))
}
