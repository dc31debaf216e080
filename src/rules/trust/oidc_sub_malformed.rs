//! A subject that GitHub never writes, whatever the repository.

use crate::diag::Severity;
use crate::model::policy::PolicyDocument;
use crate::rules::{Check, Rule, Sink, Tier};

use super::subjects::{allows, fault, limits};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "oidc-sub-malformed",
    aliases: &[],
    summary: "a subject that GitHub never writes",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("oidc_sub_malformed.md"),
    check: Check::Trust(check),
};

fn check(policy: &PolicyDocument, sink: &mut Sink<'_>) {
    for one in allows(policy) {
        for condition in limits(one, "sub") {
            for value in &condition.values {
                let Some(fault) = fault(condition, value) else {
                    continue;
                };
                let text = value.text.as_str();
                let help = match sink.repository() {
                    Some(repository) => format!("the job's subject is `{}`", repository.subject()),
                    None => "GitHub writes `repo:OWNER@OWNER_ID/NAME@REPOSITORY_ID:ref:refs/heads/BRANCH`, or `repo:OWNER/NAME:…` for older repositories".to_owned(),
                };
                sink.report(
                    value.text.span(),
                    format!("no token carries the subject `{text}`: {fault}"),
                )
                .pointer(value.pointer.clone())
                .help(help);
            }
        }
    }
}
