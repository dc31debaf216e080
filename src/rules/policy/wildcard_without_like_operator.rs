//! `*` or `?` under an operator that takes them for plain characters.

use crate::diag::Severity;
use std::ops::Range;

use crate::model::policy::{Condition, Family, PolicyDocument, route53};
use crate::model::trust::{Repository, claim_of};
use crate::rules::{Check, Rule, Sink, Tier};
use crate::text::quoted;

use super::mend;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "wildcard-without-like-operator",
    aliases: &[],
    summary: "a wildcard under an operator that compares exactly",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("wildcard_without_like_operator.md"),
    check: Check::Policy(check),
};

/// The one key whose value is a literal `*`: the header `If-None-Match: *` of conditional writes (Amazon S3 User Guide,
/// "Enforce conditional writes on Amazon S3 buckets").
const ANY_OBJECT: &str = "s3:if-none-match";

fn check(policy: &PolicyDocument, sink: &mut Sink<'_>) {
    for condition in policy
        .conditions()
        .filter(|condition| compares_exactly(condition))
    {
        for value in &condition.values {
            let text = value.text.as_str();
            if text == "*" && condition.is_on(ANY_OBJECT) {
                continue;
            }
            let Some(at) = wildcard(text) else { continue };
            let operator = condition.operator_text.as_str();
            let character = text.get(at.clone()).unwrap_or_default();
            let message = format!(
                "under `{operator}` the `{character}` in {} is a plain character, no wildcard",
                quoted(text)
            );
            let help = help(condition, character, sink.repository());
            let subject = sink
                .repository()
                .filter(|_| is_subject(condition))
                .map(|repository| repository.subject().to_string());
            let edit = subject.and_then(|subject| mend::replace(sink, &value.text, &subject));
            let draft = sink
                .report(value.text.span_of(at), message)
                .pointer(value.pointer.clone())
                .related(
                    condition.operator_text.span(),
                    "compares character by character",
                )
                .help(help);
            let edits = edit.into_iter().map(Some).collect();
            mend::offer_as(draft, policy, "name the job's subject", edits, false);
        }
    }
}

/// What to write. A subject is named, never matched: a pattern there lets others in.
fn help(condition: &Condition, character: &str, repository: Option<&Repository>) -> String {
    if is_subject(condition) {
        return match repository {
            Some(repository) => format!("name the job's subject: `{}`", repository.subject()),
            None => "name one subject, exactly: `repo:OWNER@OWNER_ID/NAME@REPOSITORY_ID:ref:refs/heads/BRANCH`".to_owned(),
        };
    }
    let like = condition
        .operator_text
        .as_str()
        .replace("EqualsIgnoreCase", "Like")
        .replace("Equals", "Like");
    format!("for a pattern write `{like}`; for the character itself `${{{character}}}`")
}

/// Whether the condition is on the subject of GitHub's tokens.
fn is_subject(condition: &Condition) -> bool {
    claim_of(condition.key.as_str()).is_some_and(|claim| claim.eq_ignore_ascii_case("sub"))
}

/// The record keys have rules of their own, which know what Route 53 sends.
fn compares_exactly(condition: &Condition) -> bool {
    condition.operator.is_some_and(|operator| {
        operator.base.family() == Family::String && !operator.base.is_pattern()
    }) && !route53::RECORD_KEYS.iter().any(|key| condition.is_on(key))
}

/// The first wildcard that is not written as `${*}` or `${?}`.
fn wildcard(text: &str) -> Option<Range<usize>> {
    text.match_indices(['*', '?'])
        .map(|(at, _)| at)
        .find(|at| !text.get(..*at).is_some_and(|before| before.ends_with("${")))
        .map(|at| at..at + 1)
}
