//! Uptime Kuma monitors and notifications: declared as `KumaEntity` for AutoKuma, in Kuma's own JSON, or as lists for the
//! library uptime-kuma-api.
//!
//! The custom resource's schema says of `spec.config` only that it is a map, and AutoKuma drops keys that it does not
//! know without a word; what the keys mean is AutoKuma's own model, and Uptime Kuma's (measured with 2.5.3).

mod accepted;
mod export;
mod limits;
mod read;
mod template;
mod webhook;

use std::net::IpAddr;

use crate::syntax::{Comment, Entry, Kind, Node, yaml};
use crate::text::{Span, Text};

pub use accepted::Accepted;
pub use export::{declared, looks_exported};
pub use limits::{INTERVAL, LIMITS, Limit, RESEND, RETRIES, RETRY_INTERVAL};
pub use template::{STAND_IN, Sent};
pub use webhook::{Header, Webhook};

/// How a monitor or notification is written down.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// As a `KumaEntity` for AutoKuma.
    Entity,
    /// As Kuma itself writes it: in a backup, or as its API takes it.
    Kuma,
    /// As a list for the library uptime-kuma-api, which fills in what is left out.
    Listed,
}

/// What is declared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Declares {
    /// A monitor.
    Monitor,
    /// A notification.
    Notification,
    /// A tag, a docker host or a status page.
    Other,
}

/// One monitor or notification.
#[derive(Debug, Clone)]
pub struct Monitor {
    /// The path of the file, as it is shown.
    pub path: String,
    /// How it is written down.
    pub form: Form,
    /// What it declares.
    pub declares: Declares,
    /// The whole document, with merge keys resolved.
    pub document: Node,
    /// `metadata.name`, or the number or the name by which others refer to it.
    pub id: Option<Text>,
    /// The release of Uptime Kuma that wrote it, where a backup says so.
    pub kuma: Option<Text>,
    /// The numbers of Kuma's notifications with the names that the spec has for them.
    pub known: Vec<(String, String)>,
    /// `metadata.namespace`.
    pub namespace: Option<Text>,
    /// `spec.config.type`.
    pub kind: Option<Text>,
    /// The webhook, for a notification that is one.
    pub webhook: Option<Webhook>,
    /// What has not the shape that AutoKuma reads.
    pub malformed: Vec<Malformed>,
    /// The comments that stand before it or in it, and behind the last one of a file.
    pub comments: Vec<Text>,
}

/// A part of an entity that AutoKuma does not read as it looks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Malformed {
    /// Where.
    pub at: Span,
    /// What is wrong and what is allowed.
    pub reason: String,
}

impl Monitor {
    /// Whether a document declares an entity.
    #[must_use]
    pub fn recognises(document: &Node) -> bool {
        document.get("kind").and_then(Node::as_str) == Some("KumaEntity")
    }

    /// Whether a text that cannot be read as YAML is still known to be about one.
    #[must_use]
    pub fn looks_alike(text: &str) -> bool {
        text.contains("KumaEntity")
    }

    /// Whether the release of Uptime Kuma that wrote it is 1: it has no conditions, and takes 20 seconds and more between two
    /// checks. `None`: no release is written down, or one that is not known.
    #[must_use]
    pub fn is_of_kuma_1(&self) -> Option<bool> {
        match self.kuma.as_ref()?.as_str().split('.').next()? {
            "1" => Some(true),
            "2" => Some(false),
            _ => None,
        }
    }

    /// The map with its settings, `spec.config` of an entity.
    #[must_use]
    pub fn config(&self) -> Option<&Node> {
        match self.form {
            Form::Entity => self.document.get("spec")?.get("config"),
            Form::Kuma | Form::Listed => Some(&self.document),
        }
    }

    /// Whether settings that are left out are not known: Kuma always writes all of them, with `id`.
    #[must_use]
    pub fn is_abridged(&self) -> bool {
        self.form == Form::Kuma && self.document.get("id").is_none()
    }

