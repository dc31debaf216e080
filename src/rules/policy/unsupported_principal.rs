//! `Principal` in a policy of an identity, which concerns that identity alone.

use crate::diag::Severity;
use crate::model::policy::PolicyDocument;
use crate::rules::{Check, Rule, Sink, Tier};

use super::grant;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "unsupported-principal",
    aliases: &[],
    summary: "Principal in a policy of an identity",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("unsupported_principal.md"),
    check: Check::Policy(check),
};

fn check(policy: &PolicyDocument, sink: &mut Sink<'_>) {
    if !grant::is_for_identities(policy.kind) {
        return;
    }
    for principals in policy.statements.iter().filter_map(|statement| {
        statement
            .principals
            .as_ref()
            .map(|principals| (statement, principals))
    }) {
        let (statement, principals) = principals;
        let key = principals.key.as_str();
        let message = format!(
            "a policy of kind `{}` has no `{key}`: it concerns whom it is attached to",
            policy.kind.word()
        );
        sink.report(principals.key.span(), message)
            .pointer(format!("{}/{key}", statement.pointer))
            .help("take it out; in a trust or resource policy it is right (`--policy-type` gives the kind)");
    }
}
