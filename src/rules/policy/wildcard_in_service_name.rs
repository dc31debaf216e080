//! A wildcard before the colon of an action.

use crate::diag::Severity;
use crate::model::policy::{PolicyDocument, has_wildcard};
use crate::rules::{Check, Rule, Sink, Tier};
use crate::text::{cut_at_colon, quoted};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "wildcard-in-service-name",
    aliases: &[],
    summary: "a wildcard in the service of an action",
    severity: Severity::Warning,
    tier: Tier::Specific,
    page: include_str!("wildcard_in_service_name.md"),
    check: Check::Policy(check),
};

fn check(policy: &PolicyDocument, sink: &mut Sink<'_>) {
    for action in policy.actions() {
        let text = action.text.as_str();
        let Some((prefix, _)) = cut_at_colon(text) else {
            continue;
        };
        if !has_wildcard(prefix) {
            continue;
        }
        let message = format!(
            "{} is for actions of several services at once",
            quoted(text)
        );
        sink.report(action.text.span_of(0..prefix.len()), message)
            .pointer(action.pointer.clone())
            .help("name the service, such as `route53:Get*`, one action or pattern for each service that is meant");
    }
}
