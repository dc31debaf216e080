//! `iam:CreateServiceLinkedRole` in an Allow that says neither which role nor which service.

use crate::diag::Severity;
use crate::rules::{Check, Rule, Tier};

use super::role_right::RoleRight;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "create-slr-unrestricted",
    aliases: &[],
    summary: "iam:CreateServiceLinkedRole on every role",
    severity: Severity::Warning,
    tier: Tier::Specific,
    page: include_str!("create_slr_unrestricted.md"),
    check: Check::Policy(|policy, sink| RIGHT.check(policy, sink)),
};

const RIGHT: RoleRight = RoleRight {
    action: "iam:CreateServiceLinkedRole",
    key: "iam:AWSServiceName",
    does: "creates the service-linked role of any service",
};
