//! A policy names another hosted zone, partition or change than the spec.

use crate::diag::Severity;
use crate::model::policy::{Statement, Value, has_wildcard, route53};
use crate::model::spec::Spec;
use crate::rules::{Check, Role, Rule, Sink, Tier, Workspace};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "policy-zone-differs",
    aliases: &[],
    summary: "a policy is about another hosted zone than the spec's",
    severity: Severity::Error,
    tier: Tier::Agreement,
    page: include_str!("policy_zone_differs.md"),
    check: Check::Whole(check),
};

fn check(workspace: &Workspace, sink: &mut Sink<'_>) {
    let Some(spec) = &workspace.spec else { return };
    for role in [Role::ChangeRecords, Role::ReadZone] {
        for policy in workspace.policies_as(role) {
            for statement in policy
                .statements
                .iter()
                .filter(|statement| statement.allows())
            {
                statement_on_zone(statement, spec, sink);
            }
        }
    }
}

/// Every zone that an Allow on records names must be the spec's. A wildcard is judged by other rules.
fn statement_on_zone(statement: &Statement, spec: &Spec, sink: &mut Sink<'_>) {
    let on_zone = [route53::CHANGE_RECORDS, route53::LIST_RECORDS];
    if !on_zone.iter().any(|action| statement.covers_action(action)) {
        return;
    }
    let Some(resources) = statement
        .resources
        .as_ref()
        .filter(|resources| !resources.negated)
    else {
        return;
    };
    for value in resources
        .values
        .iter()
        .filter(|value| is_other_zone(value, spec))
    {
        let label = spec.label("/zone/id");
        let written = value.text.as_str();
        sink.report(
            value.text.span(),
            format!("`{written}` is not the spec's zone"),
        )
        .related(label.at, label.text)
        .pointer(value.pointer.clone())
        .help(format!(
            "the spec's zone is `{}`; change one of the two places",
            spec.zone_arn()
        ));
    }
}

fn is_other_zone(value: &Value, spec: &Spec) -> bool {
    let written = value.text.as_str();
    written.contains(":hostedzone/") && !has_wildcard(written) && written != spec.zone_arn()
}
