//! The element `Id` in a policy of an identity, where it means nothing.

use crate::diag::Severity;
use crate::model::policy::PolicyDocument;
use crate::rules::{Check, Rule, Sink, Tier};

use super::grant;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "id-in-identity-policy",
    aliases: &[],
    summary: "Id in a policy of an identity",
    severity: Severity::Note,
    tier: Tier::Specific,
    page: include_str!("id_in_identity_policy.md"),
    check: Check::Policy(check),
};

fn check(policy: &PolicyDocument, sink: &mut Sink<'_>) {
    let id = policy
        .root
        .entry("Id")
        .filter(|_| grant::is_for_identities(policy.kind));
    if let Some(id) = id {
        sink.report(
            id.key.span(),
            "`Id` belongs to the policies of resources; in one of an identity it means nothing",
        )
        .pointer("/Id")
        .help("take it out; name statements with `Sid`");
    }
}
