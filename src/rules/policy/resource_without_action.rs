//! A resource that no action of its statement applies to.

use crate::diag::Severity;
use crate::iam::catalog::{Action, Resource, ResourceType, Services};
use crate::model::policy::{
    Elements, PolicyDocument, Statement, Value, glob_matches_ignoring_case, has_wildcard,
};
use crate::rules::{Check, Rule, Sink, Tier};
use crate::text::{cut_at_colon, quoted};

use super::resource_placeholder::placeholder;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "resource-without-action",
    aliases: &[],
    summary: "a resource that no action of the statement applies to",
    severity: Severity::Warning,
    tier: Tier::General,
    page: include_str!("resource_without_action.md"),
    check: Check::Policy(check),
};

fn check(policy: &PolicyDocument, sink: &mut Sink<'_>) {
    for statement in &policy.statements {
        let Some(resources) = statement
            .resources
            .as_ref()
            .filter(|list| !list.negated && list.values.len() > 1)
        else {
            continue;
        };
        if let Some(types) = types(statement) {
            judge(resources, &types, sink);
        }
    }
}

/// The types of resource that the actions apply to; `None` where that is not known.
fn types(statement: &Statement) -> Option<Vec<ResourceType>> {
    let actions = statement
        .actions
        .as_ref()
        .filter(|list| !list.negated && !list.incomplete)?;
    let mut types = Vec::new();
    let mut services = Services::default();
    for action in actions.strings() {
        let (prefix, name) = cut_at_colon(action)?;
        let service = services
            .find(prefix)
            .filter(|service| !service.has_partial_types())?;
        let before = types.len();
        let mut add = |action: Action| {
            types.extend(action.resource_types());
            !action.has_open_types() && action.resource_types().next().is_some()
        };
        let closed = if has_wildcard(name) {
            // A pattern of all actions is for all resources, also those that the reference does not list.
            if name == "*" {
                return None;
            }
            let like = service
                .actions_like(name)
                .filter(|action| glob_matches_ignoring_case(name, action.name()));
            let closed: Vec<bool> = like.map(&mut add).collect();
            closed.into_iter().all(|closed| closed)
        } else {
            add(service.action(name)?)
        };
        // Services ask about list calls under ARNs that the reference does not name.
        if !closed || types.len() == before {
            return None;
        }
    }
    types.sort_unstable();
    types.dedup();
    Some(types)
}

/// How many pairs of a resource and a type are compared.
const MOST: usize = 1_000_000;

fn judge(resources: &Elements, types: &[ResourceType], sink: &mut Sink<'_>) {
    if types.len().saturating_mul(resources.values.len()) > MOST {
        return;
    }
    let unfit = |value: &&Value| {
        let arn = value.text.as_str();
        let known = arn.starts_with("arn:") && placeholder(arn).is_none();
        let resource = Resource::of(arn);
        known && !types.iter().any(|kind| kind.may_be(&resource))
    };
    let wrong: Vec<&Value> = resources.values.iter().filter(unfit).collect();
    // Where none fits, each action is told on its own.
    if wrong.len() == resources.values.len() {
        return;
    }
    for value in wrong {
        let message = format!(
            "no action of this statement applies to {}",
            quoted(value.text.as_str())
        );
        sink.report(value.text.span(), message)
            .pointer(value.pointer.clone())
            .help("take it out, or add the action that it is here for");
    }
}