    /// How a setting is spelled where this is written down.
    #[must_use]
    pub fn spelling<'a>(&self, name: &'a str) -> &'a str {
        if self.form == Form::Entity {
            return name;
        }
        match name {
            "max_retries" => "maxretries",
            "retry_interval" => "retryInterval",
            "resend_interval" => "resendInterval",
            "max_redirects" => "maxredirects",
            "upside_down" => "upsideDown",
            "expiry_notification" => "expiryNotification",
            "notification_name_list" => "notificationIDList",
            other => other,
        }
    }

    /// Whether it asks over HTTP.
    #[must_use]
    pub fn is_http(&self) -> bool {
        ["http", "keyword", "json-query"]
            .iter()
            .any(|kind| self.is(kind))
    }

    /// Which answers count as life; what Kuma takes where the setting is not here.
    #[must_use]
    pub fn accepted(&self) -> Accepted {
        if self.setting("accepted_statuscodes").is_none() {
            return Accepted::of(["200-299"]);
        }
        let codes = self.list("accepted_statuscodes");
        Accepted::of(codes.iter().map(Text::as_str))
    }

    /// Whether this release of `AutoKuma` drops its `resend_interval`: 2.0.0 and before know it of monitors that ask over
    /// HTTP alone (BigBoot/AutoKuma, issue 152).
    #[must_use]
    pub fn loses_resend(&self, autokuma: &str) -> bool {
        let mut parts = autokuma
            .split('.')
            .map(|part| part.parse::<u32>().unwrap_or(0));
        let mut next = || parts.next().unwrap_or(0);
        self.form == Form::Entity && !self.is_http() && (next(), next(), next()) <= (2, 0, 0)
    }

    /// The folder of its file, by its path.
    #[must_use]
    pub fn folder(&self) -> &str {
        self.path.rsplit_once('/').map_or("", |(folder, _)| folder)
    }

    /// Gives the comments of a file to the monitors that are declared in it.
    pub fn comment(monitors: &mut [&mut Self], comments: &[Comment]) {
        for comment in comments {
            let ends_behind =
                |monitor: &&mut Self| monitor.document.span().end >= comment.span.start;
            let last = monitors.len().saturating_sub(1);
            let index = monitors.iter().position(ends_behind).unwrap_or(last);
            let span = comment.span;
            let mark = span.len().saturating_sub(comment.text.len());
            let (start, end) = (span.start as usize + mark, span.end as usize);
            let text = Text::verbatim(comment.text.as_str(), Span::new(span.file, start, end));
            if let Some(monitor) = monitors.get_mut(index) {
                monitor.comments.push(text);
            }
        }
    }

    /// Values that AutoKuma's engine refuses, each with its place and the reason: every text of an entity is filled in by it.
    #[must_use]
    pub fn refused_templates(&self) -> Vec<(Span, String)> {
        let mut found = Vec::new();
        let mut open: Vec<&Node> = Vec::new();
        if self.form == Form::Entity {
            open.extend(self.config());
        }
        while let Some(node) = open.pop() {
            match &node.kind {
                Kind::Text(text) => found.extend(template::refused(text)),
                Kind::List(items) => open.extend(items),
                Kind::Map(entries) => {
                    found.extend(entries.iter().filter_map(|it| template::refused(&it.key)));
                    open.extend(entries.iter().map(|entry| &entry.value));
                }
                Kind::Null | Kind::Bool(_) | Kind::Number(_) | Kind::Unknown(_) => {}
            }
        }
        found
    }

    /// The place of its settings, or of the document where there are none.
    #[must_use]
    pub fn config_span(&self) -> Span {
        self.config()
            .map_or_else(|| self.document.span(), Node::span)
    }

    /// Whether it is of this type.
    #[must_use]
    pub fn is(&self, kind: &str) -> bool {
        if self.form != Form::Entity && self.declares == Declares::Notification {
            return kind == "notification";
        }
        self.kind
            .as_ref()
            .is_some_and(|found| found.as_str() == kind)
    }

    /// Whether it is a monitor: neither a notification nor a tag, a docker host or a status page.
    #[must_use]
    pub fn is_monitor(&self) -> bool {
        self.declares == Declares::Monitor
    }

    /// The entry of a setting, in an entity in a spelling that AutoKuma takes, else in any.
    #[must_use]
    pub fn setting(&self, name: &str) -> Option<&Entry> {
        let entries = self.config()?.as_map()?.iter();
        let is_it = |entry: &&Entry| {
            let key = entry.key.as_str();
            match self.form {
                Form::Entity => is_same_setting(key, name),
                Form::Kuma | Form::Listed => bare(key) == bare(name),
            }
        };
        entries.rev().find(is_it)
    }

    /// A setting as the text it is written with.
    #[must_use]
    pub fn text(&self, name: &str) -> Option<Text> {
        yaml::as_written(&self.setting(name)?.value)
    }

    /// A setting as a whole number, also where it is written in quotes.
    #[must_use]
    pub fn number(&self, name: &str) -> Option<i64> {
        self.text(name)?.as_str().trim().parse().ok()
    }

    /// A setting as a truth value, also where it is written in quotes.
    #[must_use]
    pub fn flag(&self, name: &str) -> Option<bool> {
        match self.text(name)?.as_str() {
            "true" | "1" => Some(true),
            "false" | "0" => Some(false),
            _ => None,
        }
    }

    /// The elements of a setting that is a list of strings, also where it is written as JSON in quotes.
    #[must_use]
    pub fn list(&self, name: &str) -> Vec<Text> {
        let Some(entry) = self.setting(name) else {
            return Vec::new();
        };
        let texts = |node: &Node| -> Vec<Text> {
            let items = node.as_list().unwrap_or_default();
            items.iter().filter_map(yaml::as_written).collect()
        };
        match entry.value.as_text() {
            Some(text) => webhook::json_in(text)
                .as_ref()
                .map(texts)
                .unwrap_or_default(),
            None => texts(&entry.value),
        }
    }

    /// The elements of a setting that is a list, also where it is written as JSON in quotes.
    #[must_use]
    pub fn items(&self, name: &str) -> Vec<Node> {
        let Some(entry) = self.setting(name) else {
            return Vec::new();
        };
        let inner = entry.value.as_text().and_then(webhook::json_in);
        let list = inner.as_ref().unwrap_or(&entry.value).as_list();
        list.unwrap_or_default().to_vec()
    }

    /// The ids of the notifications that it sends, by the spec's names where they are known.
    #[must_use]
    pub fn notifications(&self) -> Vec<Text> {
        let called = |written: Text| {
            let mut known = self.known.iter();
            let found = known.find(|(number, _)| number == written.as_str());
            match found {
                Some((_, name)) => Text::verbatim(name.as_str(), written.span()),
                None => written,
            }
        };
        self.written_notifications()
            .into_iter()
            .map(called)
            .collect()
    }

    /// The ids of the notifications that it sends, as they are written.
    #[must_use]
    pub fn written_notifications(&self) -> Vec<Text> {
        let mut found = self.list("notification_name_list");
        if let Some(entry) = self.setting("notification_id_list") {
            let switched_on = |entry: &&Entry| !matches!(entry.value.kind, Kind::Bool(false));
            let entries = entry.value.as_map().unwrap_or_default().iter();
            found.extend(entries.filter(switched_on).map(|entry| entry.key.clone()));
            found.extend(self.list("notification_id_list"));
        }
        found
    }

    /// The host that it watches, of its `url` or its `hostname`, with its place; `None` for an address or a template.
    #[must_use]
    pub fn watched_host(&self) -> Option<Text> {
        let text = self.text("url").or_else(|| self.text("hostname"))?;
        let range = host_range(text.as_str())?;
        let host = text.as_str().get(range.clone())?;
        if host.contains(['{', '$']) || host.parse::<IpAddr>().is_ok() {
            return None;
        }
        Some(Text::verbatim(host, text.span_of(range)))
    }
}

