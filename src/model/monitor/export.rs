//! Monitors and notifications in Kuma's own spelling: a backup, an answer of its API, or a list for uptime-kuma-api.
//!
//! Sources: Uptime Kuma 1.23 and 2, `server/model/monitor.js` (`toJSON`), `server/client.js` (`sendNotificationList`), the
//! backup of the settings page; uptime-kuma-api, `add_monitor`.

use crate::syntax::{Kind, Node, yaml};
use crate::text::Text;

use super::read::in_json;
use super::{Declares, Form, Monitor, Webhook};

/// Settings that only Kuma calls so.
const MARKS: [&str; 10] = [
    "maxretries",
    "retryInterval",
    "resendInterval",
    "notificationIDList",
    "accepted_statuscodes",
    "maxredirects",
    "upsideDown",
    "expiryNotification",
    "dns_resolve_type",
    "webhookURL",
];

/// Whether a text in JSON or YAML may hold them: it names one of their settings, or its file is called after them.
#[must_use]
pub fn looks_exported(path: &str, text: &str) -> bool {
    MARKS.iter().any(|mark| text.contains(mark))
        || text.contains("\"monitorList\"")
        || matches!(
            name_of(path),
            "monitor" | "monitors" | "notification" | "notifications"
        )
}

/// The name of the file without its ending.
fn name_of(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.split_once('.').map_or(name, |(stem, _)| stem)
}

/// The monitors and notifications of one document; none where it is another thing.
#[must_use]
pub fn declared(path: &str, form: Form, root: &Node) -> Vec<Monitor> {
    let backup = root.get("monitorList").is_some() || root.get("notificationList").is_some();
    let reader = Reader {
        path,
        form,
        kuma: root
            .get("version")
            .and_then(Node::as_text)
            .filter(|_| backup),
    };
    let lists = [
        ("monitorList", true),
        ("notificationList", false),
        ("monitors", true),
        ("notifications", false),
    ];
    if reader.is_monitor(root) || reader.is_notification(root) {
        return reader.one(root, None).into_iter().collect();
    }
    let mut found = Vec::new();
    for (key, monitors) in lists {
        let Some(list) = root.get(key) else {
            continue;
        };
        // A backup says by its key what is in it; of any list only what looks alike is taken.
        let backup = key.ends_with("List");
        for (item, id) in members(list) {
            let alike = reader.is_monitor(item) || reader.is_notification(item);
            if backup && item.as_map().is_some() || alike {
                found.push(reader.made(item, id, monitors));
            }
        }
    }
    if found.is_empty() && root.get("openapi").is_none() {
        let members = members(root);
        let alike = |(item, _): &(&Node, Option<&Text>)| {
            reader.is_monitor(item) || reader.is_notification(item)
        };
        if !members.is_empty() && members.iter().all(alike) {
            let each = members.into_iter();
            found.extend(each.filter_map(|(item, id)| reader.one(item, id)));
        }
    }
    found
}

/// The elements of a list, or the values of a map with their keys.
fn members(node: &Node) -> Vec<(&Node, Option<&Text>)> {
    match &node.kind {
        Kind::List(items) => items.iter().map(|item| (item, None)).collect(),
        Kind::Map(entries) => entries
            .iter()
            .map(|entry| (&entry.value, Some(&entry.key)))
            .collect(),
        Kind::Null | Kind::Bool(_) | Kind::Number(_) | Kind::Text(_) | Kind::Unknown(_) => {
            Vec::new()
        }
    }
}

struct Reader<'a> {
    path: &'a str,
    form: Form,
    kuma: Option<&'a Text>,
}

