//! A text that is pasted into JSON as it is.

use crate::diag::Severity;
use crate::model::monitor::{Monitor, Webhook};
use crate::rules::{Check, Rule, Sink, Tier, Workspace};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "webhook-template-breaks-json",
    aliases: &[],
    summary: "a template value that breaks the JSON of a webhook body",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("webhook_template_breaks_json.md"),
    check: Check::Monitor(check),
};

fn check(monitor: &Monitor, _: &Workspace, sink: &mut Sink<'_>) {
    // What AutoKuma refuses is told elsewhere, and never sent.
    let Some(body) = monitor.webhook.as_ref().and_then(Webhook::template) else {
        return;
    };
    let start = body.as_str().trim_start();
    if !start.starts_with('{') || start.starts_with("{{") || start.starts_with("{%") {
        return;
    }
    let mut at = 0;
    while let Some(open) = body.as_str().get(at..).and_then(|rest| rest.find("{{")) {
        let start = at + open;
        let rest = body.as_str().get(start..).unwrap_or_default();
        let end = rest
            .find("}}")
            .map_or(body.as_str().len(), |close| start + close + 2);
        let inner = body
            .as_str()
            .get(start + 2..end.saturating_sub(2))
            .unwrap_or_default();
        if is_free_text(inner) {
            sink.report(
                body.span_of(start..end),
                format!("`{}` is pasted in as it is: a quotation mark in it breaks the JSON", inner.trim()),
            )
            .help("leave it out, or let Liquid write it as JSON with its quotation marks: `{{ msg | json }}`");
        }
        at = end.max(start + 2);
    }
}

/// Texts that Kuma makes out of errors and names, and no filter that writes JSON.
pub(super) fn is_free_text(inner: &str) -> bool {
    let mut parts = inner.split('|').map(str::trim);
    let value = parts.next().unwrap_or_default();
    let is_text = matches!(value, "msg" | "name" | "hostnameOrURL")
        || value.ends_with(".msg")
        || value.ends_with(".name");
    is_text && !parts.any(|filter| matches!(filter, "json" | "jsonify"))
}
