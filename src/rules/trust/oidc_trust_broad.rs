//! A trust policy that lets in somebody else's token, where no other rule says why.

use crate::diag::Severity;
use crate::iam::trust::Verdict;
use crate::model::policy::PolicyDocument;
use crate::model::trust::GitHubStatement;
use crate::rules::{Check, Rule, Sink, Tier};

use super::subjects::{APART, is_of_others, place, pointer};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "oidc-trust-broad",
    aliases: &[],
    summary: "a trust policy that lets in the token of somebody else's job",
    severity: Severity::Error,
    tier: Tier::Remainder,
    page: include_str!("oidc_trust_broad.md"),
    check: Check::Trust(check),
};

fn check(policy: &PolicyDocument, sink: &mut Sink<'_>) {
    let Some(repository) = sink.repository().filter(|job| job.asked) else {
        return;
    };
    let found = sink.verdict(policy);
    let Some(found) = found.filter(|found| found.verdict == Verdict::TooBroad) else {
        return;
    };
    let mut statements = policy.statements.iter();
    let Some(statement) = statements.find(|one| one.index == found.lets_in) else {
        return;
    };
    let one = GitHubStatement { statement };
    let subject = repository.subject();
    let help = if is_of_others(one) {
        APART.to_owned()
    } else {
        format!("ask with \"StringEquals\" for the job's subject, `{subject}`")
    };
    sink.report(place(one), found.why.clone())
        .pointer(pointer(one))
        .covers(statement.span)
        .help(help);
}
