//! An Allow for everybody but those named.

use crate::diag::Severity;
use crate::model::policy::{PolicyDocument, PolicyKind};
use crate::rules::{Check, Rule, Sink, Tier};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "allow-with-notprincipal",
    aliases: &[],
    summary: "Allow with NotPrincipal",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("allow_with_notprincipal.md"),
    check: Check::Policy(check),
};

fn check(policy: &PolicyDocument, sink: &mut Sink<'_>) {
    // A trust policy has no `NotPrincipal` at all, nor has a policy of an identity.
    for statement in policy
        .statements
        .iter()
        .filter(|statement| statement.allows())
    {
        let negated = statement
            .principals
            .as_ref()
            .filter(|principals| principals.negated);
        if let Some(principals) = negated.filter(|_| policy.kind == PolicyKind::Resource) {
            sink.report(
                principals.key.span(),
                "this Allow is for everybody but those named, strangers without a name among them",
            )
            .pointer(format!("{}/NotPrincipal", statement.pointer))
            .help("name under `Principal` who is meant; to keep somebody out write a Deny");
        }
    }
}
