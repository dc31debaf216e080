//! A policy that stands as text and is no JSON.

use crate::diag::Severity;
use crate::rules::{Check, Rule, Sink, Tier};
use crate::terraform::{Declarations, PolicyText};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "policy-text-not-json",
    aliases: &[],
    summary: "a policy in a heredoc or string that is not JSON",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("policy_text_not_json.md"),
    check: Check::Terraform(check),
};

fn check(module: &Declarations, sink: &mut Sink<'_>) {
    for policy in &module.policies {
        let PolicyText::Broken(fault) = &policy.text else {
            continue;
        };
        let message = format!(
            "the policy `{}` is not JSON: {}",
            policy.address, fault.reason
        );
        sink.report(fault.at, message)
            .related(policy.at, "the policy begins here")
            .help("write it with `jsonencode(…)`; in a heredoc a backslash is not read, so it is written as JSON asks, twice");
    }
}
