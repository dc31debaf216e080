//! A dispatch to another repository, workflow or branch than the spec says.

use serde_json::Value;

use crate::diag::Severity;
use crate::generate::dispatch_config;
use crate::model::monitor::{Form, Monitor, STAND_IN, is_same_setting};
use crate::model::spec::Spec;
use crate::rules::{Check, Rule, Sink, Tier, Workspace};
use crate::syntax::{Node, json, yaml};
use crate::text::Text;

use super::settings::{self, Fault};

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
    for (at, message) in settings_of(monitor, spec) {
        let label = spec.label("/monitors/dispatch");
        sink.report(at, message)
            .related(label.at, label.text)
            .help("take it out; `pointsman generate` writes the notification from the spec");
    }
    let help = "change one of the two; `pointsman generate` writes the notification from the spec";
    if let Some(url) = webhook
        .url
        .as_ref()
        .filter(|url| !spec.is_workflow_url(url.as_str(), "/dispatches"))
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
        .and_then(Node::as_text)
        .filter(|branch| !branch.as_str().contains(STAND_IN));
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

/// Settings of the notification other than those that `generate` writes.
fn settings_of(monitor: &Monitor, spec: &Spec) -> Vec<Fault> {
    let is_own = |id: &Text| id.as_str() == spec.monitors.dispatch;
    let (true, Some(config)) = (monitor.id.as_ref().is_some_and(is_own), monitor.config()) else {
        return Vec::new();
    };
    let wanted = dispatch_config(spec);
    let keys = |value: &Value| -> Vec<String> {
        let map = value.as_object().into_iter().flatten();
        map.map(|(key, _)| key.clone()).collect()
    };
    let outer = keys(&wanted);
    let outer: Vec<&str> = outer.iter().map(String::as_str).collect();
    // Kuma itself writes out all of them.
    let listed = monitor.form == Form::Kuma;
    let beyond = |node: &Node, known: &[&str]| match listed {
        true => Vec::new(),
        false => settings::foreign(node, known),
    };
    let mut found = beyond(config, &outer);
    let Some(written) = config.get("config") else {
        return found;
    };
    let read = written.as_text().map(json::read);
    let inner = read.as_ref().and_then(|parsed| parsed.documents.first());
    let inner = inner.unwrap_or(written);
    let asked = wanted.get("config").unwrap_or(&Value::Null);
    let names = keys(asked);
    let mut names: Vec<&str> = names.iter().map(String::as_str).collect();
    names.push("name");
    found.extend(beyond(inner, &names));
    if inner.get("type").is_none() {
        let message = "`type` is not given, so that Uptime Kuma does not know how to send it";
        found.push((inner.span(), message.to_owned()));
    }
    let pairs = [
        (config, "active", "true"),
        (config, "is_default", "false"),
        (inner, "httpMethod", "post"),
    ];
    for (node, key, wanted) in pairs {
        let mut entries = node.as_map().unwrap_or_default().iter().rev();
        let entry = entries.find(|entry| is_same_setting(entry.key.as_str(), key));
        let value = entry.and_then(|entry| yaml::as_written(&entry.value));
        if let Some(value) = value.filter(|it| !it.as_str().eq_ignore_ascii_case(wanted)) {
            let message = format!("`{key}` is `{}`, but must be `{wanted}`", value.as_str());
            found.push((value.span(), message));
        }
    }
    let headers = inner.get("webhookAdditionalHeaders");
    let wanted = asked
        .get("webhookAdditionalHeaders")
        .and_then(Value::as_str);
    if let (Some(headers), Some(wanted)) = (headers, wanted) {
        let faults = settings::headers(monitor, Some(headers), wanted, headers.span());
        // That one is missing has a rule of its own.
        found.extend(faults.into_iter().filter(|(at, _)| *at != headers.span()));
    }
    found
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
