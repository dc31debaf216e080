//! A name that the hosted zone cannot hold.

use crate::diag::Severity;
use crate::model::spec::ids;
use crate::rules::{Check, Rule, Tier};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: ids::NAME_OUTSIDE_ZONE,
    aliases: &[],
    summary: "a name that lies outside the zone",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("spec_name_outside_zone.md"),
    check: Check::Reader,
};
