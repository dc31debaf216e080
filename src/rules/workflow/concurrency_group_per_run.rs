//! A concurrency group that each run has for itself.

use crate::diag::Severity;
use crate::model::workflow::{Expression, Workflow, embedded};
use crate::rules::{Check, Rule, Sink, Tier};
use crate::text::Span;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "concurrency-group-per-run",
    aliases: &[],
    summary: "the concurrency group differs from run to run, so nothing is serialised",
    severity: Severity::Warning,
    tier: Tier::Specific,
    page: include_str!("concurrency_group_per_run.md"),
    check: Check::Workflow(check),
};

fn check(workflow: &Workflow, sink: &mut Sink<'_>) {
    if !super::may_be_failover(workflow, sink) {
        return;
    }
    let jobs = workflow
        .jobs
        .iter()
        .filter_map(|job| job.concurrency.as_ref());
    for concurrency in workflow.concurrency.iter().chain(jobs) {
        let Some(group) = &concurrency.group else {
            continue;
        };
        for part in embedded(group.as_str()) {
            let at = group.span_of(part.whole.clone());
            let inner = group.as_str().get(part.inner.clone()).unwrap_or_default();
            judge(inner, at, sink);
        }
    }
}

fn judge(inner: &str, at: Span, sink: &mut Sink<'_>) {
    let Some(expression) = Expression::read(inner) else {
        sink.undecided(
            at,
            "whether runs share a concurrency group",
            format!("`{}` cannot be read", inner.trim()),
            Vec::new(),
        );
        return;
    };
    let references = expression.references();
    if let Some(varying) = references.iter().find(|path| varies(path)) {
        sink.report(
            at,
            format!("`{varying}` differs from run to run, so that no run waits for another"),
        )
        .help("give the group a fixed name");
    } else if let Some(unknown) = references.iter().find(|path| !is_fixed(path)) {
        sink.undecided(
            at,
            "whether runs share a concurrency group",
            format!("what `{unknown}` is, is known only when a run starts"),
            vec![(*unknown).to_owned()],
        );
    }
}

/// Whether `group` holds a part of which this rule says that it differs from run to run.
pub(super) fn is_per_run(group: &str) -> bool {
    embedded(group).into_iter().any(|part| {
        let inner = group.get(part.inner).unwrap_or_default();
        Expression::read(inner)
            .is_some_and(|expression| expression.references().iter().any(|path| varies(path)))
    })
}

fn varies(path: &str) -> bool {
    let contexts = [
        "github.event.",
        "inputs.",
        "matrix.",
        "strategy.",
        "runner.",
        "job.",
        "steps.",
    ];
    matches!(
        path,
        "github.run_id"
            | "github.run_number"
            | "github.run_attempt"
            | "github.sha"
            | "github.workflow_sha"
            | "github.actor"
            | "github.actor_id"
            | "github.triggering_actor"
            | "github.head_ref"
            | "github.job"
    ) || contexts.iter().any(|context| path.starts_with(context))
}

/// The same for all runs that the ref guard lets pass.
fn is_fixed(path: &str) -> bool {
    matches!(
        path,
        "github.workflow"
            | "github.workflow_ref"
            | "github.ref"
            | "github.ref_name"
            | "github.ref_type"
            | "github.event_name"
            | "github.repository"
            | "github.repository_id"
            | "github.repository_owner"
    )
}
