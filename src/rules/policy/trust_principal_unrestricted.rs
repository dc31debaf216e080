//! A role that anyone in any account may assume.

use crate::diag::Severity;
use crate::model::policy::{PolicyDocument, PolicyKind};
use crate::rules::{Check, Rule, Sink, Tier};

use super::everyone;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "trust-principal-unrestricted",
    aliases: &[],
    summary: "a role that anyone in any account may assume",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("trust_principal_unrestricted.md"),
    check: Check::Policy(check),
};

fn check(policy: &PolicyDocument, sink: &mut Sink<'_>) {
    if policy.kind != PolicyKind::Trust {
        return;
    }
    for statement in &policy.statements {
        let Some(everyone) = everyone::let_in(statement) else {
            continue;
        };
        sink.report(
            everyone.value.text.span(),
            "`*` lets anyone in any AWS account assume the role: no condition limits who asks",
        )
        .pointer(everyone.value.pointer.clone())
        .help(
            "name the accounts, roles or services that may assume the role, or limit `*` by \"StringEquals\": {\"aws:PrincipalOrgID\": \"o-example1234\"}",
        );
    }
}
