//! A host that no site or no switched record serves.

use crate::diag::Severity;
use crate::model::spec::ids;
use crate::rules::{Check, Rule, Tier};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: ids::HOST_NOWHERE,
    aliases: &[],
    summary: "a host that is served at no site, or by no switched record",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("spec_host_nowhere.md"),
    check: Check::Reader,
};
