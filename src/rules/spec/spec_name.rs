//! A text that names no record, host or zone.

use crate::diag::Severity;
use crate::model::spec::ids;
use crate::rules::{Check, Rule, Tier};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: ids::NAME,
    aliases: &[],
    summary: "a text that is no name of a record, a host or a zone",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("spec_name.md"),
    check: Check::Reader,
};
