//! A site that the list of sites does not have.

use crate::diag::Severity;
use crate::model::spec::ids;
use crate::rules::{Check, Rule, Tier};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: ids::SITE_UNKNOWN,
    aliases: &[],
    summary: "a site that is not in the list of sites",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("spec_site_unknown.md"),
    check: Check::Reader,
};
