//! A request that an Allow lets through only because a key is absent.

use crate::diag::Severity;
use crate::iam::{Asked, Compiled, NamedPolicy, Policies, Simulation};
use crate::model::policy::{Condition, PolicyDocument, PolicyKind};
use crate::rules::{Check, Rule, Sink, Tier, Workspace};

use super::{plans_absence, policies};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "request-allowed-by-absence",
    aliases: &[],
    summary: "a simulated request that is allowed only because a key is absent",
    severity: Severity::Warning,
    tier: Tier::General,
    page: include_str!("request_allowed_by_absence.md"),
    check: Check::Simulation(check),
};

fn check(simulation: &Simulation, workspace: &Workspace, sink: &mut Sink<'_>) {
    for policy in policies(simulation, workspace, sink) {
        let gives = matches!(
            policy.kind,
            PolicyKind::Identity | PolicyKind::ManagedIdentity
        );
        if gives && !simulation.requests.is_empty() {
            allowed(simulation, policy, sink);
        }
    }
}

fn allowed(simulation: &Simulation, policy: &PolicyDocument, sink: &mut Sink<'_>) {
    let named = NamedPolicy {
        name: &simulation.path,
        document: policy,
    };
    let compiled = Compiled::new(&Policies {
        identity: vec![named],
        ..Policies::default()
    });
    let decisions: Vec<_> = simulation
        .requests
        .iter()
        .map(|asked| (asked, compiled.evaluate(&asked.request)))
        .collect();
    for statement in policy.statements.iter().filter(|one| one.allows()) {
        for condition in &statement.conditions {
            let key = condition.key.as_str();
            if !passes_without_its_key(condition) || plans_absence(statement, key) {
                continue;
            }
            let first = decisions.iter().find(|(asked, decision)| {
                asked.request.context(key).is_none()
                    && decision
                        .matched
                        .iter()
                        .any(|matched| matched.statement == statement.index)
            });
            if let Some((asked, _)) = first {
                tell(condition, asked, &simulation.path, sink);
            }
        }
    }
}

/// `…IfExists` that is not inverted; `ForAllValues` without a guard has its own rule.
fn passes_without_its_key(condition: &Condition) -> bool {
    condition
        .operator
        .is_some_and(|operator| operator.if_exists && !operator.base.is_negated())
}

fn tell(condition: &Condition, asked: &Asked, file: &str, sink: &mut Sink<'_>) {
    let (key, name) = (condition.key.as_str(), &asked.name);
    let operator = condition.operator_text.as_str();
    let plain = operator.trim_end_matches("IfExists");
    let message = format!(
        "the request `{name}` of `{file}` is allowed because it does not carry `{key}`: `{operator}` is true without it"
    );
    sink.report(condition.operator_text.span(), message)
        .pointer(&condition.block_pointer)
        .related(condition.key.span(), "not demanded")
        .related(asked.at, "the request")
        .help(format!(
            "write `{plain}`, so that the Allow holds only where the key is there and matches"
        ));
}
