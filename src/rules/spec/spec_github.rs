//! A repository, branch or environment that GitHub or IAM would not take.

use crate::diag::Severity;
use crate::model::spec::ids;
use crate::rules::{Check, Rule, Tier};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: ids::GITHUB,
    aliases: &[],
    summary: "a repository, branch or environment that GitHub would not take",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("spec_github.md"),
    check: Check::Reader,
};
