//! A type of monitor that nobody knows.

use crate::diag::Severity;
use crate::model::monitor::{Form, Monitor};
use crate::rules::{Check, Rule, Sink, Tier, Workspace};
use crate::text::nearest;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "monitor-type-unknown",
    aliases: &[],
    summary: "a type that AutoKuma or Uptime Kuma does not know",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("monitor_type_unknown.md"),
    check: Check::Monitor(check),
};

/// The types of AutoKuma (kuma-client, `MonitorType`, and autokuma, `EntityType`).
const AUTOKUMA: [&str; 30] = [
    "dns",
    "docker",
    "gamedig",
    "globalping",
    "group",
    "grpc-keyword",
    "http",
    "json-query",
    "kafka-producer",
    "keyword",
    "mongodb",
    "mqtt",
    "mysql",
    "ping",
    "port",
    "postgres",
    "push",
    "radius",
    "real-browser",
    "redis",
    "smtp",
    "snmp",
    "rabbitmq",
    "sqlserver",
    "steam",
    "tailscale-ping",
    "docker_host",
    "notification",
    "status_page",
    "tag",
];

/// Whether AutoKuma knows this type.
pub(super) fn is_known(kind: &str) -> bool {
    AUTOKUMA.contains(&kind)
}

fn check(monitor: &Monitor, _: &Workspace, sink: &mut Sink<'_>) {
    let Some(kind) = monitor.kind.as_ref().filter(|_| monitor.is_monitor()) else {
        return;
    };
    let written = kind.as_str();
    if AUTOKUMA.contains(&written) || super::holds_template(kind) {
        return;
    }
    let close = nearest(written, AUTOKUMA);
    // Kuma's own types grow with each version; only what looks like a slip is told there.
    if monitor.form != Form::Entity && close.is_none() {
        return;
    }
    let help = match close {
        Some(close) => format!("did you mean `{close}`?"),
        None => format!("known are `{}`", AUTOKUMA.join("`, `")),
    };
    sink.report(
        kind.span(),
        format!("`{written}` is no type, so that there is no such monitor"),
    )
    .help(help);
}
