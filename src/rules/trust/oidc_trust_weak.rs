//! Conditions that let the job in, and also tokens that take more than a GitHub account to get.

use crate::diag::Severity;
use crate::iam::trust::{Threat, Verdict};
use crate::model::policy::PolicyDocument;
use crate::model::spec::IssuerKind;
use crate::model::trust::GitHubStatement;
use crate::rules::{Check, Rule, Sink, Tier};

use super::subjects::{APART, is_of_others, place, pointer};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "oidc-trust-weak",
    aliases: &[],
    summary: "a trust policy that also lets in the heirs of a name or another context",
    severity: Severity::Warning,
    // Where another rule says why, it has said enough.
    tier: Tier::Remainder,
    page: include_str!("oidc_trust_weak.md"),
    check: Check::Trust(check),
};

fn check(policy: &PolicyDocument, sink: &mut Sink<'_>) {
    let Some(repository) = sink.repository().filter(|job| job.asked) else {
        return;
    };
    let Some(found) = sink
        .verdict(policy)
        .filter(|found| found.verdict == Verdict::Weak)
    else {
        return;
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
    let mut statements = policy.statements.iter();
    let Some(statement) = statements.find(|one| one.index == found.lets_in) else {
        return;
    };
    let one = GitHubStatement { statement };
    // What the spec asks for is told, but is no fault of the artefact.
    let (severity, help) = match (is_of_others(one), sink.spec()) {
        (true, _) => (Severity::Warning, APART.to_owned()),
        (false, Some(_)) => (Severity::Note, help),
        (false, None) => (Severity::Warning, help),
    };
    sink.report(place(one), found.why.clone())
        .pointer(pointer(one))
        .covers(statement.span)
        .severity(severity)
        .help(help);
}
