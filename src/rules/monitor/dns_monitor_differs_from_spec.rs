//! A monitor of the switched record that compares with an address of no site.

use crate::diag::Severity;
use crate::model::dns::RecordName;
use crate::model::monitor::Monitor;
use crate::rules::{Check, Rule, Sink, Tier, Workspace};
use crate::syntax::Node;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "dns-monitor-differs-from-spec",
    aliases: &[],
    summary: "a dns monitor of the switched record names no record or site of the spec",
    severity: Severity::Error,
    tier: Tier::Agreement,
    page: include_str!("dns_monitor_differs_from_spec.md"),
    check: Check::Monitor(check),
};

fn check(monitor: &Monitor, _: &Workspace, sink: &mut Sink<'_>) {
    let Some(spec) = sink.spec().filter(|_| monitor.is("dns")) else {
        return;
    };
    let Some(host) = monitor.text("hostname") else {
        return;
    };
    let Ok(name) = RecordName::parse(host.as_str()) else {
        return;
    };
    if !spec.record_names().contains(&name) {
        return;
    }
    let addresses: Vec<String> = spec
        .sites
        .iter()
        .flat_map(|site| {
            spec.records
                .types
                .iter()
                .filter_map(|kind| site.address(*kind))
        })
        .map(|address| address.to_string())
        .collect();
    let conditions = monitor.setting("conditions").map(|entry| &entry.value);
    for condition in conditions.and_then(Node::as_list).unwrap_or_default() {
        let Some(value) = condition.get("value").and_then(Node::as_text) else {
            continue;
        };
        if addresses.iter().any(|address| address == value.as_str()) {
            continue;
        }
        let label = spec.label("/sites");
        sink.report(
            value.span(),
            format!(
                "`{}` is the address of no site, so that this monitor tells nothing of the switch",
                value.as_str()
            ),
        )
        .related(label.at, label.text)
        .help(format!(
            "the sites' addresses are `{}`",
            addresses.join("`, `")
        ));
    }
}
