//! A site that a switched record type has no address of.

use crate::diag::Severity;
use crate::model::spec::ids;
use crate::rules::{Check, Rule, Tier};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: ids::ADDRESS_MISSING,
    aliases: &[],
    summary: "a site without an address of a switched type",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("spec_address_missing.md"),
    check: Check::Reader,
};
