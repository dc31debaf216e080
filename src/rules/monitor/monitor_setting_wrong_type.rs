//! A setting that is a text where a list is wanted, or a word that is no truth value, no number, no type of record.

use crate::diag::Severity;
use crate::model::monitor::{Form, Monitor, is_same_setting};
use crate::rules::{Check, Rule, Sink, Tier, Workspace};
use crate::syntax::{Entry, Kind, Node, json};
use crate::text::quoted;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "monitor-setting-wrong-type",
    aliases: &[],
    summary: "a setting of a monitor that is of another type than the one that is read",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("monitor_setting_wrong_type.md"),
    check: Check::Monitor(check),
};

/// What a setting must be (kuma-client, `models/monitor.rs` and `deserialize.rs`; Uptime Kuma 2.5.3, `server/server.js`).
#[derive(Clone, Copy)]
enum Type {
    /// A list, in an entity also as JSON in a string.
    List,
    /// A map, in an entity also as JSON in a string.
    Map,
    Truth,
    /// The numbers with limits have a rule of their own.
    Number,
    Text,
    /// One of these words.
    Word(&'static [&'static str]),
}

const RECORDS: &[&str] = &[
    "A", "AAAA", "CAA", "CNAME", "MX", "NS", "PTR", "SOA", "SRV", "TXT",
];
const METHODS: &[&str] = &["DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"];

const TYPES: [(&str, Type); 28] = [
    ("accepted_statuscodes", Type::List),
    ("notification_name_list", Type::List),
    ("conditions", Type::List),
    ("tags", Type::List),
    ("tag_names", Type::List),
    ("notification_id_list", Type::Map),
    ("active", Type::Truth),
    ("upside_down", Type::Truth),
    ("create_paused", Type::Truth),
    ("expiry_notification", Type::Truth),
    ("domain_expiry_notification", Type::Truth),
    ("ignore_tls", Type::Truth),
    ("cache_bust", Type::Truth),
    ("invert_keyword", Type::Truth),
    ("max_redirects", Type::Number),
    ("port", Type::Number),
    ("packet_size", Type::Number),
    ("name", Type::Text),
    ("url", Type::Text),
    ("hostname", Type::Text),
    ("dns_resolve_server", Type::Text),
    ("headers", Type::Text),
    ("body", Type::Text),
    ("keyword", Type::Text),
    ("json_path", Type::Text),
    ("expected_value", Type::Text),
    ("dns_resolve_type", Type::Word(RECORDS)),
    ("method", Type::Word(METHODS)),
];

fn check(monitor: &Monitor, _: &Workspace, sink: &mut Sink<'_>) {
    let Some(config) = monitor.config().filter(|_| monitor.is_monitor()) else {
        return;
    };
    for entry in config.as_map().unwrap_or_default() {
        let key = entry.key.as_str();
        let mut types = TYPES.iter();
        let Some((_, wanted)) = types.find(|(name, _)| is_same_setting(name, key)) else {
            continue;
        };
        judge(monitor, entry, *wanted, sink);
    }
}

fn judge(monitor: &Monitor, entry: &Entry, wanted: Type, sink: &mut Sink<'_>) {
    let (key, value) = (entry.key.as_str(), &entry.value);
    if matches!(value.kind, Kind::Null | Kind::Unknown(_)) || fits(monitor.form, wanted, value) {
        return;
    }
    if value.as_text().is_some_and(super::is_filled_in) {
        let what = format!("whether `{key}` is what it must be");
        let why = "the value is filled in later".to_owned();
        return sink.undecided(value.span(), what, why, Vec::new());
    }
    let (must, help) = words(wanted);
    let found = match &value.kind {
        Kind::Text(text) => quoted(text.as_str()),
        Kind::Number(digits) => format!("`{digits}`"),
        Kind::Bool(truth) => format!("`{truth}`"),
        Kind::List(_) => "a list".to_owned(),
        Kind::Map(_) => "a map".to_owned(),
        Kind::Null | Kind::Unknown(_) => return,
    };
    let then = match monitor.form {
        Form::Entity => "AutoKuma leaves the whole monitor out",
        Form::Kuma | Form::Listed => "Uptime Kuma refuses it, or takes it for something else",
    };
    sink.report(
        value.span(),
        format!("`{key}` is {found}, but must be {must}; {then}"),
    )
    .help(help);
}

fn words(wanted: Type) -> (String, String) {
    let (must, help) = match wanted {
        Type::List => (
            "a list",
            "write one element a line, each behind `- `, or `[a, b]`",
        ),
        Type::Map => ("a map", "write the numbers as keys: `\"1\": true`"),
        Type::Truth => (
            "`true` or `false`",
            "write `true` or `false`; `yes` and `on` are texts in YAML 1.2",
        ),
        Type::Number => ("a whole number", "write digits alone"),
        Type::Text => ("a text", "write it in quotation marks"),
        Type::Word(allowed) => {
            let allowed = allowed.join("`, `");
            return (
                "one of the known words".to_owned(),
                format!("known are `{allowed}`"),
            );
        }
    };
    (must.to_owned(), help.to_owned())
}

/// `AutoKuma` takes JSON, truth values and numbers in strings, too.
fn fits(form: Form, wanted: Type, value: &Node) -> bool {
    let entity = form == Form::Entity;
    let text = value.as_str();
    let inner = value.as_text().filter(|_| entity).map(json::read);
    let inner = inner.filter(|parsed| parsed.faults.is_empty());
    let inner = inner.as_ref().and_then(|parsed| parsed.documents.first());
    let read = inner.unwrap_or(value);
    match wanted {
        Type::List => read.as_list().is_some(),
        Type::Map => read.as_map().is_some() || !entity && value.as_list().is_some(),
        Type::Truth => match (&value.kind, text) {
            (Kind::Bool(_), _) => true,
            (Kind::Number(digits), _) => entity || ["0", "1"].contains(&digits.as_str()),
            (_, Some(text)) => {
                entity && ["true", "false"].contains(&text.to_ascii_lowercase().as_str())
            }
            _ => false,
        },
        Type::Number => match (&value.kind, text) {
            (Kind::Number(_), _) => value.as_integer().is_some(),
            (_, Some(text)) => text.parse::<i64>().is_ok(),
            _ => false,
        },
        Type::Text => text.is_some(),
        Type::Word(allowed) => text.is_some_and(|text| {
            // Kuma itself does not look at the case of a method.
            let word = if entity {
                text.to_owned()
            } else {
                text.to_ascii_uppercase()
            };
            allowed.contains(&word.as_str())
        }),
    }
}
