//! A setting that AutoKuma drops without a word.

use crate::diag::Severity;
use crate::model::monitor::{Form, Monitor, is_same_setting};
use crate::rules::{Check, Rule, Sink, Tier, Workspace};
use crate::syntax::{Entry, Kind, Node};
use crate::text::{Text, nearest};

use super::kuma_settings::{self, Slip};
use super::monitor_type_unknown;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "monitor-setting-unknown",
    aliases: &[],
    summary: "a setting that AutoKuma does not know for this type, or Uptime Kuma in no spelling",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("monitor_setting_unknown.md"),
    check: Check::Monitor(check),
};

/// What every type has (kuma-client, `models/monitor.rs`), by the spelling with `_` where there are two.
const COMMON: [&str; 19] = [
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
    "create_paused",
    "accepted_statuscodes",
    "conditions",
    "resend_interval",
];

/// What types have that ask over HTTP.
const HTTP: [&str; 24] = [
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
    "authMethod",
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
];

const DNS: [&str; 4] = ["hostname", "dns_resolve_server", "port", "dns_resolve_type"];

/// The types that are rare beside a failover.
const OTHERS: [(&str, &[&str]); 18] = [
    (
        "docker",
        &["docker_container", "docker_host", "docker_host_name"],
    ),
    (
        "gamedig",
        &["game", "hostname", "port", "gamedig_given_port_only"],
    ),
    (
        "globalping",
        &[
            "subtype",
            "location",
            "hostname",
            "url",
            "method",
            "protocol",
            "ip_family",
            "port",
            "ping_count",
            "dns_resolve_server",
            "dns_resolve_type",
            "dns_last_result",
            "headers",
            "authMethod",
            "basic_auth_user",
            "basic_auth_pass",
            "expiry_notification",
            "ignore_tls",
            "cache_bust",
            "keyword",
            "invert_keyword",
            "json_path",
            "json_path_operator",
            "expected_value",
        ],
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
        &["database_connection_string", "radius_password", "query"],
    ),
    ("postgres", &["database_connection_string", "query"]),
    ("rabbitmq", &["rabbitmqNodes", "username", "password"]),
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
            "oid",
            "version",
            "json_path",
            "json_path_operator",
            "expected_value",
        ],
    ),
    ("sqlserver", &["database_connection_string", "query"]),
    ("smtp", &["hostname", "port", "security"]),
    ("steam", &["hostname", "port"]),
    ("tailscale-ping", &["hostname"]),
];

fn known(kind: &str) -> Option<Vec<&'static str>> {
    let own: &[&str] = match kind {
        "http" => &["cache_bust"],
        "keyword" => &["keyword", "invert_keyword"],
        // AutoKuma calls it so, and has no `cache_bust` there.
        "json-query" => &[
            "json_path",
            "json_path_operator",
            "expected_value",
            "grpc_metadata",
        ],
        "dns" => &DNS,
        "ping" => &["hostname", "packet_size"],
        "port" => &["hostname", "port"],
        "push" => &["push_token"],
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
    of_webhook(monitor, sink);
    of_kuma(monitor, sink);
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
        // The field of grpc-keyword has no name but its own.
        let single = kind == "grpc-keyword" && key == "invertKeyword";
        if unset || !single && known.iter().any(|name| is_same_setting(key, name)) {
            continue;
        }
        let message = format!(
            "`{key}` is not known to AutoKuma for a `{kind}` monitor, and is dropped without a word"
        );
        let plain = |name: &str| name.replace(['_', '-'], "").to_ascii_lowercase();
        let same = known.iter().copied().find(|name| plain(name) == plain(key));
        let close = same.or_else(|| nearest(key, known.iter().copied()));
        let help = match close.filter(|_| !absent) {
            Some(close) => format!("did you mean `{close}`?"),
            None => "take it out, or set it in Uptime Kuma itself".to_owned(),
        };
        sink.report(entry.key.span(), message).help(help);
    }
}

/// What a webhook does not read: it then posts to nowhere, or what it should not.
fn of_webhook(monitor: &Monitor, sink: &mut Sink<'_>) {
    for (key, meant) in kuma_settings::slips_of_webhook(monitor) {
        let message = format!(
            "`{}` is not read; Uptime Kuma calls it `{meant}`",
            key.as_str()
        );
        sink.report(key.span(), message)
            .help(format!("write `{meant}`"));
    }
}

/// Another release of Uptime Kuma may have settings of its own, and writes them; what somebody wrote by hand is a slip.
fn of_kuma(monitor: &Monitor, sink: &mut Sink<'_>) {
    for (key, slip) in kuma_settings::slips(monitor) {
        let written = key.as_str();
        let (severity, message, help) = match slip {
            Slip::Spelled(meant) => (
                Severity::Error,
                format!("`{written}` is no setting; Uptime Kuma calls it `{meant}`"),
                format!("write `{meant}`"),
            ),
            Slip::Near(meant) => (
                Severity::Warning,
                format!("`{written}` is no setting that is known of Uptime Kuma"),
                format!("did you mean `{meant}`?"),
            ),
            Slip::Foreign => (
                if monitor.form == Form::Kuma && !monitor.is_abridged() {
                    Severity::Note
                } else {
                    Severity::Warning
                },
                format!("`{written}` is no setting that is known of Uptime Kuma up to 2.5"),
                "take it out, or see whether your release has it".to_owned(),
            ),
        };
        sink.report(key.span(), message)
            .severity(severity)
            .help(help);
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
