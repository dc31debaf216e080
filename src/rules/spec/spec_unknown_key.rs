//! A key that the spec does not know.

use crate::diag::Severity;
use crate::model::spec::ids;
use crate::rules::{Check, Rule, Tier};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: ids::UNKNOWN_KEY,
    aliases: &[],
    summary: "a key that the spec does not know",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("spec_unknown_key.md"),
    check: Check::Reader,
};
