//! The Uptime Kuma monitors and the notification that starts the workflow, as `KumaEntity` for `AutoKuma`.
//!
//! `AutoKuma` drops keys that it does not know, without a word, and fills every value as a Tera template that may read
//! environment variables beginning with `AUTOKUMA__ENV__` (its source, `util.rs`): by that the token stays out of the file.

use std::net::IpAddr;

use serde_json::{Map, Value, json};

use crate::model::dns::RecordName;
use crate::model::spec::{RecordType, Spec};

use super::{Artefact, HEADER, yaml};

/// `apiVersion` of each entity.
pub const API_VERSION: &str = "autokuma.bigboot.dev/v1";

/// The monitors as files, one an entity.
pub(super) fn files(spec: &Spec) -> Vec<Artefact> {
    let notification = &spec.monitors.dispatch;
    let mut files = vec![entity(
        spec,
        "dispatch",
        notification,
        DISPATCH,
        &dispatch_config(spec),
    )];
    for (id, config) in monitor_configs(spec) {
        let comment = match id {
            "edge-watch" => EDGE_WATCH.to_owned(),
            "edge-notice" => EDGE_NOTICE.to_owned(),
            "transition-notice" => format!("{TRANSITION_NOTICE}{}", other_types(spec)),
            "failback-retry" => format!("{FAILBACK_RETRY}{}", other_types(spec)),
            _ => TOKEN_CHECK.to_owned(),
        };
        files.push(entity(spec, id, id, &comment, &config));
    }
    files
}

