//! An origin record that would follow the switch.

use crate::diag::Severity;
use crate::model::spec::ids;
use crate::rules::{Check, Rule, Tier};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: ids::ORIGIN_SWITCHED,
    aliases: &[],
    summary: "an origin record that the switch would move",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("spec_origin_switched.md"),
    check: Check::Reader,
};
