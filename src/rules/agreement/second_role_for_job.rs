//! A second role that the failover job can borrow.

use crate::diag::Severity;

use crate::model::policy::PolicyKind;
use crate::model::spec::Spec;
use crate::rules::{Check, Rule, Sink, Tier, Workspace};
use crate::terraform::Declarations;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "second-role-for-job",
    aliases: &[],
    summary: "a second role of the spec's module that the failover job can borrow",
    severity: Severity::Error,
    tier: Tier::Agreement,
    page: include_str!("second_role_for_job.md"),
    check: Check::Whole(check),
};

fn check(workspace: &Workspace, sink: &mut Sink<'_>) {
    let Some(spec) = &workspace.spec else { return };
    for module in workspace.own_declared() {
        of_module(workspace, spec, module, sink);
    }
}

fn of_module(workspace: &Workspace, spec: &Spec, module: &Declarations, sink: &mut Sink<'_>) {
    let trusts_job = |address: &str| {
        let address = format!("{address}.assume_role_policy");
        let policies = workspace.policies.iter().map(|artefact| &artefact.model);
        policies
            .filter(|policy| policy.kind == PolicyKind::Trust)
            .filter(|policy| policy.address.as_deref() == Some(address.as_str()))
            .filter_map(|policy| workspace.verdict(policy))
            .any(|found| found.legit_allowed)
    };
    let borrowed: Vec<_> = module
        .roles
        .iter()
        .filter(|role| trusts_job(&role.address))
        .collect();
    let named = borrowed.iter().position(|role| module.is_role(spec, role));
    let Some(first) = borrowed.get(named.unwrap_or(0)) else {
        return;
    };
    for role in borrowed.iter().filter(|role| role.head != first.head) {
        let message = format!(
            "`{}` can be borrowed by the failover job too, beside `{}`",
            role.address, first.address
        );
        let label = spec.label("/aws/role");
        sink.report(role.head, message)
            .related(first.head, "the role that the workflow borrows")
            .related(label.at, label.text)
            .help("the spec has one role; remove this one, or let it trust another job");
    }
}
