//! Conditions that let the job in, and also tokens that take more than a GitHub account to get.

use crate::diag::Severity;
use crate::iam::trust::{Threat, Verdict, verdict};
use crate::model::policy::{PolicyDocument, Quantifier};
use crate::model::spec::IssuerKind;
use crate::model::trust::{GitHubStatement, Repository};
use crate::rules::{Check, Rule, Sink, Tier};

use super::oidc_sub_broad::breadths;
use super::subjects::{allows, limits, place, pointer, stale};
use super::{oidc_aud_missing, oidc_sub_missing};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "oidc-trust-weak",
    aliases: &[],
    summary: "a trust policy that also lets in the heirs of a name or another context",
    severity: Severity::Warning,
    tier: Tier::Specific,
    page: include_str!("oidc_trust_weak.md"),
    check: Check::Trust(check),
};

fn check(policy: &PolicyDocument, sink: &mut Sink<'_>) {
    let Some(repository) = sink.repository().filter(|job| job.asked) else {
        return;
    };
    if allows(policy).any(|one| is_told(one, repository)) {
        return;
    }
    let Some(found) = verdict(policy, repository).filter(|found| found.verdict == Verdict::Weak)
    else {
        return;
    };
    // What the spec asks for is told, but is no fault of the artefact.
    let severity = if sink.spec().is_some() {
        Severity::Note
    } else {
        Severity::Warning
    };
    let heirs = found
        .attackers
        .iter()
        .any(|attack| attack.threat == Threat::RecycledClassic);
    let issuer = &repository.issuer;
    let help = match (heirs, repository.issuer_kind()) {
        (true, IssuerKind::Server) => format!("add a condition on `{issuer}:repository_id`"),
        (true, IssuerKind::Public | IssuerKind::DataResidency) => format!(
            "add a condition on `{issuer}:repository_id`, or opt the repository in to immutable subjects"
        ),
        (false, _) => {
            format!("add a condition on `{issuer}:ref`, or protect the environment to the branch")
        }
    };
    for one in allows(policy).filter(|one| one.statement.index == found.statement) {
        sink.report(place(one), found.why.clone())
            .pointer(pointer(one))
            .severity(severity)
            .help(help.clone());
    }
}

/// Whether another rule says why the statement is weak.
fn is_told(one: GitHubStatement<'_>, repository: &Repository) -> bool {
    let fails_open = one.claims().any(|(condition, _)| {
        condition.operator.is_some_and(|operator| {
            operator.if_exists || operator.quantifier == Some(Quantifier::ForAllValues)
        })
    });
    let stale_value = limits(one, "sub").any(|condition| {
        condition
            .values
            .iter()
            .any(|value| stale(condition, value, repository).is_some())
    });
    fails_open
        || stale_value
        || oidc_sub_missing::is_missing(one)
        || oidc_aud_missing::is_missing(one)
        || takes_any_audience(one)
        || !breadths(one, Some(repository)).is_empty()
}

/// Whether the audience is asked for by a pattern, which its own rule judges.
fn takes_any_audience(one: GitHubStatement<'_>) -> bool {
    limits(one, "aud").any(|condition| {
        condition
            .values
            .iter()
            .any(|value| value.text.as_str().contains('*'))
    })
}
