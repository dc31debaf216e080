//! Document to entity.

use crate::syntax::{Kind, Node, json, yaml};
use crate::text::Text;

use super::{Declares, Form, Malformed, Monitor, Webhook};

impl Monitor {
    /// Reads one document.
    #[must_use]
    pub fn read(path: &str, document: Node) -> Self {
        let document = yaml::merged(document);
        let mut malformed = Vec::new();
        let webhook = parts(&document, &mut malformed);
        let text = |section: &str, key: &str| document.get(section)?.get(key)?.as_text().cloned();
        let kind = document
            .get("spec")
            .and_then(|spec| spec.get("config"))
            .and_then(|config| config.get("type"))
            .and_then(Node::as_text)
            .cloned();
        let declares = match kind.as_ref().map(Text::as_str) {
            Some("notification") => Declares::Notification,
            Some("tag" | "docker_host" | "status_page") => Declares::Other,
            Some(_) | None => Declares::Monitor,
        };
        Self {
            path: path.to_owned(),
            form: Form::Entity,
            declares,
            id: text("metadata", "name"),
            kuma: None,
            namespace: text("metadata", "namespace"),
            known: Vec::new(),
            kind,
            webhook,
            malformed,
            comments: Vec::new(),
            document,
        }
    }
}

fn parts(document: &Node, malformed: &mut Vec<Malformed>) -> Option<Webhook> {
    let mut tell = |at: &Node, reason: &str| {
        malformed.push(Malformed {
            at: at.span(),
            reason: reason.to_owned(),
        });
    };
    if document
        .get("metadata")
        .and_then(|it| it.get("name"))
        .is_none()
    {
        tell(
            document,
            "`metadata.name` is not here, by which other entities refer to this one",
        );
    }
    let Some(config) = document.get("spec").and_then(|spec| spec.get("config")) else {
        tell(
            document,
            "`spec.config` is not here, so that nothing is declared",
        );
        return None;
    };
    if config.as_map().is_none() {
        tell(config, "`spec.config` is no map");
        return None;
    }
    let Some(kind) = config.get("type").and_then(Node::as_str) else {
        tell(
            config,
            "`type` is not here, such as `http`, `dns` or `notification`",
        );
        return None;
    };
    let is_monitor = !["notification", "tag", "docker_host", "status_page"].contains(&kind);
    if is_monitor && config.get("name").is_none() {
        tell(
            config,
            "`name` is not here, without which AutoKuma takes no monitor",
        );
    }
    if kind != "notification" {
        return None;
    }
    let Some(settings) = config.get("config") else {
        tell(config, "a notification needs `config`, which is not here");
        return None;
    };
    match &settings.kind {
        Kind::Map(_) => Webhook::read(settings, true),
        Kind::Text(text) => in_json(text, true, malformed),
        Kind::Null | Kind::Bool(_) | Kind::Number(_) | Kind::List(_) | Kind::Unknown(_) => {
            tell(
                settings,
                "`config` of a notification is a map, or JSON in a string",
            );
            None
        }
    }
}

pub(super) fn in_json(
    text: &Text,
    in_entity: bool,
    malformed: &mut Vec<Malformed>,
) -> Option<Webhook> {
    let parsed = json::read(text);
    malformed.extend(parsed.faults.into_iter().map(|fault| Malformed {
        at: fault.at,
        reason: format!("`config` is no JSON: {}", fault.reason),
    }));
    Webhook::read(parsed.documents.first()?, in_entity)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::SourceMap;

    fn read(source: &str) -> Option<(SourceMap, Vec<Monitor>)> {
        let mut sources = SourceMap::default();
        let file = sources.add("monitors/x.yaml", source);
        let parsed = yaml::read(&sources.text(file)?);
        let monitors = parsed.documents.into_iter().filter(Monitor::recognises);
        let monitors = monitors
            .map(|document| Monitor::read("monitors/x.yaml", document))
            .collect();
        Some((sources, monitors))
    }

    #[test]
    fn settings_are_read_in_each_spelling() {
        let source = "kind: KumaEntity\nmetadata: {name: edge}\nspec:\n  config:\n    type: http\n    name: edge\n    url: https://u:p@origin.example.com:8443/x\n    maxretries: '3'\n    upside_down: \"true\"\n    accepted_statuscodes: '[\"200-299\", \"404\"]'\n    notification_name_list: [people, dispatch]\n---\nkind: Other\n";
        let (sources, monitors) = read(source).unwrap();
        let monitor = monitors.first().unwrap();
        assert_eq!(monitors.len(), 1);
        assert_eq!(
            (monitor.number("max_retries"), monitor.flag("upside_down")),
            (Some(3), Some(true))
        );
        let host = monitor.watched_host().unwrap();
        assert_eq!(
            (host.as_str(), sources.slice(host.span())),
            ("origin.example.com", "origin.example.com")
        );
        let codes = monitor.list("accepted_statuscodes");
        assert_eq!(
            codes
                .iter()
                .map(|code| sources.slice(code.span()))
                .collect::<Vec<_>>(),
            ["\"200-299\"", "\"404\""]
        );
        assert_eq!(monitor.notifications().len(), 2);
        assert!(monitor.malformed.is_empty());
    }

    #[test]
    fn a_webhook_is_read_from_a_map_and_from_json_in_a_block() {
        let map = "    config:\n      type: webhook\n      webhookURL: https://api.example.com/dispatches\n      webhookCustomBody: '{\"ref\":\"main\"}'\n      webhookAdditionalHeaders: '{\"Content-Type\": \"application/json\"}'\n";
        let block = "    config: |\n      {\"type\": \"webhook\", \"webhookURL\": \"https://api.example.com/dispatches\",\n       \"webhookCustomBody\": \"{\\\"ref\\\":\\\"main\\\"}\",\n       \"webhookAdditionalHeaders\": \"{\\\"content-type\\\": \\\"application/json\\\"}\"}\n";
        for config in [map, block] {
            let source = format!(
                "kind: KumaEntity\nmetadata: {{name: d}}\nspec:\n  config:\n    type: notification\n    name: d\n{config}"
            );
            let (sources, monitors) = read(&source).unwrap();
            let webhook = monitors.first().unwrap().webhook.as_ref().unwrap();
            assert!(webhook.is_dispatch());
            assert_eq!(
                webhook.header("Content-Type").unwrap().value.as_str(),
                "application/json"
            );
            let body = webhook.body_json().unwrap();
            let branch = body.get("ref").unwrap().as_text().unwrap();
            assert_eq!(sources.slice(branch.span_of(0..4)), "main");
        }
    }

    #[test]
    fn what_declares_nothing_is_told() {
        let (_, monitors) = read("kind: KumaEntity\nspec: {config: {}}\n---\nkind: KumaEntity\nmetadata: {name: d}\nspec: {config: {type: notification, config: '{x'}}\n").unwrap();
        let reasons: Vec<_> = monitors
            .iter()
            .map(|monitor| monitor.malformed.len())
            .collect();
        assert_eq!(reasons, [2, 1]);
    }
}
