//! A policy variable where the version in force knows none.

use crate::diag::Severity;
use crate::model::policy::{PolicyDocument, PolicyVersion, Value};
use crate::rules::{Check, Rule, Sink, Tier};
use crate::text::quoted;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "variable-unsupported-in-version",
    aliases: &[],
    summary: "a policy variable in a policy of the 2008 language",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("variable_unsupported_in_version.md"),
    check: Check::Policy(check),
};

fn check(policy: &PolicyDocument, sink: &mut Sink<'_>) {
    let open = policy.unknown.iter().any(|part| part.pointer == "/Version");
    if open || policy.grammar() != PolicyVersion::V2008 {
        return;
    }
    for value in policy.values_with_variables() {
        report(value, sink);
    }
}

fn report(value: &Value, sink: &mut Sink<'_>) {
    let text = value.text.as_str();
    let Some(start) = text.find("${") else { return };
    let rest = text.get(start..).unwrap_or_default();
    let length = rest.find('}').map_or(rest.len(), |end| end + 1);
    let variable = rest.get(..length).unwrap_or_default();
    let message = format!(
        "{} is plain text here: variables need the version 2012-10-17",
        quoted(variable)
    );
    let at = value.text.span_of(start..start + length);
    sink.report(at, message)
        .pointer(value.pointer.clone())
        .help("write \"Version\": \"2012-10-17\" at the top of the policy");
}
