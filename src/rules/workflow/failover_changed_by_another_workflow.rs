//! Another workflow of the folder whose token can change what the failover runs, or switch the failover off.

use crate::diag::Severity;
use crate::model::workflow::{Access, Grant, Permissions, Workflow};
use crate::rules::{Check, Rule, Sink, Tier};
use crate::text::Span;

use super::role_borrowed_by_another_workflow::is_beside;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "failover-changed-by-another-workflow",
    aliases: &[],
    summary: "a workflow beside the failover workflow can change what it runs, or disable it",
    severity: Severity::Error,
    tier: Tier::Agreement,
    page: include_str!("failover_changed_by_another_workflow.md"),
    check: Check::Workflow(check),
};

/// Events that somebody without write access can cause, and whose runs have this repository's rights (GitHub Docs, "Events
/// that trigger workflows").
const FROM_OUTSIDE: [&str; 8] = [
    "discussion",
    "discussion_comment",
    "fork",
    "issue_comment",
    "issues",
    "pull_request_target",
    "watch",
    "workflow_run",
];

/// What a token with write access to a scope can do to the failover (GitHub Docs, "Permissions required for fine-grained
/// personal access tokens", which are those of an app's token too).
const SCOPES: [(&str, &str); 2] = [
    (
        "contents",
        "push to the branch from which the failover takes its executor",
    ),
    (
        "actions",
        "disable the failover workflow and cancel its runs",
    ),
];

fn check(workflow: &Workflow, sink: &mut Sink<'_>) {
    let Some(spec) = sink.spec().filter(|spec| is_beside(workflow, spec)) else {
        return;
    };
    let mut outside = FROM_OUTSIDE.iter();
    let outside = outside.find_map(|name| workflow.trigger(name));
    // What is only called has at most what its caller gives it, and that is told there.
    let is_started = workflow
        .triggers
        .iter()
        .any(|trigger| trigger.name.as_str() != "workflow_call");
    if !is_started {
        return;
    }
    let label = spec.label("/github/workflow");
    let mut told: Vec<Span> = Vec::new();
    for job in &workflow.jobs {
        let name = job.id.as_str();
        let mut found: Vec<(Span, String)> = Vec::new();
        match workflow.permissions_of(job) {
            Some(permissions) => found.extend(writes(permissions).map(|(at, scope, can)| {
                (at, format!("`{scope}: write` lets `{name}` {can}"))
            })),
            None if outside.is_some() => found.push((
                job.id.span(),
                format!("no permissions are set for `{name}`, so the repository's default decides whether it can change the failover"),
            )),
            None => {}
        }
        for (at, message) in found {
            // What stands at the top counts for several jobs, and is one fault.
            if told.contains(&at) {
                continue;
            }
            told.push(at);
            let is_granted = workflow.permissions_of(job).is_some();
            let severity = if outside.is_some() && is_granted {
                Severity::Error
            } else {
                Severity::Warning
            };
            let draft = sink
                .report(at, message)
                .severity(severity)
                .related(label.at, "this workflow alone is the failover's")
                .help("let that workflow run from another repository, or take the right out of it");
            if let Some(event) = outside {
                draft.related(
                    event.name.span(),
                    "somebody without write access can start it",
                );
            }
        }
    }
}

/// The scopes that are granted one by one; `write-all` holds `id-token: write`, and another rule tells of that.
fn writes(permissions: &Permissions) -> impl Iterator<Item = (Span, &'static str, &'static str)> {
    SCOPES.into_iter().filter_map(|(scope, can)| {
        let Grant::Scopes(scopes) = &permissions.grant else {
            return None;
        };
        let mut named = scopes.iter().rev();
        let granted = named.find(|one| one.name.as_str() == scope)?;
        (granted.access == Access::Write).then(|| (granted.written.span(), scope, can))
    })
}
