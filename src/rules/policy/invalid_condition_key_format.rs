//! A condition key without a service before its colon.

use crate::diag::Severity;
use crate::model::policy::PolicyDocument;
use crate::rules::{Check, Rule, Sink, Tier};
use crate::text::quoted;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "invalid-condition-key-format",
    aliases: &[],
    summary: "a condition key that is not written `service:Key`",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("invalid_condition_key_format.md"),
    check: Check::Policy(check),
};

fn check(policy: &PolicyDocument, sink: &mut Sink<'_>) {
    for condition in policy.conditions() {
        let key = condition.key.as_str();
        let named = |(prefix, name): (&str, &str)| !prefix.is_empty() && !name.is_empty();
        if key.contains("${") || key.split_once(':').is_some_and(named) {
            continue;
        }
        let message = format!("{} is no condition key: it names no service", quoted(key));
        sink.report(condition.key.span(), message)
            .pointer(condition.pointer.clone())
            .help("a key is written `service:Key`, such as `aws:SourceIp`");
    }
}
