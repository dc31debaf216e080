//! A role whose policies two resources own.

use crate::diag::Severity;
use crate::rules::{Check, Rule, Sink, Tier};
use crate::syntax::Node;
use crate::terraform::{Declarations, Grant, GrantKind};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "role-policies-owned-twice",
    aliases: &[],
    summary: "a role that owns its policies in its own block, and gets others from elsewhere",
    severity: Severity::Warning,
    tier: Tier::General,
    page: include_str!("role_policies_owned_twice.md"),
    check: Check::Terraform(check),
};

fn check(module: &Declarations, sink: &mut Sink<'_>) {
    for role in &module.roles {
        // The spec's role has no such block, which is told by itself.
        if sink
            .spec()
            .is_some_and(|spec| module.is_of(spec) && module.is_role(spec, role))
        {
            continue;
        }
        for (kind, owner) in [
            (GrantKind::Inline, role.inline.first().copied()),
            (GrantKind::Attached, role.managed.as_ref().map(Node::span)),
        ] {
            let Some(owner) = owner else {
                continue;
            };
            let to_role = |grant: &&Grant| {
                grant.kind == kind && grant.roles.iter().any(|given| role.is_named(given))
            };
            for grant in module.grants.iter().filter(to_role) {
                let message = format!(
                    "`{}` gives `{}` a policy that the role's own block takes away at its next apply",
                    grant.address, role.address
                );
                sink.report(grant.head, message)
                    .related(owner, "this owns all policies of the role of this kind")
                    .help("declare the policies of a role in one way: in resources of their own, without `inline_policy` and `managed_policy_arns`");
            }
        }
    }
}
