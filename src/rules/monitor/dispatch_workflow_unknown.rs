//! A dispatch of a workflow that is not there.

use crate::diag::Severity;
use crate::model::monitor::{Monitor, Webhook};
use crate::rules::{Check, Rule, Sink, Tier, Workspace};
use crate::text::{Span, Text};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "dispatch-workflow-unknown",
    aliases: &[],
    summary: "a dispatch of a workflow file that the repository does not have",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("dispatch_workflow_unknown.md"),
    check: Check::Monitor(check),
};

fn check(monitor: &Monitor, workspace: &Workspace, sink: &mut Sink<'_>) {
    // With a spec the URL is compared with the spec's.
    let webhook = super::dispatch(monitor).filter(|_| sink.spec().is_none());
    let Some((webhook, (owner, repository, Some(file)))) =
        webhook.and_then(|webhook| Some((webhook, webhook.target()?)))
    else {
        return;
    };
    let by_number = file.bytes().all(|byte| byte.is_ascii_digit());
    let Some(at) = span_of(webhook, file).filter(|_| !by_number && !file.contains(['{', '$']))
    else {
        return;
    };
    let facts = workspace.facts_of(&monitor.path);
    if facts.is_some_and(|facts| !facts.may_be(owner, repository)) {
        return;
    }
    let listed = facts
        .map(|facts| facts.workflows.as_slice())
        .unwrap_or_default();
    let here = workspace
        .workflows
        .iter()
        .map(|artefact| artefact.model.path.as_str());
    let here: Vec<&str> = here
        .filter(|path| path.contains(".github/workflows/"))
        .collect();
    let name = |path: &'_ str| path.rsplit('/').next().unwrap_or_default().to_owned();
    let known: Vec<String> = if listed.is_empty() {
        here.into_iter().map(name).collect()
    } else {
        listed.iter().map(|one| one.file().to_owned()).collect()
    };
    if known.iter().any(|known| known == file) {
        return;
    }
    let close = known.iter().find(|known| plain(known) == plain(file));
    // The workflows that lie here may be those of another repository.
    if listed.is_empty() && close.is_none() {
        return;
    }
    let help = match close {
        Some(close) => format!("write `{close}`"),
        None => format!("there are `{}`", known.join("`, `")),
    };
    sink.report(at, format!("there is no workflow `{file}` on the default branch: GitHub answers 404 and starts nothing"))
        .help(help);
}

fn span_of(webhook: &Webhook, file: &str) -> Option<Span> {
    let url: &Text = webhook.url.as_ref()?;
    let start = url.as_str().rfind(&format!("/{file}/"))? + 1;
    Some(url.span_of(start..start + file.len()))
}

/// A file name without what slips change.
fn plain(file: &str) -> String {
    let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
    let letters = stem.chars().filter(|letter| letter.is_alphanumeric());
    letters.map(|letter| letter.to_ascii_lowercase()).collect()
}
