//! An external action in the failover workflow that is not on the list of the spec.

use crate::diag::Severity;
use crate::model::workflow::{Target, Workflow};
use crate::rules::{Check, Rule, Sink, Tier};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "action-not-allowed",
    aliases: &[],
    summary: "an external action that the spec does not allow in the failover workflow",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("action_not_allowed.md"),
    check: Check::Workflow(check),
};

fn check(workflow: &Workflow, sink: &mut Sink<'_>) {
    let Some(spec) = sink.spec().filter(|_| super::is_failover(workflow, sink)) else {
        return;
    };
    let allowed: Vec<String> = spec
        .actions
        .iter()
        .map(|action| format!("`{}`", action.uses))
        .collect();
    for (_, uses) in workflow.uses() {
        let written = uses.text.as_str().trim();
        let name = written.split('@').next().unwrap_or_default();
        let external = matches!(
            uses.target,
            Target::Repository { .. } | Target::Docker { .. }
        );
        let listed = spec
            .actions
            .iter()
            .any(|action| action.uses.eq_ignore_ascii_case(name));
        if external && !listed {
            sink.report(
                uses.value_span(),
                format!("`{name}` is not among the actions that the spec allows"),
            )
            .related(spec.at("/actions"), "the spec lists the allowed ones here")
            .help(format!(
                "allowed are {}; everything else that runs in this job can borrow the role",
                allowed.join(", ")
            ));
        }
    }
}
