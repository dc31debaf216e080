//! The same monitors in the JSON of Uptime Kuma itself, for who runs it without `AutoKuma`.
//!
//! The form is that of Kuma's backup, whose entries its API takes too (`add`, `addNotification`): settings in Kuma's
//! spelling, notifications by number. Uptime Kuma 2.5.3, `server/model/monitor.js`.

use serde_json::{Map, Value, json};

use crate::model::spec::Spec;

use super::monitors::{dispatch_config, kuma_configs};

/// The number of the notification that starts the workflow.
const DISPATCH: &str = "1";
/// The number of the notification that reaches people.
const PEOPLE: &str = "2";
/// Stands for where people are reached, which is in no file; a notification of another type does as well.
const PEOPLE_URL: &str = "${PEOPLE_URL}";
/// Stands for the dispatch token, which is in no file.
const TOKEN: &str = "Bearer ${DISPATCH_TOKEN}";

/// What `AutoKuma` calls otherwise than Kuma.
const SPELLINGS: [(&str, &str); 9] = [
    ("max_retries", "maxretries"),
    ("retry_interval", "retryInterval"),
    ("resend_interval", "resendInterval"),
    ("max_redirects", "maxredirects"),
    ("upside_down", "upsideDown"),
    ("expiry_notification", "expiryNotification"),
    ("json_path", "jsonPath"),
    ("json_path_operator", "jsonPathOperator"),
    ("expected_value", "expectedValue"),
];

/// The monitors and the notification that starts the workflow as one JSON text, with a final newline. The dispatch token
/// is written as `${DISPATCH_TOKEN}`; notification 2 is the one that reaches people, at `${PEOPLE_URL}`.
#[must_use]
pub fn kuma_json(spec: &Spec) -> String {
    let monitors: Vec<Value> = kuma_configs(spec)
        .into_iter()
        .zip(1..)
        .map(|((_, config), id)| monitor(spec, id, &config))
        .collect();
    let dispatch = dispatch_config(spec);
    let inner = dispatch.get("config").cloned().unwrap_or_default();
    let notification = json!({
        "id": 1,
        "name": dispatch.get("name"),
        "active": true,
        "isDefault": false,
        "config": with_token(&inner).to_string(),
    });
    let reaches = json!({
        "type": "webhook",
        "webhookURL": PEOPLE_URL,
        "httpMethod": "post",
        "webhookContentType": "json",
    });
    let people = json!({
        "id": 2,
        "name": spec.monitors.people,
        "active": true,
        "isDefault": false,
        "config": reaches.to_string(),
    });
    let backup = json!({
        "version": "2.5.3",
        "notificationList": [notification, people],
        "monitorList": monitors,
    });
    format!("{backup:#}\n")
}

/// A monitor in Kuma's spelling. It has a switch for notices of expiring domains, too, which `AutoKuma` does not know.
fn monitor(spec: &Spec, id: u32, config: &Value) -> Value {
    let mut entries = Map::new();
    entries.insert("id".to_owned(), id.into());
    entries.insert("active".to_owned(), true.into());
    for (key, value) in config.as_object().into_iter().flatten() {
        if key == "notification_name_list" {
            let tells_people = value
                .as_array()
                .is_some_and(|ids| ids.iter().any(|id| *id == spec.monitors.people.as_str()));
            let number = if tells_people { PEOPLE } else { DISPATCH };
            entries.insert("notificationIDList".to_owned(), json!({ number: true }));
            continue;
        }
        let spelled = SPELLINGS.iter().find(|(known, _)| known == key);
        let spelled = spelled.map_or(key.as_str(), |(_, kuma)| kuma);
        entries.insert(spelled.to_owned(), with_token(value));
    }
    entries.insert("expiryNotification".to_owned(), false.into());
    entries.insert("domainExpiryNotification".to_owned(), false.into());
    if entries.get("type").is_some_and(|kind| kind == "dns") {
        // What Kuma's own form begins with.
        entries.insert("dns_resolve_server".to_owned(), "1.1.1.1".into());
    }
    Value::Object(entries)
}

/// The value, with `AutoKuma`'s template for the token replaced.
fn with_token(value: &Value) -> Value {
    match value {
        Value::String(text) => {
            let start = text.find("Bearer {{");
            let end = text.find("}}");
            match start.zip(end) {
                Some((start, end)) => {
                    let before = text.get(..start).unwrap_or_default();
                    let after = text.get(end + 2..).unwrap_or_default();
                    Value::String(format!("{before}{TOKEN}{after}"))
                }
                None => value.clone(),
            }
        }
        Value::Object(map) => {
            let each = map
                .iter()
                .map(|(key, value)| (key.clone(), with_token(value)));
            Value::Object(each.collect())
        }
        Value::Array(items) => items.iter().map(with_token).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
    }
}