impl Reader<'_> {
    fn is_monitor(&self, node: &Node) -> bool {
        let has = |key: &&str| node.get(key).is_some();
        let general = ["name", "type", "interval", "url", "hostname"];
        let marked = MARKS.iter().any(has);
        let timed = node
            .get("interval")
            .is_some_and(|it| it.as_integer().is_some());
        let called = matches!(name_of(self.path), "monitor" | "monitors") && timed;
        node.get("webhookURL").is_none() && general.iter().any(has) && (marked || called)
    }

    fn is_notification(&self, node: &Node) -> bool {
        let is_text = |key: &str| node.get(key).is_some_and(|value| value.as_str().is_some());
        let called = matches!(name_of(self.path), "notification" | "notifications");
        let sends = is_text("type") && node.get("interval").is_none();
        is_text("webhookURL") || called && sends
    }

    /// uptime-kuma-api calls the types by its own names, such as `MonitorType.JSON_QUERY`.
    fn kind(&self, kind: Text) -> Text {
        match kind.as_str().strip_prefix("MonitorType.") {
            Some(name) if self.form == Form::Listed => {
                let name = name.to_ascii_lowercase().replace('_', "-");
                Text::verbatim(name, kind.span())
            }
            _ => kind,
        }
    }

    fn one(&self, node: &Node, id: Option<&Text>) -> Option<Monitor> {
        let monitor = self.is_monitor(node);
        (monitor || self.is_notification(node)).then(|| self.made(node, id, monitor))
    }

    fn made(&self, node: &Node, key: Option<&Text>, is_monitor: bool) -> Monitor {
        let mut malformed = Vec::new();
        let text = |key: &str| node.get(key).and_then(yaml::as_written);
        let webhook = if is_monitor {
            None
        } else {
            match node.get("config").map(|config| (config, config.as_text())) {
                None => Webhook::read(node, false),
                Some((_, Some(text))) => in_json(text, false, &mut malformed),
                Some((config, None)) => Webhook::read(config, false),
            }
        };
        let named = if self.form == Form::Listed {
            text("name")
        } else {
            None
        };
        Monitor {
            path: self.path.to_owned(),
            form: self.form,
            declares: if is_monitor {
                Declares::Monitor
            } else {
                Declares::Notification
            },
            id: named.or_else(|| text("id")).or_else(|| key.cloned()),
            kuma: self.kuma.cloned(),
            namespace: None,
            known: Vec::new(),
            kind: text("type").map(|kind| self.kind(kind)),
            webhook,
            malformed,
            comments: Vec::new(),
            document: node.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::json;
    use crate::text::SourceMap;

    fn read(path: &str, source: &str) -> Option<Vec<Monitor>> {
        let mut sources = SourceMap::default();
        let file = sources.add(path, source);
        let parsed = json::read(&sources.text(file)?);
        Some(declared(path, Form::Kuma, parsed.documents.first()?))
    }

    #[test]
    fn a_backup_gives_its_monitors_and_its_notifications() {
        let source = r#"{"version":"1.23.16","notificationList":[{"id":1,"name":"dispatch","config":"{\"type\":\"webhook\",\"webhookURL\":\"https://api.example.com/dispatches\"}"}],"monitorList":[{"id":7,"type":"http","notificationIDList":{"1":true,"2":false}}]}"#;
        let found = read("backup.json", source).unwrap();
        assert_eq!(found.len(), 2);
        let monitor = found.first().unwrap();
        let ids = monitor.notifications();
        assert_eq!(ids.iter().map(Text::as_str).collect::<Vec<_>>(), ["1"]);
        assert!(!monitor.is_abridged());
        let notification = found.last().unwrap();
        assert!(notification.is("notification"));
        assert!(notification.webhook.as_ref().unwrap().is_dispatch());
        assert_eq!(notification.id.as_ref().unwrap().as_str(), "1");
    }

    #[test]
    fn a_backup_says_by_which_kuma_it_was_written() {
        let of = |version: &str| {
            let source = format!(
                r#"{{"version":"{version}","monitorList":[{{"id":7,"type":"dns","name":"x"}}]}}"#
            );
            read("backup.json", &source)?.first()?.is_of_kuma_1()
        };
        assert_eq!(of("1.23.16"), Some(true));
        assert_eq!(of("2.5.3"), Some(false));
        assert_eq!(of("9.9.9"), None);
    }

    #[test]
    fn a_list_may_call_types_as_the_library_does() {
        let mut sources = SourceMap::default();
        let source =
            "monitors:\n- {type: MonitorType.JSON_QUERY, name: x, interval: 60, maxretries: 3}\n";
        let file = sources.add("m.yaml", source);
        let parsed = yaml::read(&sources.text(file).unwrap());
        let found = declared("m.yaml", Form::Listed, parsed.documents.first().unwrap());
        assert!(found.first().unwrap().is_http());
    }

    #[test]
    fn files_of_other_tools_declare_nothing() {
        for source in [
            r#"{"type": "object", "name": "x"}"#,
            r#"[{"name": "cpu", "type": "metric alert", "query": "avg"}]"#,
            r#"{"monitors": [{"name": "m", "type": "query_level_monitor"}]}"#,
            "[]",
            "{}",
        ] {
            assert_eq!(read("monitors.json", source).unwrap().len(), 0, "{source}");
        }
    }
}
