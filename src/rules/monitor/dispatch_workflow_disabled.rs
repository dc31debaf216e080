//! A dispatch of a workflow that GitHub has switched off.

use crate::diag::Severity;
use crate::model::monitor::{Monitor, Webhook};
use crate::rules::{Check, Rule, Sink, Tier, Workspace};
use crate::text::{Span, Text};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "dispatch-workflow-disabled",
    aliases: &[],
    summary: "a dispatch of a workflow that is disabled, or of one in an archived repository",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("dispatch_workflow_disabled.md"),
    check: Check::Whole(check),
};

fn check(workspace: &Workspace, sink: &mut Sink<'_>) {
    let mut told: Vec<Span> = Vec::new();
    for artefact in &workspace.monitors {
        let monitor = &artefact.model;
        let Some(webhook) = super::dispatch(monitor) else {
            continue;
        };
        let Some((at, message, help)) = stopped(monitor, webhook, workspace) else {
            continue;
        };
        if told.contains(&at) {
            continue;
        }
        told.push(at);
        let draft = sink.report(at, message).help(help);
        if let Some(url) = &webhook.url {
            draft.related(url.span(), "it is dispatched here");
        }
    }
}

/// Where it says that nothing starts, what happens, and what to do.
fn stopped(
    monitor: &Monitor,
    webhook: &Webhook,
    workspace: &Workspace,
) -> Option<(Span, String, String)> {
    let (owner, repository, file) = webhook.target()?;
    let facts = workspace.facts_of(&monitor.path)?;
    if !facts.may_be(owner, repository) {
        return None;
    }
    if let Some(at) = facts.archived {
        let message = format!(
            "`{owner}/{repository}` is archived: GitHub answers 403 to a dispatch and starts nothing"
        );
        return Some((at, message, "unarchive the repository".to_owned()));
    }
    let listed = facts
        .workflows
        .iter()
        .find(|one| Some(one.file()) == file)?;
    let state: &Text = listed.disabled()?;
    let name = listed.file();
    let message = format!(
        "`{name}` is `{}`: GitHub answers 422 to a dispatch and starts nothing",
        state.as_str()
    );
    let help = format!(
        "`gh workflow enable {name}`, and watch its state: `GET /repos/{owner}/{repository}/actions/workflows/{name}` has to say `active`"
    );
    Some((state.span(), message, help))
}
