//! A permissions boundary on the spec's role, which the spec does not know.

use crate::diag::Severity;
use crate::model::spec::Spec;
use crate::rules::{Check, Rule, Sink, Tier, Workspace};
use crate::terraform::Declarations;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "role-boundary-unexpected",
    aliases: &[],
    summary: "a permissions boundary on the spec's role, which may deny the switch",
    severity: Severity::Error,
    tier: Tier::Agreement,
    page: include_str!("role_boundary_unexpected.md"),
    check: Check::Whole(check),
};

fn check(workspace: &Workspace, sink: &mut Sink<'_>) {
    let Some(spec) = &workspace.spec else { return };
    for module in workspace.own_declared() {
        of_module(spec, module, sink);
    }
}

fn of_module(spec: &Spec, module: &Declarations, sink: &mut Sink<'_>) {
    for role in module
        .roles
        .iter()
        .filter(|role| module.is_role(spec, role))
    {
        let Some(boundary) = &role.boundary else {
            continue;
        };
        if let Some(unknown) = boundary.as_unknown() {
            let what = format!("whether `{}` has a permissions boundary", role.address);
            sink.undecided(boundary.span(), what, &unknown.why, unknown.missing.clone());
            continue;
        }
        let written = boundary
            .as_str()
            .map_or_else(String::new, |arn| format!(" `{arn}`"));
        let message = format!(
            "`{}` has the permissions boundary{written}: what it does not allow, the role cannot do",
            role.address
        );
        let label = spec.label("/aws/role");
        sink.report(boundary.span(), message)
            .related(label.at, label.text)
            .help("the spec's role has no boundary, for its two policies allow nothing beyond the switch; remove it");
    }
}
