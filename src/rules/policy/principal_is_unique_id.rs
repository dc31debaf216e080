//! The unique id of a role or a user in place of its ARN.

use crate::diag::Severity;
use crate::model::policy::PolicyDocument;
use crate::rules::{Check, Rule, Sink, Tier};
use crate::text::quoted;

use super::invalid_principal::is_unique_id;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "principal-is-unique-id",
    aliases: &[],
    summary: "a principal that was deleted",
    severity: Severity::Warning,
    tier: Tier::Specific,
    page: include_str!("principal_is_unique_id.md"),
    check: Check::Policy(check),
};

fn check(policy: &PolicyDocument, sink: &mut Sink<'_>) {
    let principals = policy
        .statements
        .iter()
        .filter_map(|statement| statement.principals.as_ref());
    for principal in principals.flat_map(|principals| &principals.entries) {
        let text = principal.value.text.as_str();
        let aws = principal
            .kind
            .as_ref()
            .is_some_and(|kind| kind.as_str() == "AWS");
        if aws && is_unique_id(text) {
            let message = format!(
                "{} is what AWS leaves of a principal that was deleted",
                quoted(text)
            );
            sink.report(principal.value.text.span(), message)
                .pointer(principal.value.pointer.clone())
                .help("write the ARN of the principal that is meant, or take it out: a new one of the same name is not matched");
        }
    }
}
