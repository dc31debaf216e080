//! A setting that AutoKuma drops without a word.

use crate::diag::Severity;
use crate::model::monitor::{Form, Monitor, is_same_setting};
use crate::rules::{Check, Rule, Sink, Tier, Workspace};
use crate::syntax::Kind;
use crate::text::{Text, nearest};

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
        // Others have settings of which this does not know enough.
        _ => return None,
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
    let (Some(known), Some(config)) = (known(kind), monitor.config()) else {
        return;
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
