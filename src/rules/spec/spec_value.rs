//! A value that its key does not take.

use crate::diag::Severity;
use crate::model::spec::ids;
use crate::rules::{Check, Rule, Tier};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: ids::VALUE,
    aliases: &[],
    summary: "a value that its key does not take",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("spec_value.md"),
    check: Check::Reader,
};
