//! A workflow that is dispatched and does not listen to it.

use crate::diag::Severity;
use crate::model::monitor::Webhook;
use crate::model::workflow::Workflow;
use crate::rules::{Check, Rule, Sink, Tier, Workspace};
use crate::syntax::Node;
use crate::text::Span;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "dispatched-without-trigger",
    aliases: &[],
    summary: "a workflow that is dispatched, without `workflow_dispatch`",
    severity: Severity::Error,
    tier: Tier::General,
    page: include_str!("dispatched_without_trigger.md"),
    check: Check::Whole(check),
};

fn check(workspace: &Workspace, sink: &mut Sink<'_>) {
    let mut told: Vec<Span> = Vec::new();
    for artefact in &workspace.monitors {
        let Some(webhook) = super::dispatch(&artefact.model) else {
            continue;
        };
        let by_workflow = webhook.target().is_some_and(|(_, _, file)| file.is_some());
        let wanted = if by_workflow {
            "workflow_dispatch"
        } else {
            "repository_dispatch"
        };
        for workflow in dispatched(webhook, workspace).filter(|_| by_workflow) {
            let at = workflow.root.entry("on").map(|entry| entry.key.span());
            let Some(at) = at.filter(|at| workflow.trigger(wanted).is_none() && !told.contains(at))
            else {
                continue;
            };
            told.push(at);
            let draft = sink.report(at, format!("`{wanted}` is not among the triggers, so that GitHub refuses the dispatch with 422"))
                .help(format!("write `{wanted}:` below `on:`, on the branch that is dispatched and on the default branch"));
            if let Some(url) = &webhook.url {
                draft.related(url.span(), "it is dispatched here");
            }
        }
    }
}

/// The workflow that a dispatch starts: the file of that name, or the one that is kept as `workflow-REF.yml`.
fn dispatched<'a>(
    webhook: &'a Webhook,
    workspace: &'a Workspace,
) -> impl Iterator<Item = &'a Workflow> {
    let body = webhook.body_json();
    let branch = body
        .as_ref()
        .and_then(|body| body.get("ref"))
        .and_then(Node::as_str);
    let branch = branch.map(|branch| {
        branch
            .strip_prefix("refs/heads/")
            .unwrap_or(branch)
            .replace('/', "-")
    });
    let folder_default = workspace
        .facts
        .iter()
        .find_map(|facts| facts.default_branch.clone());
    let workflows = workspace.workflows.iter().map(|artefact| &artefact.model);
    workflows.filter(move |workflow| {
        let name = workflow.path.rsplit('/').next().unwrap_or_default();
        let kept = name
            .strip_prefix("workflow-")
            .and_then(|rest| rest.split_once('.'));
        let of_branch = kept.is_some_and(|(kept, _)| {
            branch.as_deref() == Some(kept) || folder_default.as_deref() == Some(kept)
        });
        of_branch || super::names_workflow(webhook, workflow)
    })
}
