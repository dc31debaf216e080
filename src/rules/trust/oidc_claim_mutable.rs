//! A condition on a name that its holder can give up, where the token carries an id too.

use crate::diag::Severity;
use crate::model::policy::PolicyDocument;
use crate::rules::{Check, Rule, Sink, Tier};

use super::subjects::{allows, issuer, limits};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "oidc-claim-mutable",
    aliases: &[],
    summary: "a trust policy that asks for a name where there is an id",
    severity: Severity::Warning,
    tier: Tier::Specific,
    page: include_str!("oidc_claim_mutable.md"),
    check: Check::Trust(check),
};

fn check(policy: &PolicyDocument, sink: &mut Sink<'_>) {
    for one in allows(policy) {
        // Beside the person's id the name opens nothing.
        if limits(one, "actor_id").next().is_some() {
            continue;
        }
        for condition in limits(one, "actor") {
            sink.report(
                condition.key.span(),
                "`actor` is a name that can be given up and taken by somebody else; and whoever starts a run again is its actor",
            )
            .pointer(condition.pointer.clone())
            .help(format!("ask for `{}:actor_id`, which `gh api users/NAME --jq .id` prints", issuer(one)));
        }
    }
}
