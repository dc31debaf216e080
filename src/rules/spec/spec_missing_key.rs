//! A key without a default that is not there.

use crate::diag::Severity;
use crate::model::spec::ids;
use crate::rules::{Check, Rule, Tier};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: ids::MISSING_KEY,
    aliases: &[],
    summary: "a key without a default is missing",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("spec_missing_key.md"),
    check: Check::Reader,
};
