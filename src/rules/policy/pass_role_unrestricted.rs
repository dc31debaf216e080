//! `iam:PassRole` in an Allow that says neither which role nor which service.

use crate::diag::Severity;
use crate::rules::{Check, Rule, Tier};

use super::role_right::RoleRight;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "pass-role-unrestricted",
    aliases: &[],
    summary: "iam:PassRole on every role",
    severity: Severity::Warning,
    tier: Tier::Specific,
    page: include_str!("pass_role_unrestricted.md"),
    check: Check::Policy(|policy, sink| RIGHT.check(policy, sink)),
};

const RIGHT: RoleRight = RoleRight {
    action: "iam:PassRole",
    key: "iam:PassedToService",
    does: "hands any role to a service",
};
