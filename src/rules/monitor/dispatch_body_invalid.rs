//! A dispatch that GitHub refuses: no custom body, no JSON, no ref.

use crate::diag::Severity;
use crate::model::monitor::{Monitor, STAND_IN, Webhook};
use crate::rules::{Check, Rule, Sink, Tier, Workspace};
use crate::syntax::Node;
use crate::text::{Span, Text, quoted};

use super::webhook_template_breaks_json::is_free_text;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "dispatch-body-invalid",
    aliases: &[],
    summary: "a dispatch whose body GitHub refuses",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("dispatch_body_invalid.md"),
    check: Check::Monitor(check),
};

fn check(monitor: &Monitor, _: &Workspace, sink: &mut Sink<'_>) {
    let Some(webhook) = super::dispatch(monitor) else {
        return;
    };
    if super::is_posted_unseen(monitor, webhook) {
        let why = "only the address is given, neither content type nor body nor headers";
        sink.undecided(
            webhook.span,
            "what this notification posts",
            why,
            Vec::new(),
        );
        return;
    }
    let help = "set `webhookContentType: custom` and `webhookCustomBody: '{\"ref\":\"main\"}'`";
    let content_type = webhook.content_type.as_ref();
    if content_type.map(Text::as_str) != Some("custom") {
        let at = content_type.map_or(webhook.span, Text::span);
        sink.report(at, "without a custom body Kuma posts its own, with `heartbeat`, `monitor` and `msg`, which GitHub refuses")
            .help(help);
        return;
    }
    let Some(body) = &webhook.body else {
        sink.report(
            webhook.span,
            "`webhookCustomBody` is not here, so that the message names no `ref`",
        )
        .help(help);
        return;
    };
    let Some(json) = posted(webhook, body, help, sink) else {
        return;
    };
    names(webhook, body, &json, help, sink);
}

/// Whether the body names what is to be started.
fn names(webhook: &Webhook, body: &Text, json: &Node, help: &str, sink: &mut Sink<'_>) {
    let is_repository = webhook
        .url
        .as_ref()
        .is_some_and(|url| !url.as_str().contains("/actions/workflows/"));
    // Where the URL itself is none, a rule of its own says so.
    let is_neither = is_repository
        && webhook
            .url
            .as_ref()
            .is_some_and(|url| url.as_str().contains("/workflow"));
    if is_neither {
        return;
    }
    let needed = if is_repository { "event_type" } else { "ref" };
    let value = json.get(needed).and_then(Node::as_str);
    if value.is_some_and(|value| value.contains(STAND_IN)) {
        return left_open(webhook, body, sink);
    }
    if value.is_none_or(str::is_empty) {
        sink.report(
            body.span(),
            format!("the body names no `{needed}`, which GitHub refuses with 422"),
        )
        .help(help);
    } else if is_repository {
        beyond_the_schema(json, sink);
    } else if let Some(at) = commit(json) {
        sink.report(
            at,
            "the `ref` of a dispatch is a branch or a tag; of a commit GitHub says with 422 that there is no such ref",
        )
        .help(help);
    }
}

/// A commit in the place of a branch or a tag.
fn commit(json: &Node) -> Option<Span> {
    let value = json.get("ref").and_then(Node::as_text)?;
    let text = value.as_str();
    let is_commit = text.len() == 40 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_commit.then(|| value.span())
}

/// The JSON that is posted. What is not, is told: refused by who fills the template, no JSON, or not known.
fn posted(webhook: &Webhook, body: &Text, help: &str, sink: &mut Sink<'_>) -> Option<Node> {
    let sent = webhook.sent()?;
    if let Some((at, why)) = sent.refused {
        sink.report(at, why).help(help);
        return None;
    }
    let json = webhook.body_json();
    if json.is_none() && sent.open.is_some() {
        left_open(webhook, body, sink);
    } else if json.is_none() {
        let said = if sent.text.as_str() == body.as_str() {
            "the body is no JSON, which GitHub refuses".to_owned()
        } else {
            let shown = quoted(sent.text.as_str());
            format!("rendered, the body is {shown}: no JSON, which GitHub refuses")
        };
        sink.report(body.span(), said).help(help);
    }
    json
}

fn left_open(webhook: &Webhook, body: &Text, sink: &mut Sink<'_>) {
    let (at, why) = webhook
        .sent()
        .and_then(|sent| sent.open)
        .unwrap_or_else(|| (body.span(), "a part of it is not known".to_owned()));
    // A free text that is pasted in is told as a fault of its own.
    let inner = sink.written(at).trim_start_matches('{');
    if !is_free_text(inner.trim_end_matches('}')) {
        sink.undecided(at, "what this notification posts", why, Vec::new());
    }
}

/// What GitHub's description of `POST /repos/{owner}/{repo}/dispatches` limits: two keys, up to 100 characters of
/// `event_type`, up to ten of `client_payload`.
fn beyond_the_schema(json: &Node, sink: &mut Sink<'_>) {
    let help = "send `event_type` alone; the run looks for itself which site answers";
    for entry in json.as_map().unwrap_or_default() {
        let length = entry.value.as_str().map_or(0, |text| text.chars().count());
        let keys = entry.value.as_map().map_or(0, <[_]>::len);
        let message = match entry.key.as_str() {
            "event_type" if length > 100 => {
                format!("`event_type` has {length} characters; GitHub takes up to 100")
            }
            "client_payload" if keys > 10 => {
                format!("`client_payload` has {keys} keys; GitHub takes up to 10")
            }
            "event_type" | "client_payload" => continue,
            other => format!(
                "`{other}` is no key of a repository dispatch, which GitHub refuses with 422; known are `event_type` and `client_payload`"
            ),
        };
        sink.report(entry.key.span(), message).help(help);
    }
}
