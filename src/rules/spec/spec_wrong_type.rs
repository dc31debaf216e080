//! A value of another type than its key takes.

use crate::diag::Severity;
use crate::model::spec::ids;
use crate::rules::{Check, Rule, Tier};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: ids::WRONG_TYPE,
    aliases: &[],
    summary: "a value of another type than its key takes",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("spec_wrong_type.md"),
    check: Check::Reader,
};
