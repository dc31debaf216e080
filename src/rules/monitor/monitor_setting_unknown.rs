//! A setting that AutoKuma drops without a word.

use crate::diag::Severity;
use crate::model::monitor::{Form, Monitor, is_same_setting};
use crate::rules::{Check, Rule, Sink, Tier, Workspace};
use crate::syntax::{Entry, Kind, Node};
use crate::text::{Text, nearest};

use super::monitor_type_unknown;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "monitor-setting-unknown",
    aliases: &[],
    summary: "a setting that AutoKuma does not know for this type, and drops without a word",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("monitor_setting_unknown.md"),
    check: Check::Monitor(check),
};

/// What every type has (kuma-client, `models/monitor.rs`); `description` is dropped too, and changes nothing.
const COMMON: [&str; 21] = [
    "type",
    "id",
    "name",
    "description",
    "interval",
    "active",
    "max_retries",
    "retry_interval",
    "upside_down",
    "parent",
    "parent_name",
    "tags",
    "tag_names",
    "notification_id_list",
    "notification_name_list",
    "notification_names",
    "create_paused",
    "accepted_statuscodes",
    "conditions",
    "resend_interval",
    "path_name",
];

/// What types have that ask over HTTP.
const HTTP: [&str; 26] = [
    "url",
    "timeout",
    "expiry_notification",
    "ignore_tls",
    "max_redirects",
    "proxy_id",
    "method",
    "http_body_encoding",
    "body",
    "headers",
    "cache_bust",
    "auth_method",
    "basic_auth_user",
    "basic_auth_pass",
    "auth_domain",
    "auth_workstation",
    "oauth_auth_method",
    "oauth_client_id",
    "oauth_client_secret",
    "oauth_token_url",
    "oauth_scopes",
    "oauth_audience",
    "tls_cert",
    "tls_key",
    "tls_ca",
    "ip_family",
];

const DNS: [&str; 4] = ["hostname", "dns_resolve_server", "port", "dns_resolve_type"];

/// The types that are rare beside a failover.
const OTHERS: [(&str, &[&str]); 16] = [
    (
        "docker",
        &["docker_container", "docker_host", "docker_host_name"],
    ),
    (
        "gamedig",
        &["game", "hostname", "port", "gamedig_given_port_only"],
    ),
    (
        "grpc-keyword",
        &[
            "keyword",
            "invert_keyword",
            "grpc_url",
            "max_redirects",
            "grpc_enable_tls",
            "grpc_service_name",
            "grpc_method",
            "grpc_protobuf",
            "grpc_body",
            "grpc_metadata",
            "cache_bust",
        ],
    ),
    (
        "kafka-producer",
        &[
            "kafka_producer_brokers",
            "kafka_producer_topic",
            "kafka_producer_message",
            "kafka_producer_ssl",
            "kafka_producer_allow_auto_topic_creation",
            "kafka_producer_sasl_options",
        ],
    ),
    (
        "mongodb",
        &[
            "database_connection_string",
            "database_query",
            "command",
            "json_path",
            "expected_value",
        ],
    ),
    (
        "mqtt",
        &[
            "hostname",
            "port",
            "mqtt_username",
            "mqtt_password",
            "mqtt_topic",
            "mqtt_check_type",
            "mqtt_success_message",
            "json_path",
            "json_path_operator",
            "expected_value",
        ],
    ),
    (
        "mysql",
        &[
            "database_connection_string",
            "radius_password",
            "database_query",
            "query",
        ],
    ),
    (
        "postgres",
        &["database_connection_string", "database_query", "query"],
    ),
    (
        "rabbitmq",
        &[
            "rabbitmq_nodes",
            "rabbitmq_username",
            "username",
            "rabbitmq_password",
            "password",
        ],
    ),
    (
        "radius",
        &[
            "hostname",
            "port",
            "radius_username",
            "radius_password",
            "radius_secret",
            "radius_called_station_id",
            "radius_calling_station_id",
        ],
    ),
    (
        "real-browser",
        &["url", "remote_browsers_toggle", "remote_browser"],
    ),
    ("redis", &["database_connection_string", "ignore_tls"]),
    (
        "snmp",
        &[
            "hostname",
            "port",
            "radius_password",
            "snmp_oid",
            "oid",
            "snmp_version",
            "version",
            "json_path",
            "json_path_operator",
            "expected_value",
        ],
    ),
    (
        "sqlserver",
        &["database_connection_string", "database_query", "query"],
    ),
    ("steam", &["hostname", "port"]),
    ("tailscale-ping", &["hostname"]),
];

fn known(kind: &str) -> Option<Vec<&'static str>> {
    let own: &[&str] = match kind {
        "http" => &[],
        "keyword" => &["keyword", "invert_keyword"],
        "json-query" => &["json_path", "json_path_operator", "expected_value"],
        "dns" => &DNS,
        "ping" => &["hostname", "packet_size"],
        "port" => &["hostname", "port"],
        "push" => &["push_token", "push_url"],
        "group" => &[],
        other => OTHERS.iter().find(|(kind, _)| *kind == other)?.1,
    };
    let http: &[&str] = if ["http", "keyword", "json-query"].contains(&kind) {
        &HTTP
    } else {
        &[]
    };
    Some([&COMMON, http, own].concat())
}

fn check(monitor: &Monitor, _: &Workspace, sink: &mut Sink<'_>) {
    let entity = monitor.form == Form::Entity && monitor.is_monitor();
    let Some(kind) = monitor.kind.as_ref().filter(|_| entity).map(Text::as_str) else {
        return;
    };
    let Some(config) = monitor.config() else {
        return;
    };
    let Some(known) = known(kind) else {
        return unknown_type(kind, config, sink);
    };
    for entry in config.as_map().unwrap_or_default() {
        let key = entry.key.as_str();
        let unset = matches!(entry.value.kind, Kind::Null);
        // `domain_expiry_notification` is in no version of AutoKuma, however much one wishes.
        let absent = is_same_setting(key, "domain_expiry_notification");
        if unset || !absent && known.iter().any(|name| is_same_setting(key, name)) {
            continue;
        }
        let message = format!(
            "`{key}` is not known to AutoKuma for a `{kind}` monitor, and is dropped without a word"
        );
        let close = nearest(key, known.iter().copied()).filter(|_| !absent);
        let help = match close {
            Some(close) => format!("did you mean `{close}`?"),
            None => "take it out, or set it in Uptime Kuma itself".to_owned(),
        };
        sink.report(entry.key.span(), message).help(help);
    }
}

/// Types newer than what is known here: what they take beside what every type takes is not known. One that there is not has
/// a rule of its own.
fn unknown_type(kind: &str, config: &Node, sink: &mut Sink<'_>) {
    let mut entries = config.as_map().unwrap_or_default().iter();
    let is_own = |entry: &&Entry| {
        !COMMON
            .iter()
            .any(|name| is_same_setting(name, entry.key.as_str()))
    };
    if let Some(entry) = entries
        .find(is_own)
        .filter(|_| monitor_type_unknown::is_known(kind))
    {
        let what = format!("whether AutoKuma reads `{}`", entry.key.as_str());
        let why = format!("the settings of a `{kind}` monitor are not known here");
        sink.undecided(entry.key.span(), what, why, Vec::new());
    }
}
