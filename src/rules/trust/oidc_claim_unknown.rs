//! A condition on a claim that AWS does not hand on, or on a claim of another issuer.

use crate::diag::Severity;
use crate::model::policy::{Condition, PolicyDocument};
use crate::model::spec::IssuerKind;
use crate::model::trust::{GitHubStatement, claim_keys, github_statements, issuer_of};
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
            let mut known = claim_keys().iter();
            known.any(|known| known.eq_ignore_ascii_case(claim))
        };
        for (condition, claim) in one.claims().filter(|(_, claim)| !is_known(claim)) {
            unknown(condition, claim, sink);
        }
        let asked: Vec<(&Condition, &str)> =
            one.claims().filter(|(_, claim)| is_known(claim)).collect();
        if let Some(issuer) = only_issuer(one) {
            let is_foreign = |(condition, _): &&(&Condition, &str)| {
                !issuer_asked(condition).eq_ignore_ascii_case(issuer)
            };
            let foreign: Vec<_> = asked.iter().filter(is_foreign).copied().collect();
            other_issuer(&foreign, issuer, sink);
        }
        for (condition, claim) in asked {
            open(condition, claim, sink);
        }
    }
}

/// The issuer of a condition's key.
fn issuer_asked(condition: &Condition) -> &str {
    let key = condition.key.as_str();
    key.rsplit_once(':').map_or(key, |(issuer, _)| issuer)
}

fn unknown(condition: &Condition, claim: &str, sink: &mut Sink<'_>) {
    let key = condition.key.as_str();
    let known = claim_keys().iter().copied();
    let help = match nearest(claim, known) {
        Some(near) => format!("did you mean `{}:{near}`?", issuer_asked(condition)),
        None => format!("AWS hands on {}", claim_keys().join(", ")),
    };
    let message = format!("`{claim}` is no claim that AWS hands on, so no request carries `{key}`");
    sink.report(condition.key.span(), message)
        .pointer(condition.pointer.clone())
        .help(help);
}

/// One finding, however many claims the statement asks for.
fn other_issuer(conditions: &[(&Condition, &str)], issuer: &str, sink: &mut Sink<'_>) {
    let Some(((first, claim), rest)) = conditions.split_first() else {
        return;
    };
    let key = first.key.as_str();
    let message = format!("the provider is `{issuer}`, so no request carries `{key}`");
    let other = issuer_asked(first);
    let mut draft = sink
        .report(first.key.span(), message)
        .pointer(first.pointer.clone())
        .help(format!(
            "write `{issuer}:{claim}`, or name the provider of `{other}`"
        ));
    for (condition, _) in rest {
        draft = draft.related(condition.key.span(), "nor this one");
    }
}

/// AWS's list speaks of github.com.
fn open(condition: &Condition, claim: &str, sink: &mut Sink<'_>) {
    let issuer = issuer_asked(condition);
    let kind = IssuerKind::of(issuer);
    let is_listed = kind.is_none_or(IssuerKind::has_claim_keys);
    if !is_listed
        && !["aud", "sub"]
            .iter()
            .any(|known| known.eq_ignore_ascii_case(claim))
    {
        let missing = vec![format!("a token of `{issuer}` put before STS")];
        sink.undecided(
            condition.key.span(),
            format!("whether any request carries `{}`", condition.key.as_str()),
            "AWS says which claims it hands on for github.com alone",
            missing,
        );
    }
}

/// The issuer of all providers that the statement names, where it is one.
fn only_issuer(one: GitHubStatement<'_>) -> Option<&str> {
    let mut issuers = one
        .providers()
        .map(|principal| issuer_of(principal.value.text.as_str()));
    let first = issuers.next()??;
    issuers.all(|issuer| issuer == Some(first)).then_some(first)
}
