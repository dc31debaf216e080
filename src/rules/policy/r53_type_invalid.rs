//! A record type that Route 53 does not send.

use crate::diag::Severity;
use crate::model::dns::RECORD_TYPES;
use crate::model::policy::{PolicyDocument, route53};
use crate::rules::{Check, Rule, Sink, Tier};

use super::record_keys;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "r53-type-invalid",
    aliases: &[],
    summary: "a record type that Route 53 does not send",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("r53_type_invalid.md"),
    check: Check::Policy(check),
};

fn check(policy: &PolicyDocument, sink: &mut Sink<'_>) {
    record_keys::report_unknown_words(
        policy,
        sink,
        route53::TYPES_KEY,
        &RECORD_TYPES,
        "record type",
    );
}
