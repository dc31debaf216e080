//! A suppression that does not say why.

use crate::diag::Severity;
use crate::rules::{Check, Rule, Tier};

/// The rule.
pub const RULE: Rule = Rule {
    id: "suppression-without-reason",
    aliases: &[],
    summary: "a suppression that does not say why",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("suppression_without_reason.md"),
    check: Check::Reader,
};
