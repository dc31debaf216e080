//! A name that stands twice where it may stand once.

use crate::diag::Severity;
use crate::model::spec::ids;
use crate::rules::{Check, Rule, Tier};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: ids::REPEATED,
    aliases: &[],
    summary: "a name that stands twice where it may stand once",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("spec_repeated.md"),
    check: Check::Reader,
};
