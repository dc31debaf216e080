//! The webhook of a notification.

use crate::syntax::{Node, json, yaml};
use crate::text::{Span, Text};

use super::template::{self, Sent};

/// A notification that posts to a URL.
#[derive(Debug, Clone)]
pub struct Webhook {
    /// The settings of the webhook.
    pub span: Span,
    /// The names of all settings.
    pub keys: Vec<Text>,
    /// `webhookURL`.
    pub url: Option<Text>,
    /// `httpMethod`; `post` where it is not given.
    pub method: Option<Text>,
    /// `webhookContentType`: `json`, `form-data` or `custom`.
    pub content_type: Option<Text>,
    /// `webhookCustomBody`, a Liquid template.
    pub body: Option<Text>,
    /// Whether `AutoKuma` fills the body before Kuma does.
    pub in_entity: bool,
    /// `webhookAdditionalHeaders`, as it is written.
    pub headers_text: Option<Text>,
    /// The headers; `None` where they cannot be read as a JSON object of strings.
    pub headers: Option<Vec<Header>>,
}

/// One header.
#[derive(Debug, Clone)]
pub struct Header {
    /// Its name.
    pub name: Text,
    /// Its value.
    pub value: Text,
}

impl Webhook {
    /// Reads the settings of a notification; `None` for one that is no webhook.
    #[must_use]
    pub fn read(settings: &Node, in_entity: bool) -> Option<Self> {
        let text = |key: &str| settings.get(key).and_then(yaml::as_written);
        let kind = text("type");
        let is_webhook = match &kind {
            Some(kind) => kind.as_str() == "webhook",
            None => settings.get("webhookURL").is_some(),
        };
        if !is_webhook {
            return None;
        }
        let written = settings.get("webhookAdditionalHeaders");
        Some(Self {
            span: settings.span(),
            keys: settings
                .as_map()
                .unwrap_or_default()
                .iter()
                .map(|entry| entry.key.clone())
                .collect(),
            url: text("webhookURL"),
            method: text("httpMethod"),
            content_type: text("webhookContentType"),
            body: text("webhookCustomBody"),
            in_entity,
            headers_text: text("webhookAdditionalHeaders"),
            headers: match written {
                None => Some(Vec::new()),
                // Kuma reads them with `JSON.parse`, and of a map that makes an error.
                Some(node) if in_entity && node.as_map().is_some() => None,
                Some(node) => headers(node),
            },
        })
    }

    /// The header of this name, which knows no case.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&Header> {
        self.headers
            .iter()
            .flatten()
            .find(|header| header.name.as_str().eq_ignore_ascii_case(name))
    }

    /// Whether it starts a workflow at GitHub.
    #[must_use]
    pub fn is_dispatch(&self) -> bool {
        self.url
            .as_ref()
            .is_some_and(|url| url.as_str().trim_end_matches('/').ends_with("/dispatches"))
    }

    /// Whether only its address is given: Kuma itself always writes how it posts, too.
    #[must_use]
    pub fn is_address_alone(&self) -> bool {
        self.content_type.is_none() && self.body.is_none() && self.headers_text.is_none()
    }

    /// The owner, the repository and the workflow's file or number in a URL of GitHub's API.
    #[must_use]
    pub fn target(&self) -> Option<(&str, &str, Option<&str>)> {
        let url = self.url.as_ref()?.as_str();
        let (_, rest) = url.split_once("/repos/")?;
        let mut parts = rest.split('/');
        let (owner, repository) = (parts.next()?, parts.next()?);
        let file = (parts.next() == Some("actions") && parts.next() == Some("workflows"))
            .then(|| parts.next())
            .flatten();
        Some((owner, repository, file))
    }

    /// The body as Uptime Kuma gets it, before it renders it; `None` where nothing comes.
    #[must_use]
    pub fn template(&self) -> Option<Text> {
        let body = self.body.as_ref()?;
        if self.in_entity {
            template::filled(body)
        } else {
            Some(body.clone())
        }
    }

    /// The body as it is sent.
    #[must_use]
    pub fn sent(&self) -> Option<Sent> {
        Some(template::sent(self.body.as_ref()?, self.in_entity))
    }

    /// The body that is sent as JSON, when it is such.
    #[must_use]
    pub fn body_json(&self) -> Option<Node> {
        let sent = self.sent().filter(|sent| sent.refused.is_none())?;
        json_in(&sent.text)
    }
}

fn headers(node: &Node) -> Option<Vec<Header>> {
    let inner = node.as_text().and_then(json_in);
    let entries = inner.as_ref().unwrap_or(node).as_map()?;
    entries
        .iter()
        .map(|entry| {
            Some(Header {
                name: entry.key.clone(),
                value: yaml::as_written(&entry.value)?,
            })
        })
        .collect()
}

/// The JSON document that a text holds, if it holds one.
pub(super) fn json_in(text: &Text) -> Option<Node> {
    let parsed = json::read(text);
    if parsed.faults.is_empty() {
        parsed.documents.into_iter().next()
    } else {
        None
    }
}
