//! A site that no probe could ask.

use crate::diag::Severity;
use crate::model::spec::ids;
use crate::rules::{Check, Rule, Tier};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: ids::SITE_WITHOUT_HOST,
    aliases: &[],
    summary: "a site at which no host is served",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("spec_site_without_host.md"),
    check: Check::Reader,
};