/// The bytes of the host in a URL, or in a bare host name.
fn host_range(url: &str) -> Option<std::ops::Range<usize>> {
    let start = url.find("://").map_or(0, |at| at + 3);
    let rest = url.get(start..)?;
    let authority = rest.get(..rest.find(['/', '?', '#']).unwrap_or(rest.len()))?;
    let user = authority.rfind('@').map_or(0, |at| at + 1);
    let host = authority.get(user..)?;
    let end = host.find(':').unwrap_or(host.len());
    (end > 0).then(|| start + user..start + user + end)
}

/// Whether two keys are the same setting to AutoKuma, which takes Uptime Kuma's own name and, where that has capitals or
/// joins two words, one with `_` between its words: `retryInterval` and `retry_interval`, `maxredirects` and `max_redirects`,
/// but `timeout` alone (AutoKuma, `kuma-client/src/models/monitor.rs`, `rename` and `alias` of each field).
#[must_use]
pub fn is_same_setting(key: &str, other: &str) -> bool {
    key == other || is_spelled(key, other) || is_spelled(other, key)
}

/// Settings that Uptime Kuma itself writes with `_`, or that only AutoKuma has: these have one spelling.
const ONE_SPELLING: [&str; 29] = [
    "accepted_statuscodes",
    "auth_method",
    "basic_auth_pass",
    "basic_auth_user",
    "create_paused",
    "database_query",
    "dns_last_result",
    "dns_resolve_server",
    "dns_resolve_type",
    "docker_container",
    "docker_host",
    "docker_host_name",
    "notification_name_list",
    "oauth_audience",
    "oauth_auth_method",
    "oauth_client_id",
    "oauth_client_secret",
    "oauth_scopes",
    "oauth_token_url",
    "parent_name",
    "ping_count",
    "rabbitmq_nodes",
    "rabbitmq_password",
    "rabbitmq_username",
    "remote_browser",
    "smtp_security",
    "snmp_oid",
    "snmp_version",
    "tag_names",
];

/// Whether `key` is how Uptime Kuma writes the setting `name`.
fn is_spelled(key: &str, name: &str) -> bool {
    match name {
        "max_retries" => return key == "maxretries",
        "max_redirects" => return key == "maxredirects",
        "notification_id_list" => return key == "notificationIDList",
        // Beside these AutoKuma takes a word of its own.
        "command" | "query" => return key == "databaseQuery",
        "oid" => return key == "snmpOid",
        "version" => return key == "snmp_version",
        "security" => return key == "smtp_security",
        "username" => return key == "rabbitmqUsername",
        "password" => return key == "rabbitmqPassword",
        _ if ONE_SPELLING.contains(&name) => return false,
        _ => {}
    }
    let mut words = name.split('_');
    let mut rest = words.next().and_then(|first| key.strip_prefix(first));
    let mut several = false;
    for word in words {
        several = true;
        let mut letters = word.chars();
        let first = letters.next().map(|letter| letter.to_ascii_uppercase());
        rest = first
            .and_then(|first| rest?.strip_prefix(first))
            .and_then(|rest| rest.strip_prefix(letters.as_str()));
    }
    several && rest == Some("")
}

/// A key without what its spellings differ in.
fn bare(key: &str) -> String {
    key.chars()
        .filter(|letter| !matches!(letter, '_' | '-'))
        .map(|letter| letter.to_ascii_lowercase())
        .collect()
}
