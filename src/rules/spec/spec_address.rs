//! A site address that visitors could not reach, or that moves nothing.

use crate::diag::Severity;
use crate::model::spec::ids;
use crate::rules::{Check, Rule, Tier};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: ids::ADDRESS,
    aliases: &[],
    summary: "a site address that cannot be read, is not public or is used twice",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("spec_address.md"),
    check: Check::Reader,
};
