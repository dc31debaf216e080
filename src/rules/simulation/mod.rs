//! Rules over requests that are put to policies, and over what AWS's simulator answered.

use super::{Rule, Sink, Workspace};
use crate::iam::Simulation;
use crate::model::policy::{BaseOperator, Condition, PolicyDocument, Statement, glob_matches};

mod context_key_not_supplied;
mod request_allowed_by_absence;
mod resource_policy_not_simulated;
mod simulator_answer_truncated;

/// The rules of this family, in alphabetical order.
pub const RULES: &[&Rule] = &[
    &context_key_not_supplied::RULE,
    &request_allowed_by_absence::RULE,
    &resource_policy_not_simulated::RULE,
    &simulator_answer_truncated::RULE,
];

/// The policies that take part.
fn policies<'a>(
    simulation: &'a Simulation,
    workspace: &'a Workspace,
    sink: &Sink<'a>,
) -> Vec<&'a PolicyDocument> {
    let all = workspace.policies.iter().map(|artefact| &artefact.model);
    all.filter(|policy| simulation.is_about(sink.path(policy.span())))
        .collect()
}

/// Whether a statement may be about `resource`: a variable in a pattern stands for anything.
fn covers_resource(statement: &Statement, resource: &str) -> bool {
    let Some(resources) = &statement.resources else {
        return true;
    };
    let listed = resources
        .strings()
        .any(|pattern| pattern.contains("${") || glob_matches(pattern, resource));
    listed != resources.negated
}

/// Whether a statement says by `Null` what it does without `key`.
fn plans_absence(statement: &Statement, key: &str) -> bool {
    statement.conditions_on(key).any(is_null)
}

fn is_null(condition: &Condition) -> bool {
    let base = condition.operator.map(|operator| operator.base);
    base == Some(BaseOperator::Null)
}
