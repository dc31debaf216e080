//! A `Sid` with characters other than letters and digits.

use crate::diag::Severity;
use crate::model::policy::{PolicyDocument, PolicyKind};
use crate::rules::{Check, Rule, Sink, Tier};
use crate::text::quoted;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "unsupported-sid",
    aliases: &[],
    summary: "a Sid with characters other than letters and digits",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("unsupported_sid.md"),
    check: Check::Policy(check),
};

fn check(policy: &PolicyDocument, sink: &mut Sink<'_>) {
    // Services differ in what they take in the policies of their resources.
    if matches!(policy.kind, PolicyKind::Resource | PolicyKind::Endpoint) {
        return;
    }
    for statement in &policy.statements {
        let Some(sid) = &statement.sid else { continue };
        let text = sid.as_str();
        let odd = |character: char| !character.is_ascii_alphanumeric();
        let Some(first) = text.find(odd) else {
            continue;
        };
        let end = text
            .char_indices()
            .filter(|(_, character)| odd(*character))
            .map(|(at, character)| at + character.len_utf8())
            .max();
        let faulty = first..end.unwrap_or(text.len());
        let message = format!(
            "the Sid {} has {}; allowed are letters and digits",
            quoted(text),
            quoted(text.get(faulty.clone()).unwrap_or_default())
        );
        // `CreatePolicy` has been seen to take underscores; Access Analyzer refuses them like the rest.
        let severity = if text
            .chars()
            .all(|character| character == '_' || !odd(character))
        {
            Severity::Warning
        } else {
            Severity::Error
        };
        let left = text.replace(odd, "");
        let help = if left.is_empty() {
            "write letters a–z and digits, or take the Sid out".to_owned()
        } else {
            format!("write `{left}`")
        };
        sink.report(sid.span_of(faulty), message)
            .severity(severity)
            .pointer(format!("{}/Sid", statement.pointer))
            .help(help);
    }
}
