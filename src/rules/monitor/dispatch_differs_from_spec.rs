//! A dispatch to another repository, workflow or branch than the spec says.

use crate::diag::Severity;
use crate::model::monitor::Monitor;
use crate::model::spec::Spec;
use crate::rules::{Check, Rule, Sink, Tier, Workspace};
use crate::syntax::Node;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "dispatch-differs-from-spec",
    aliases: &[],
    summary: "the dispatch goes elsewhere than the spec says",
    severity: Severity::Error,
    tier: Tier::Agreement,
    page: include_str!("dispatch_differs_from_spec.md"),
    check: Check::Monitor(check),
};

fn check(monitor: &Monitor, _: &Workspace, sink: &mut Sink<'_>) {
    let Some(spec) = sink.spec() else {
        return;
    };
    let Some(webhook) = super::dispatch(monitor) else {
        return;
    };
    let help = "change one of the two; `pointsman generate` writes the notification from the spec";
    if let Some(url) = webhook
        .url
        .as_ref()
        .filter(|url| url.as_str() != spec.dispatch_url())
    {
        let label = spec.label(place(url.as_str(), spec));
        sink.report(
            url.span(),
            format!(
                "the message goes to `{}`, but the spec's workflow is dispatched at `{}`",
                url.as_str(),
                spec.dispatch_url()
            ),
        )
        .related(label.at, label.text)
        .help(help);
    }
    let body = webhook.body_json();
    let branch = body
        .as_ref()
        .and_then(|body| body.get("ref"))
        .and_then(Node::as_text);
    let full = spec.git_ref();
    if let Some(branch) =
        branch.filter(|found| found.as_str() != spec.github.branch && found.as_str() != full)
    {
        let label = spec.label("/github/branch");
        sink.report(
            branch.span(),
            format!(
                "the message names `{}`, but the spec's branch is `{}`",
                branch.as_str(),
                spec.github.branch
            ),
        )
        .related(label.at, label.text)
        .help(help);
    }
}

/// What of the spec the URL contradicts first.
fn place(url: &str, spec: &Spec) -> &'static str {
    let github = &spec.github;
    if !url.contains(&format!("/{}/", github.owner)) {
        "/github/owner"
    } else if !url.contains(&format!("/{}/", spec.repository())) {
        "/github/repository"
    } else {
        "/github/workflow"
    }
}
