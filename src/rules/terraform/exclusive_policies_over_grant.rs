//! A resource that owns all policies of a role, and does not list one that the role gets.

use crate::diag::Severity;
use crate::rules::{Check, Rule, Sink, Tier, Workspace};
use crate::terraform::{Declarations, ExclusivePolicies, Grant};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "exclusive-policies-over-grant",
    aliases: &[],
    summary: "a resource that owns all policies of a role takes away one that another resource gives it",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("exclusive_policies_over_grant.md"),
    check: Check::Whole(check),
};

fn check(workspace: &Workspace, sink: &mut Sink<'_>) {
    for module in workspace.modules.iter().chain(&workspace.planned) {
        for exclusive in &module.exclusive_policies {
            of_one(exclusive, module, sink);
        }
    }
}

fn of_one(exclusive: &ExclusivePolicies, module: &Declarations, sink: &mut Sink<'_>) {
    let is_other = |grant: &&Grant| grant.address != exclusive.address;
    let grants = module.grants.iter().filter(is_other);
    for grant in grants.filter(|grant| module.is_of_same_role(exclusive, grant)) {
        match exclusive.lists(grant) {
            Some(true) => {}
            Some(false) => {
                let message = format!(
                    "`{}` takes away every policy of its role that it does not list, that of `{}` among them",
                    exclusive.address, grant.address
                );
                sink.report(exclusive.head, message)
                    .related(grant.head, "gives the role a policy")
                    .help("list the policy there, or remove the exclusive resource");
            }
            None => {
                let what = format!(
                    "whether `{}` takes away the policy of `{}`",
                    exclusive.address, grant.address
                );
                let listed = exclusive.listed.as_ref();
                let sides = listed.into_iter().chain(&grant.name).chain(&grant.policy);
                let unknown = sides.flat_map(|node| node.unknowns()).next();
                let (why, missing) = unknown.map_or_else(
                    || {
                        (
                            "the policy has no name here".to_owned(),
                            vec![format!("{}.name", grant.address)],
                        )
                    },
                    |(unknown, _)| (unknown.why.clone(), unknown.missing.clone()),
                );
                sink.undecided(exclusive.head, what, why, missing);
            }
        }
    }
}
