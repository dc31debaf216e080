//! A `NotAction` or `NotResource` that leaves nothing.

use crate::diag::Severity;
use crate::model::policy::PolicyDocument;
use crate::rules::{Check, Rule, Sink, Tier};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "statement-never-applies",
    aliases: &[],
    summary: "a `NotAction` or `NotResource` that leaves nothing",
    severity: Severity::Error,
    tier: Tier::General,
    page: include_str!("statement_never_applies.md"),
    check: Check::Policy(check),
};

fn check(policy: &PolicyDocument, sink: &mut Sink<'_>) {
    for statement in &policy.statements {
        let lists = [&statement.actions, &statement.resources];
        for list in lists.into_iter().flatten().filter(|list| list.negated) {
            let is_all = |text: &str| !text.is_empty() && text.chars().all(|c| c == '*');
            let all = list.values.iter().find(|value| is_all(value.text.as_str()));
            let Some(all) = all else { continue };
            let effect = if statement.allows() {
                "allows"
            } else {
                "denies"
            };
            let key = list.key.as_str();
            let message =
                format!("`*` in `{key}` leaves nothing out, so the statement {effect} nothing");
            // IAM takes such an Allow; such a Deny protects nothing.
            let severity = if statement.allows() {
                Severity::Warning
            } else {
                Severity::Error
            };
            sink.report(all.text.span(), message)
                .severity(severity)
                .pointer(all.pointer.clone())
                .help(format!(
                    "write `{}` if everything is meant, or list what the statement is not for",
                    key.trim_start_matches("Not")
                ));
        }
    }
}
