//! A spec that is not valid TOML, or not text at all.

use crate::diag::Severity;
use crate::model::spec::ids;
use crate::rules::{Check, Rule, Tier};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: ids::SYNTAX,
    aliases: &[],
    summary: "a spec that is not valid TOML",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("spec_syntax.md"),
    check: Check::Reader,
};
