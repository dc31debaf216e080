//! Uptime Kuma monitors and notifications, declared as `KumaEntity` for AutoKuma.
//!
//! The custom resource's schema says of `spec.config` only that it is a map, and AutoKuma drops keys that it does not
//! know without a word; what the keys mean is AutoKuma's own model, and Uptime Kuma's (measured with 2.5.3).

mod read;
mod webhook;

use std::net::IpAddr;

use crate::syntax::{Entry, Node, yaml};
use crate::text::{Span, Text};

pub use webhook::{Header, Webhook};

/// One `KumaEntity`.
#[derive(Debug, Clone)]
pub struct Monitor {
    /// The path of the file, as it is shown.
    pub path: String,
    /// The whole document, with merge keys resolved.
    pub document: Node,
    /// `metadata.name`, by which other entities refer to it.
    pub id: Option<Text>,
    /// `metadata.namespace`.
    pub namespace: Option<Text>,
    /// `spec.config.type`.
    pub kind: Option<Text>,
    /// The webhook, for a notification that is one.
    pub webhook: Option<Webhook>,
    /// What has not the shape that AutoKuma reads.
    pub malformed: Vec<Malformed>,
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

    /// `spec.config`.
    #[must_use]
    pub fn config(&self) -> Option<&Node> {
        self.document.get("spec")?.get("config")
    }

    /// The place of `spec.config`, or of the document where there is none.
    #[must_use]
    pub fn config_span(&self) -> Span {
        self.config()
            .map_or_else(|| self.document.span(), Node::span)
    }

    /// Whether it is of this type.
    #[must_use]
    pub fn is(&self, kind: &str) -> bool {
        self.kind
            .as_ref()
            .is_some_and(|found| found.as_str() == kind)
    }

    /// Whether it is a monitor: neither a notification nor a tag, a docker host or a status page.
    #[must_use]
    pub fn is_monitor(&self) -> bool {
        !["notification", "tag", "docker_host", "status_page"]
            .iter()
            .any(|kind| self.is(kind))
    }

    /// The entry of a setting, in any spelling that AutoKuma takes: `max_redirects`, `maxRedirects`, `maxredirects`.
    #[must_use]
    pub fn setting(&self, name: &str) -> Option<&Entry> {
        let entries = self.config()?.as_map()?;
        let wanted = bare(name);
        entries
            .iter()
            .rev()
            .find(|entry| bare(entry.key.as_str()) == wanted)
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

    /// The ids of the notifications that it sends.
    #[must_use]
    pub fn notifications(&self) -> Vec<Text> {
        let mut found = self.list("notification_name_list");
        found.extend(self.list("notification_names"));
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

/// Whether two keys are the same to AutoKuma: `max_redirects`, `maxRedirects`, `maxredirects`.
#[must_use]
pub fn is_same_setting(key: &str, other: &str) -> bool {
    bare(key) == bare(other)
}

/// A key without what its spellings differ in.
fn bare(key: &str) -> String {
    key.chars()
        .filter(|letter| !matches!(letter, '_' | '-'))
        .map(|letter| letter.to_ascii_lowercase())
        .collect()
}
