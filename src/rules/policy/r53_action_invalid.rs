//! A change action that Route 53 does not send.

use crate::diag::Severity;
use crate::model::dns::CHANGE_ACTIONS;
use crate::model::policy::{PolicyDocument, route53};
use crate::rules::{Check, Rule, Sink, Tier};

use super::record_keys;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "r53-action-invalid",
    aliases: &[],
    summary: "a change action that Route 53 does not send",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("r53_action_invalid.md"),
    check: Check::Policy(check),
};

fn check(policy: &PolicyDocument, sink: &mut Sink<'_>) {
    record_keys::report_unknown_words(
        policy,
        sink,
        route53::ACTIONS_KEY,
        &CHANGE_ACTIONS,
        "change action",
    );
}
