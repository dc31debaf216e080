//! An Allow to GitHub's tokens that does not ask for the subject.

use crate::diag::Severity;
use crate::iam::trust::Verdict;
use crate::model::policy::PolicyDocument;
use crate::model::trust::GitHubStatement;
use crate::rules::{Check, Rule, Sink, Tier};
use crate::text::Span;

use super::subjects::{allows, comparisons, issuer, limits, place, pointer};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "oidc-sub-missing",
    aliases: &[],
    summary: "a role for GitHub's tokens that does not ask for the subject",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("oidc_sub_missing.md"),
    check: Check::Trust(check),
};

fn check(policy: &PolicyDocument, sink: &mut Sink<'_>) {
    for one in allows(policy).filter(|one| is_missing(*one)) {
        let example = sink.repository().map_or_else(
            || "repo:OWNER@OWNER_ID/NAME@REPOSITORY_ID:ref:refs/heads/main".to_owned(),
            |repository| repository.subject().to_string(),
        );
        let issuer = issuer(one);
        let pinned = limits(one, "repository_id").next().is_some();
        let others = || one.claims().filter(|(_, claim)| !is_of_every_token(claim));
        let found = sink.verdict(policy);
        let is_broad = found
            .as_ref()
            .is_some_and(|found| found.verdict == Verdict::TooBroad);
        let why = found.filter(|found| !found.attackers.is_empty());
        let message = match why.map(|found| found.why.clone()) {
            _ if pinned => format!(
                "no condition on `{issuer}:sub`: AWS asks for it when the policy is written, and the job's context is not limited"
            ),
            _ if others().next().is_none() => format!(
                "no condition on `{issuer}:sub`: a job of any repository on GitHub may borrow the role"
            ),
            Some(why) => format!("no condition on `{issuer}:sub`: {why}"),
            None => format!(
                "no condition on `{issuer}:sub`: any job whose token passes the other conditions may borrow the role"
            ),
        };
        let severity = if pinned && !is_broad {
            Severity::Warning
        } else {
            Severity::Error
        };
        sink.report(span(one), message)
            .pointer(pointer(one))
            .severity(severity)
            .help(format!(
                "add \"StringEquals\": {{\"{issuer}:sub\": \"{example}\"}}"
            ));
    }
}

/// Whether the claim tells nothing of where a token comes from.
fn is_of_every_token(claim: &str) -> bool {
    claim.eq_ignore_ascii_case("aud")
}

/// From the `Condition` key to the first operator that asks for a claim: there the subject belongs.
fn span(one: GitHubStatement<'_>) -> Span {
    let first = one.claims().next();
    let at = place(one);
    match first {
        Some((condition, _)) if condition.operator_text.span().start >= at.end => {
            at.cover(condition.operator_text.span())
        }
        Some(_) | None => at,
    }
}

/// Whether the statement names GitHub's provider, or everyone, and has no comparison of the subject.
fn is_missing(one: GitHubStatement<'_>) -> bool {
    let open_to_tokens = one.providers().next().is_some()
        || one
            .principals()
            .any(|principal| principal.value.text.as_str() == "*");
    let misspelt = one
        .claim("sub")
        .any(|condition| condition.operator.is_none());
    open_to_tokens
        && !misspelt
        && !one.statement.open_conditions
        && comparisons(one, "sub").next().is_none()
}
