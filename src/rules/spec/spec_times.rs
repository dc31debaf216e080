//! Time settings that cannot all hold.

use crate::diag::Severity;
use crate::model::spec::ids;
use crate::rules::{Check, Rule, Tier};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: ids::TIMES,
    aliases: &[],
    summary: "time settings that contradict each other",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("spec_times.md"),
    check: Check::Reader,
};
