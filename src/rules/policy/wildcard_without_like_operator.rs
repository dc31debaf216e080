//! `*` or `?` under an operator that takes them for plain characters.

use crate::diag::Severity;
use std::ops::Range;

use crate::model::policy::{Condition, Family, PolicyDocument, route53};
use crate::rules::{Check, Rule, Sink, Tier};
use crate::text::quoted;

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

fn check(policy: &PolicyDocument, sink: &mut Sink<'_>) {
    for condition in policy
        .conditions()
        .filter(|condition| compares_exactly(condition))
    {
        for value in &condition.values {
            let text = value.text.as_str();
            let Some(at) = wildcard(text) else { continue };
            let operator = condition.operator_text.as_str();
            let character = text.get(at.clone()).unwrap_or_default();
            let message = format!(
                "under `{operator}` the `{character}` in {} is a plain character, no wildcard",
                quoted(text)
            );
            let like = operator
                .replace("EqualsIgnoreCase", "Like")
                .replace("Equals", "Like");
            sink.report(value.text.span_of(at), message)
                .pointer(value.pointer.clone())
                .related(
                    condition.operator_text.span(),
                    "compares character by character",
                )
                .help(format!(
                    "for a pattern write `{like}`; for the character itself `${{{character}}}`"
                ));
        }
    }
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
