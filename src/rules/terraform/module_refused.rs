//! What Terraform or the provider refuses for certain.

use crate::diag::Severity;
use crate::rules::{Check, Rule, Sink, Tier};
use crate::terraform::{Declarations, RoleTrust};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "module-refused",
    aliases: &[],
    summary: "a module that Terraform or the AWS provider refuses, whatever its variables are",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("module_refused.md"),
    check: Check::Terraform(check),
};

fn check(module: &Declarations, sink: &mut Sink<'_>) {
    // That the spec's role trusts nobody is told by a rule of its own.
    let own = sink.spec().filter(|spec| module.is_of(spec));
    let own = own.and_then(|spec| module.own_role(spec));
    let untrusting = own.filter(|role| role.trust == RoleTrust::Absent);
    let trust = untrusting.map(|role| format!("{}.assume_role_policy", role.address));
    for refused in &module.refused {
        if trust.as_ref() == Some(&refused.address) {
            continue;
        }
        let message = format!("{}: Terraform refuses the module", refused.reason);
        let mut draft = sink.report(refused.at, message).help(refused.help);
        let policies = module.policies.iter();
        for policy in policies.filter(|policy| refused.stops(policy)) {
            let stopped = format!("so `{}` comes to nothing", policy.address);
            draft = draft.related(policy.at, stopped);
        }
    }
}
