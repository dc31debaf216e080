//! An entity in the spec's folder that AutoKuma does not take up: of another version, or in another namespace.

use crate::diag::Severity;
use crate::generate::API_VERSION;
use crate::model::monitor::{Form, Monitor};
use crate::rules::{Check, Rule, Sink, Tier, Workspace};
use crate::syntax::Node;
use crate::text::Text;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "monitor-entity-differs-from-spec",
    aliases: &[],
    summary: "the version or namespace of an entity is not the one in which AutoKuma looks for it",
    severity: Severity::Error,
    tier: Tier::Agreement,
    page: include_str!("monitor_entity_differs_from_spec.md"),
    check: Check::Monitor(check),
};

fn check(monitor: &Monitor, _: &Workspace, sink: &mut Sink<'_>) {
    let Some(spec) = sink.spec() else {
        return;
    };
    let folder = format!("{}/", spec.artefacts.monitors);
    if monitor.form != Form::Entity || !monitor.path.starts_with(&folder) {
        return;
    }
    let id = monitor.id.as_ref().map(Text::span);
    let whole = id.unwrap_or_else(|| monitor.config_span());
    let version = monitor.document.get("apiVersion").and_then(Node::as_text);
    let found = [
        ("apiVersion", version, API_VERSION, "/monitors"),
        (
            "namespace",
            monitor.namespace.as_ref(),
            spec.monitors.namespace.as_str(),
            "/monitors/namespace",
        ),
    ];
    for (key, written, wanted, pointer) in found {
        let (at, message) = match written {
            Some(written) if written.as_str() == wanted => continue,
            Some(written) => (
                written.span(),
                format!(
                    "`{key}` is `{}`, but AutoKuma looks for `{wanted}`",
                    written.as_str()
                ),
            ),
            None => (
                whole,
                format!("`{key}` is not given, but AutoKuma looks for `{wanted}`"),
            ),
        };
        let label = spec.label(pointer);
        sink.report(at, message)
            .related(label.at, label.text)
            .help(format!("write `{key}: {wanted}`"));
    }
}
