//! Settings that `generate` does not write, headers and notifications: how those of a monitor or notification differ from
//! the spec's.

use serde_json::Value;

use crate::model::monitor::{Form, Monitor, is_same_setting};
use crate::syntax::{Entry, Kind, Node, json, yaml};
use crate::text::{Span, Text};

/// A place and what is wrong there.
pub(super) type Fault = (Span, String);

/// What a setting is where it is not written (Uptime Kuma 2, server/model/monitor.js; AutoKuma, entity.rs).
const DEFAULTS: [(&str, &str); 9] = [
    ("active", "true"),
    ("upside_down", "false"),
    ("ignore_tls", "false"),
    ("expiry_notification", "false"),
    ("is_default", "false"),
    ("resend_interval", "0"),
    ("method", "GET"),
    ("port", "53"),
    ("json_path_operator", "=="),
];

/// What a setting is where it is not written, if that is known.
pub(super) fn default_of(setting: &str) -> Option<&'static str> {
    let found = DEFAULTS.iter().find(|(name, _)| *name == setting);
    found.map(|(_, value)| *value)
}

/// The entries of `node` whose keys are not among `known`, except for those that change nothing.
pub(super) fn foreign(node: &Node, known: &[&str]) -> Vec<Fault> {
    let is_foreign = |entry: &&Entry| {
        let key = entry.key.as_str();
        let changes_nothing = matches!(entry.value.kind, Kind::Null)
            || ["description", "tag_names"]
                .iter()
                .any(|it| is_same_setting(key, it))
            || DEFAULTS.iter().any(|(name, usual)| {
                let written = yaml::as_written(&entry.value);
                is_same_setting(key, name) && written.is_some_and(|it| it.as_str() == *usual)
            });
        !changes_nothing && !known.iter().any(|name| is_same_setting(key, name))
    };
    let entries = node.as_map().unwrap_or_default().iter();
    entries
        .filter(is_foreign)
        .map(|entry| {
            let message = format!(
                "`{}` is a setting that the spec does not ask for",
                entry.key.as_str()
            );
            (entry.key.span(), message)
        })
        .collect()
}

/// How the headers `written` differ from those that `generate` writes, `wanted`, which is JSON in a string. Those that
/// GitHub takes for granted may be left out. In Kuma's own form the token has no template that is known; that no literal
/// one stands there has a rule of its own.
pub(super) fn headers(
    monitor: &Monitor,
    written: Option<&Node>,
    wanted: &str,
    whole: Span,
) -> Vec<Fault> {
    let token = "Authorization";
    let is_filled_in = |name: &str, value: &str| {
        let bearer = value.starts_with("Bearer ");
        monitor.form != Form::Entity && name.eq_ignore_ascii_case(token) && bearer
    };
    let wanted: Value = serde_json::from_str(wanted).unwrap_or_default();
    let wanted = wanted.as_object();
    let inner = written.and_then(Node::as_text).map(json::read);
    let inner = inner.as_ref().and_then(|parsed| parsed.documents.first());
    let found = inner.or(written);
    let entries = found.and_then(Node::as_map).unwrap_or_default();
    let mut faults = Vec::new();
    for entry in entries {
        let name = entry.key.as_str();
        let wanted = wanted.into_iter().flatten();
        let mut wanted = wanted.filter(|(known, _)| known.eq_ignore_ascii_case(name));
        let value = yaml::as_written(&entry.value);
        let value = value.as_ref().map_or("", Text::as_str);
        match wanted.next_back().and_then(|(_, wanted)| wanted.as_str()) {
            None => faults.push((
                entry.key.span(),
                format!("`{name}` is a header that the spec does not ask for"),
            )),
            Some(_) if is_filled_in(name, value) => {}
            Some(wanted) if plain(value) != plain(wanted) => faults.push((
                entry.value.span(),
                format!("the header `{name}` is not `{wanted}`"),
            )),
            Some(_) => {}
        }
    }
    let given = |name: &str| {
        let mut keys = entries.iter().map(|entry| entry.key.as_str());
        keys.any(|key| key.eq_ignore_ascii_case(name))
    };
    if wanted.is_some_and(|wanted| wanted.contains_key(token)) && !given(token) {
        let at = written.map_or(whole, Node::span);
        faults.push((
            at,
            format!("the header `{token}` with the token is not given"),
        ));
    }
    faults
}

/// A template without what its equal spellings differ in; a media type without case and parameters.
fn plain(value: &str) -> String {
    let value = value.strip_suffix("; charset=utf-8").unwrap_or(value);
    let letters = value.chars().filter(|letter| !letter.is_whitespace());
    letters
        .map(|letter| if letter == '"' { '\'' } else { letter })
        .collect()
}

/// How the notifications of a monitor differ from the one that it must send; `dispatch` starts the workflow.
pub(super) fn notifications(
    monitor: &Monitor,
    wanted: &str,
    dispatch: &str,
    whole: Span,
) -> Vec<Fault> {
    let sent = monitor.notifications();
    let mut faults = Vec::new();
    if !sent.iter().any(|id| id.as_str() == wanted) {
        let at = match (sent.first(), sent.last()) {
            (Some(first), Some(last)) => first.span().cover(last.span()),
            _ => monitor
                .setting("notification_name_list")
                .map_or(whole, |entry| entry.value.span()),
        };
        faults.push((at, format!("the notification `{wanted}` is not sent")));
    }
    if wanted != dispatch {
        let starts = sent.iter().filter(|id| id.as_str() == dispatch);
        faults.extend(starts.map(|id| {
            (
                id.span(),
                "this monitor is for people, and starts the workflow too".to_owned(),
            )
        }));
    }
    faults
}