/// What each monitor of the spec is set to, by its id.
#[must_use]
pub fn monitor_configs(spec: &Spec) -> [(&'static str, Value); 5] {
    configs(spec, dns_monitors_repeat(&spec.monitors.autokuma_version))
}

/// The same for Kuma itself, in which every monitor can repeat.
pub(super) fn kuma_configs(spec: &Spec) -> [(&'static str, Value); 5] {
    configs(spec, true)
}

fn configs(spec: &Spec, dns_repeats: bool) -> [(&'static str, Value); 5] {
    let monitors = &spec.monitors;
    [
        (
            "edge-watch",
            edge_watch(spec, "starts the workflow", &monitors.dispatch),
        ),
        (
            "edge-notice",
            edge_watch(spec, "tells people", &monitors.people),
        ),
        ("transition-notice", transition_notice(spec)),
        ("failback-retry", failback_retry(spec, dns_repeats)),
        ("token-check", token_check(spec)),
    ]
}

/// A monitor asks for one type of record. Where the switch moves several, it says for which, and why that is enough.
fn other_types(spec: &Spec) -> String {
    let [first, others @ ..] = spec.records.types.as_slice() else {
        return String::new();
    };
    let others: Vec<&str> = others.iter().map(|kind| kind.word()).collect();
    if others.is_empty() {
        return String::new();
    }
    format!(
        "# It asks for {} alone, not for {}: one change moves them together. Records of the other type that somebody
# changed by hand are not seen here.
",
        first.word(),
        others.join(", ")
    )
}

const DISPATCH: &str = "\
# Starts the workflow. The body is fixed and carries neither a direction nor an address; without the Content-Type header
# Uptime Kuma would send it as a form. The token may do no more than `Actions: write` on this one repository; AutoKuma
# reads it from its environment, where a Kubernetes Secret puts it.
";

const EDGE_WATCH: &str = "\
# Is home alive? Starts the workflow when home goes down, when it comes back, and now and then while it is down.
# The time-out is far below Uptime Kuma's 48 s, or a site that swallows packets would be noticed a minute and a half
# later. Redirects are not followed: they could lead to the standby. Notices of certificates would start the workflow too.
";

const EDGE_NOTICE: &str = "\
# The same watch for people. It is a monitor of its own, because notifications are sent one after another and a call
# that hangs holds back those behind it.
";

const TRANSITION_NOTICE: &str = "\
# Have visitors moved? Turned upside down, it is loud at a standby and silent when the name cannot be looked up.
# AutoKuma hands its default resolver to Uptime Kuma.
";

const FAILBACK_RETRY: &str = "\
# Are the records still away from home? Then the workflow is started again now and then, to ask home and to return.
";

const TOKEN_CHECK: &str = "\
# Is the token still good? It asks GitHub for the workflow: this shows that the token is alive and may read, not that
# it may dispatch.
";

fn entity(spec: &Spec, file: &str, id: &str, comment: &str, config: &Value) -> Artefact {
    let entity = json!({
        "apiVersion": API_VERSION,
        "kind": "KumaEntity",
        "metadata": { "name": id, "namespace": spec.monitors.namespace },
        "spec": { "config": config },
    });
    let map = entity.as_object().cloned().unwrap_or_default();
    Artefact {
        path: format!("{}/{file}.yaml", spec.artefacts.monitors),
        text: format!("{HEADER}{comment}{}", yaml::block(&map, 0)),
    }
}

/// `Bearer` and the token, as a template in `AutoKuma`'s language. Single quotes: it meets the text inside a
/// double-quoted string, and escaped double quotes would be no template.
fn bearer(spec: &Spec) -> String {
    format!(
        "Bearer {{{{ get_env(name='{}') }}}}",
        spec.monitors.token_env
    )
}

fn headers(spec: &Spec, posts: bool) -> String {
    let mut headers = Map::new();
    headers.insert("Accept".to_owned(), "application/vnd.github+json".into());
    headers.insert("Authorization".to_owned(), bearer(spec).into());
    if posts {
        headers.insert("Content-Type".to_owned(), "application/json".into());
    }
    headers.insert("X-GitHub-Api-Version".to_owned(), "2022-11-28".into());
    Value::Object(headers).to_string()
}

/// What the notification that starts the workflow is set to.
#[must_use]
pub fn dispatch_config(spec: &Spec) -> Value {
    json!({
        "type": "notification",
        "name": format!("Dispatch {}", spec.repository()),
        "active": true,
        "is_default": false,
        "config": {
            "type": "webhook",
            "webhookURL": spec.dispatch_url(),
            "httpMethod": "post",
            "webhookContentType": "custom",
            "webhookCustomBody": spec.dispatch_body(),
            "webhookAdditionalHeaders": headers(spec, true),
        },
    })
}

fn edge_watch(spec: &Spec, does: &str, notification: &str) -> Value {
    let watch = &spec.monitors.edge_watch;
    json!({
        "type": "http",
        "name": format!("{} is alive ({does})", spec.origin.site),
        "url": spec.origin_url(),
        "method": "GET",
        "interval": watch.interval_seconds,
        "max_retries": watch.retries,
        "retry_interval": watch.retry_interval_seconds,
        "resend_interval": watch.resend_beats,
        "timeout": watch.timeout_seconds,
        "max_redirects": 0,
        "accepted_statuscodes": watch.accepted_status,
        "expiry_notification": false,
        "notification_name_list": [notification],
    })
}

/// The name, type and addresses by which DNS tells where visitors are sent: a name that is looked up as it is, or a
/// host under the wildcard.
fn watched(spec: &Spec) -> (RecordName, RecordType, Vec<String>) {
    let plain = spec.record_names().iter().find(|name| !name.is_wildcard());
    let host = spec.hosts.first().map(|host| &host.name);
    let name = plain.or(host).unwrap_or(&spec.zone.name).clone();
    let kind = spec.records.types.first().copied().unwrap_or(RecordType::A);
    let addresses = spec.standbys().iter().filter_map(|site| site.address(kind));
    (
        name,
        kind,
        addresses
            .map(|address: IpAddr| address.to_string())
            .collect(),
    )
}

/// One condition for each standby; the first one's `andOr` says nothing.
fn conditions(addresses: &[String]) -> Value {
    let condition = |(index, address): (usize, &String)| {
        json!({
            "type": "expression",
            "variable": "record",
            "operator": "equals",
            "value": address,
            "andOr": if index == 0 { "and" } else { "or" },
        })
    };
    addresses.iter().enumerate().map(condition).collect()
}

fn home(spec: &Spec) -> &str {
    spec.home().map_or("home", |site| &site.name)
}

fn transition_notice(spec: &Spec) -> Value {
    let notice = &spec.monitors.transition_notice;
    let (name, kind, addresses) = watched(spec);
    json!({
        "type": "dns",
        "name": format!("{name} has left {}", home(spec)),
        "hostname": name.dns(),
        "port": 53,
        "dns_resolve_type": kind.word(),
        "upside_down": true,
        "conditions": conditions(&addresses),
        "interval": notice.interval_seconds,
        "max_retries": notice.retries,
        "retry_interval": notice.retry_interval_seconds,
        "notification_name_list": [spec.monitors.people],
    })
}

/// As a `dns` monitor where this release of `AutoKuma` lets one repeat, else as a query to a resolver over HTTPS.
fn failback_retry(spec: &Spec, dns_repeats: bool) -> Value {
    let retry = &spec.monitors.failback_retry;
    let (name, kind, addresses) = watched(spec);
    let mut config = if dns_repeats {
        json!({
            "type": "dns",
            "name": "",
            "hostname": name.dns(),
            "port": 53,
            "dns_resolve_type": kind.word(),
            "conditions": conditions(&addresses),
        })
    } else {
        json_query(spec, &name, kind, &addresses)
    };
    let common = json!({
        "name": format!("{name} is still away from {}", home(spec)),
        "upside_down": true,
        "interval": retry.interval_seconds,
        "max_retries": retry.retries,
        "retry_interval": retry.retry_interval_seconds,
        "resend_interval": retry.resend_beats,
        "notification_name_list": [spec.monitors.dispatch],
    });
    if let (Some(config), Some(common)) = (config.as_object_mut(), common.as_object()) {
        config.extend(common.clone());
    }
    config
}

/// Releases up to 2.0.0 know `resend_interval` for `http`, `json-query` and `keyword` only, and drop it elsewhere.
fn dns_monitors_repeat(version: &str) -> bool {
    let numbers: Vec<u64> = version
        .split('.')
        .filter_map(|part| part.parse().ok())
        .collect();
    numbers.as_slice() > [2, 0, 0].as_slice()
}

/// JSON answers of a resolver carry the number of the record's type (RFC 1035, 3.2.2; RFC 3596, 2.1).
fn json_query(spec: &Spec, name: &RecordName, kind: RecordType, addresses: &[String]) -> Value {
    let number = match kind {
        RecordType::A => 1,
        RecordType::Aaaa => 28,
    };
    let first = format!("Answer[type={number}][0].data");
    let (path, expected) = match addresses {
        [one] => (first, one.clone()),
        several => (format!("{first} in {}", json!(several)), "true".to_owned()),
    };
    json!({
        "type": "json-query",
        "name": "",
        "url": format!("{}?name={}&type={}", spec.monitors.resolver_url, name.dns().replace('\\', "%5C"), kind.word()),
        "method": "GET",
        "headers": json!({ "Accept": "application/dns-json" }).to_string(),
        "json_path": path,
        "json_path_operator": "==",
        "expected_value": expected,
        "timeout": spec.monitors.failback_retry.timeout_seconds,
        "max_redirects": 0,
        "accepted_statuscodes": ["200-299"],
        "expiry_notification": false,
    })
}

fn token_check(spec: &Spec) -> Value {
    let check = &spec.monitors.token_check;
    json!({
        "type": "http",
        "name": "The dispatch token is good",
        "url": spec.workflow_url(),
        "method": "GET",
        "headers": headers(spec, false),
        "interval": check.interval_seconds,
        "max_retries": check.retries,
        "retry_interval": check.retry_interval_seconds,
        "timeout": check.timeout_seconds,
        "max_redirects": 0,
        "accepted_statuscodes": ["200"],
        "expiry_notification": false,
        "notification_name_list": [spec.monitors.people],
    })
}
