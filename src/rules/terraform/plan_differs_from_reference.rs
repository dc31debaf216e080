//! A plan that does more than the deployment asks for.

use crate::diag::Severity;
use crate::rules::{Check, Rule, Sink, Tier, Workspace};
use crate::terraform::{Plan, PlanChange};

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
        for change in plan.changes.iter().filter(|change| !is_expected(change)) {
            if change.is_nothing() && !(change.is("forget") && is_of_deployment(change)) {
                continue;
            }
            let message = format!(
                "the plan does `{}` to `{}`; the deployment is one role and two inline policies to add, and no record to change",
                change.actions.join(", "),
                change.address
            );
            sink.report(change.at, message).help(HELP);
        }
        too_many(plan, sink);
        too_few(plan, sink);
    }
}

/// More of a kind than the deployment has.
fn too_many(plan: &Plan, sink: &mut Sink<'_>) {
    for (kind, most) in COUNTS {
        let added = || added(plan, kind);
        let count = added().count();
        for change in added().skip(most) {
            let message = format!(
                "the plan adds {count} of `{kind}`, `{}` among them; the deployment has {most}",
                change.address
            );
            sink.report(change.at, message).help(HELP);
        }
    }
}

/// A plan that adds a part of the deployment, and holds no other part, leaves a role that cannot make the switch.
fn too_few(plan: &Plan, sink: &mut Sink<'_>) {
    let first = COUNTS.iter().find_map(|(kind, _)| added(plan, kind).next());
    let Some(first) = first.filter(|_| plan.partial.is_none()) else {
        return;
    };
    let there = |kind: &str| {
        let of_kind = plan.changes.iter().filter(|change| change.kind == kind);
        of_kind.filter(|change| change.stays()).count()
    };
    let (roles, policies) = (there(ROLE), there(POLICY));
    if roles > 0 && policies >= 2 {
        return;
    }
    let message = match roles {
        0 => format!(
            "the plan adds `{}`, but has no role to give it to",
            first.address
        ),
        _ => format!("the plan adds the role and {policies} of its two inline policies"),
    };
    sink.report(first.at, message).help(HELP);
}

const ROLE: &str = "aws_iam_role";
const POLICY: &str = "aws_iam_role_policy";
const COUNTS: [(&str, usize); 2] = [(ROLE, 1), (POLICY, 2)];

fn added<'p>(plan: &'p Plan, kind: &'p str) -> impl Iterator<Item = &'p PlanChange> {
    let changes = plan.changes.iter();
    changes.filter(move |change| change.kind == kind && is_expected(change))
}

/// Whether it is a part of the deployment, so that Terraform must not lose sight of it.
fn is_of_deployment(change: &PlanChange) -> bool {
    [ROLE, POLICY, "aws_route53_record"].contains(&change.kind.as_str())
}

const HELP: &str = "compare the module with what `pointsman generate` writes, and plan again";

/// A role, or an inline policy, that is added.
fn is_expected(change: &PlanChange) -> bool {
    let of_role = [ROLE, POLICY].contains(&change.kind.as_str());
    of_role && change.actions == ["create"]
}
