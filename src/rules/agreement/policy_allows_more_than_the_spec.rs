//! A policy of the spec's allows more than the spec needs: proved over all requests, and shown by one.

use crate::diag::Severity;
use crate::rules::{Check, Rule, Sink, Tier, Workspace};

use super::proof::{Way, report};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "policy-allows-more-than-the-spec",
    aliases: &[],
    summary: "a policy allows a request that the spec does not need",
    severity: Severity::Error,
    tier: Tier::Proof,
    page: include_str!("policy_allows_more_than_the_spec.md"),
    check: Check::Whole(check),
};

fn check(workspace: &Workspace, sink: &mut Sink<'_>) {
    report(Way::More, workspace, sink);
}
