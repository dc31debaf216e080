//! A suppression that suppresses nothing.

use crate::diag::Severity;
use crate::rules::{Check, Rule, Tier};

/// The rule.
pub const RULE: Rule = Rule {
    id: "suppression-unused",
    aliases: &[],
    summary: "a suppression that suppresses nothing",
    severity: Severity::Warning,
    tier: Tier::Specific,
    page: include_str!("suppression_unused.md"),
    check: Check::Reader,
};
