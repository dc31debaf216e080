//! A dispatch without the content type or the authorization that GitHub asks for.

use crate::diag::Severity;
use crate::model::monitor::Monitor;
use crate::rules::{Check, Rule, Sink, Tier, Workspace};
use crate::text::Text;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "dispatch-header-missing",
    aliases: &[],
    summary: "a dispatch without the headers that GitHub asks for",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("dispatch_header_missing.md"),
    check: Check::Monitor(check),
};

fn check(monitor: &Monitor, _: &Workspace, sink: &mut Sink<'_>) {
    let Some(webhook) = super::dispatch(monitor) else {
        return;
    };
    if super::is_posted_unseen(monitor, webhook) {
        return;
    }
    let at = webhook
        .headers_text
        .as_ref()
        .map_or(webhook.span, Text::span);
    if webhook.headers.is_none() {
        sink.report(at, "the additional headers are no text with a JSON object of strings; Kuma ends with an error, and sends nothing")
            .help("write one JSON object in quotation marks: `'{\"Authorization\": \"Bearer …\", \"Content-Type\": \"application/json\"}'`");
        return;
    }
    match webhook.header("Content-Type") {
        None => {
            sink.report(at, "without a `Content-Type` Kuma posts the body as `application/x-www-form-urlencoded`")
                .help("add `\"Content-Type\": \"application/json\"` to `webhookAdditionalHeaders`");
        }
        Some(header)
            if !header
                .value
                .as_str()
                .to_ascii_lowercase()
                .starts_with("application/json") =>
        {
            sink.report(
                header.value.span(),
                format!("`{}` is not what the body is", header.value.as_str()),
            )
            .help("write `application/json`");
        }
        Some(_) => {}
    }
    if webhook.header("Authorization").is_none() {
        sink.report(
            at,
            "without an `Authorization` GitHub answers 404 and starts nothing",
        )
        .help("add `\"Authorization\": \"Bearer …\"` with the token out of AutoKuma's environment");
    }
}
