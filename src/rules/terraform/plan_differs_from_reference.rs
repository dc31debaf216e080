//! A plan that does more than the deployment asks for.

use crate::diag::Severity;
use crate::rules::{Check, Rule, Sink, Tier, Workspace};
use crate::terraform::PlanChange;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "plan-differs-from-reference",
    aliases: &[],
    summary: "a plan of the deployment that is not one role and two inline policies to add, and no record to change",
    severity: Severity::Error,
    tier: Tier::General,
    page: include_str!("plan_differs_from_reference.md"),
    check: Check::Whole(check),
};

fn check(workspace: &Workspace, sink: &mut Sink<'_>) {
    if workspace.spec.is_none() {
        return;
    }
    for plan in &workspace.plans {
        let real = || plan.changes.iter().filter(|change| !change.is_nothing());
        for change in real().filter(|change| !is_expected(change)) {
            let message = format!(
                "the plan does `{}` to `{}`; the deployment is one role and two inline policies to add, and no record to change",
                change.actions.join(", "),
                change.address
            );
            sink.report(change.at, message).help(HELP);
        }
        for (kind, most) in [("aws_iam_role", 1), ("aws_iam_role_policy", 2)] {
            let added: Vec<&PlanChange> = real()
                .filter(|change| change.kind == kind && is_expected(change))
                .collect();
            for change in added.iter().skip(most) {
                let message = format!(
                    "the plan adds {} of `{kind}`, `{}` among them; the deployment has {most}",
                    added.len(),
                    change.address
                );
                sink.report(change.at, message).help(HELP);
            }
        }
        let count = |kind: &str| {
            real()
                .filter(|change| change.kind == kind && is_expected(change))
                .count()
        };
        let role = real().find(|change| change.kind == "aws_iam_role" && is_expected(change));
        let policies = count("aws_iam_role_policy");
        if let Some(role) = role.filter(|_| policies < 2) {
            let message =
                format!("the plan adds the role and {policies} of its two inline policies");
            sink.report(role.at, message).help(HELP);
        }
    }
}

const HELP: &str = "compare the module with what `pointsman generate` writes, and plan again";

/// A role, or an inline policy, that is added.
fn is_expected(change: &PlanChange) -> bool {
    let of_role = matches!(change.kind.as_str(), "aws_iam_role" | "aws_iam_role_policy");
    of_role && change.actions == ["create"]
}
