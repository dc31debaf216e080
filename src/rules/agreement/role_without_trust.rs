//! The spec's role, if it trusts nobody.

use crate::diag::Severity;
use crate::model::spec::Spec;
use crate::rules::{Check, Rule, Sink, Tier, Workspace};
use crate::terraform::{Declarations, RoleTrust};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "role-without-trust",
    aliases: &[],
    summary: "the role of the spec's module has no trust policy",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("role_without_trust.md"),
    check: Check::Whole(check),
};

fn check(workspace: &Workspace, sink: &mut Sink<'_>) {
    let Some(spec) = &workspace.spec else { return };
    for module in workspace.own_declared() {
        of_module(spec, module, sink);
    }
}

fn of_module(spec: &Spec, module: &Declarations, sink: &mut Sink<'_>) {
    let own = module.own_role(spec);
    let Some(role) = own.filter(|role| role.trust == RoleTrust::Absent) else {
        return;
    };
    let message = format!(
        "`{}` has no `assume_role_policy`: nobody can borrow it, the workflow neither",
        role.address
    );
    let label = spec.label("/aws/role");
    sink.report(role.head, message)
        .related(label.at, label.text)
        .help("write the trust policy; `pointsman generate` writes the module with it");
}
