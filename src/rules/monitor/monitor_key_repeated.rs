//! A key that stands twice in one map of a `KumaEntity`.

use crate::diag::Severity;
use crate::model::monitor::{Form, Monitor, is_same_setting};
use crate::rules::{Check, Rule, Sink, Tier, Workspace};
use crate::syntax::Node;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "monitor-key-repeated",
    aliases: &[],
    summary: "a key stands twice in one map",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("monitor_key_repeated.md"),
    check: Check::Monitor(check),
};

fn check(monitor: &Monitor, _: &Workspace, sink: &mut Sink<'_>) {
    for repeat in monitor.document.repeats() {
        let key = repeat.again.as_str();
        sink.report(
            repeat.again.span(),
            format!("`{key}` stands here a second time; Kubernetes refuses the file or keeps one of the two"),
        )
        .related(repeat.first.span(), "it stands here first")
        .help("keep one of the two");
    }
    if monitor.form == Form::Entity {
        spelled_twice(monitor, sink);
    }
}

/// One setting in both spellings: the field is there twice, and AutoKuma refuses the entity (serde, `duplicate field`).
fn spelled_twice(monitor: &Monitor, sink: &mut Sink<'_>) {
    let entries = monitor.config().and_then(Node::as_map).unwrap_or_default();
    for (index, again) in entries.iter().enumerate() {
        let key = again.key.as_str();
        let mut before = entries.iter().take(index);
        let first = before.find(|first| {
            let other = first.key.as_str();
            other != key && is_same_setting(other, key)
        });
        let Some(first) = first else { continue };
        let message = format!(
            "`{key}` is `{}` in another spelling; AutoKuma refuses the whole entity",
            first.key.as_str()
        );
        sink.report(again.key.span(), message)
            .related(first.key.span(), "it stands here first")
            .help("keep one of the two");
    }
}
