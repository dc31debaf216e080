//! Folders of generated files that collide.

use crate::diag::Severity;
use crate::model::spec::ids;
use crate::rules::{Check, Rule, Tier};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: ids::PATHS,
    aliases: &[],
    summary: "folders of generated files that collide",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("spec_paths.md"),
    check: Check::Reader,
};
