//! A condition on tags for a service that does not send them.

use crate::diag::Severity;
use crate::iam::catalog::{self, Service};
use crate::model::policy::{BaseOperator, Condition, Operator, PolicyDocument, Statement};
use crate::rules::{Check, Rule, Sink, Tier};
use crate::text::quoted;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "unsupported-tag-condition-key",
    aliases: &[],
    summary: "a condition on tags that the service of the action does not carry",
    severity: Severity::Warning,
    tier: Tier::Specific,
    page: include_str!("unsupported_tag_condition_key.md"),
    check: Check::Policy(check),
};

/// Global keys about tags of what is asked for.
const TAGS: [&str; 3] = ["aws:RequestTag/", "aws:ResourceTag/", "aws:TagKeys"];

fn check(policy: &PolicyDocument, sink: &mut Sink<'_>) {
    for statement in &policy.statements {
        let of_tags = |condition: &&Condition| {
            let key = condition.key.as_str();
            let presence = |operator: Operator| operator.base == BaseOperator::Null;
            if condition.operator.is_some_and(presence) {
                return false;
            }
            TAGS.iter().any(|tag| {
                key.get(..tag.len())
                    .is_some_and(|start| start.eq_ignore_ascii_case(tag))
            })
        };
        for condition in statement.conditions.iter().filter(of_tags) {
            judge(statement, condition, sink);
        }
    }
}

fn judge(statement: &Statement, condition: &Condition, sink: &mut Sink<'_>) {
    let Some(actions) = statement
        .actions
        .as_ref()
        .filter(|actions| !actions.negated)
    else {
        return;
    };
    let services: Vec<Service> = actions
        .strings()
        .filter_map(|action| action.split_once(':'))
        .filter_map(|(prefix, _)| catalog::service(prefix))
        .collect();
    // Where one of the services knows tags, the condition was written for it.
    let known = actions.strings().count() == services.len() && !services.is_empty();
    if !known || services.iter().any(|service| service.carries_tags()) {
        return;
    }
    let name = services.first().map_or("", |service| service.name());
    let effect = if statement.allows() {
        "never tests"
    } else {
        "never denies by"
    };
    let message = format!(
        "`{name}` sends no tags of what is asked for, so this statement {effect} {}",
        quoted(condition.key.as_str())
    );
    sink.report(condition.key.span(), message)
        .pointer(condition.pointer.clone())
        .help(
            "limit by the ARN of the resource, or by a tag of whoever asks (`aws:PrincipalTag/…`)",
        );
}
