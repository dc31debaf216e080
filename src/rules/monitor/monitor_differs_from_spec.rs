//! A monitor that has a duty of the spec and watches, asks or expects something else than `generate` would write.

use serde_json::{Map, Value};

use crate::diag::Severity;
use crate::generate::monitor_configs;
use crate::model::dns::RecordName;
use crate::model::monitor::{Form, Monitor};
use crate::model::spec::Spec;
use crate::rules::{Check, Rule, Sink, Tier, Workspace};
use crate::text::{Span, Text};

use super::away::Question;
use super::away_from_spec::{Difference, differences, is_switched};
use super::settings::{self, Fault};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "monitor-differs-from-spec",
    aliases: &[],
    summary: "a monitor with a duty of the spec watches or expects something else than the spec says",
    severity: Severity::Error,
    tier: Tier::Remainder,
    page: include_str!("monitor_differs_from_spec.md"),
    check: Check::Monitor(check),
};

fn check(monitor: &Monitor, workspace: &Workspace, sink: &mut Sink<'_>) {
    let Some(spec) = sink.spec() else {
        return;
    };
    let configs = monitor_configs(spec);
    let id = duty(monitor, workspace, spec, sink);
    let Some((id, wanted)) = configs.into_iter().find(|(known, _)| Some(*known) == id) else {
        return;
    };
    let starts = super::dispatch_of(monitor, workspace, sink).is_some();
    let asks_dns = ["transition-notice", "failback-retry"].contains(&id);
    let mut found = Vec::new();
    let two_forms = id == "failback-retry" && ["dns", "json-query"].iter().any(|it| monitor.is(it));
    for (setting, value) in wanted.as_object().into_iter().flatten() {
        if !(two_forms && setting == "type") {
            found.extend(compare(monitor, setting, value, id));
            found.extend(missing(monitor, setting, value, id, starts));
        }
    }
    let sure = beyond(monitor, wanted.as_object(), id, spec);
    for (setting, usual) in [
        ("active", true),
        ("ignore_tls", false),
        ("upside_down", false),
    ] {
        if wanted.get(setting).is_none() {
            found.extend(compare(monitor, setting, &usual.into(), id));
        }
    }
    if asks_dns {
        found.extend(differences(monitor, spec, id));
    }
    // Foreign settings and headers are told whatever is filled in there.
    let place = place(id, "");
    for (at, message) in sure {
        let label = spec.label(&place);
        sink.report(at, message)
            .related(label.at, label.text)
            .help(HELP);
    }
    for Difference { at, message, place } in found {
        if sink.written(at).contains("{{") {
            let what = format!("whether `{id}` is as the spec says");
            let why = "the value is filled in when AutoKuma reads it".to_owned();
            sink.undecided(at, what, why, Vec::new());
            continue;
        }
        let label = spec.label(&place);
        sink.report(at, message)
            .related(label.at, label.text)
            .help(HELP);
    }
}

const HELP: &str = "change one of the two; `pointsman generate` writes the monitors from the spec";

/// What the monitor has beside the settings of the spec, its headers and its notifications.
fn beyond(
    monitor: &Monitor,
    wanted: Option<&Map<String, Value>>,
    id: &str,
    spec: &Spec,
) -> Vec<Fault> {
    let (Some(wanted), Some(config)) = (wanted, monitor.config()) else {
        return Vec::new();
    };
    let whole = monitor
        .kind
        .as_ref()
        .map_or_else(|| monitor.config_span(), Text::span);
    let mut known: Vec<&str> = wanted.keys().map(String::as_str).collect();
    // These are compared, or are the business of other rules.
    known.extend(["notification_names", "active", "ignore_tls", "upside_down"]);
    known.extend(["dns_resolve_server", "resend_interval"]);
    if id == "failback-retry" {
        // Both forms of it are right, each where AutoKuma lets it repeat.
        known.extend(["hostname", "port", "dns_resolve_type", "conditions"]);
        known.extend([
            "url",
            "method",
            "headers",
            "json_path",
            "json_path_operator",
        ]);
        known.extend(["expected_value", "timeout", "max_redirects"]);
        known.extend(["accepted_statuscodes", "expiry_notification"]);
    }
    // Kuma itself writes out every setting that there is.
    let mut found = match monitor.form {
        Form::Kuma => Vec::new(),
        Form::Entity | Form::Listed => settings::foreign(config, &known),
    };
    let headers = wanted.get("headers").and_then(Value::as_str);
    if let Some(headers) = headers.filter(|_| super::is_http(monitor)) {
        let written = monitor.setting("headers").map(|entry| &entry.value);
        found.extend(settings::headers(monitor, written, headers, whole));
    }
    let sent = wanted
        .get("notification_name_list")
        .and_then(|it| it.get(0));
    if let Some(sent) = sent.and_then(Value::as_str) {
        let dispatch = &spec.monitors.dispatch;
        found.extend(settings::notifications(monitor, sent, dispatch, whole));
    }
    found
}

/// A setting that `generate` writes, that is not here, and that is something else where it is not written.
fn missing(
    monitor: &Monitor,
    setting: &str,
    wanted: &Value,
    id: &'static str,
    starts: bool,
) -> Option<Difference> {
    let told_elsewhere =
        ["timeout", "max_redirects", "resend_interval"].contains(&setting) && starts;
    let asked = shown(wanted);
    let usual = match setting {
        "accepted_statuscodes" => Some("200-299"),
        _ => settings::default_of(setting),
    };
    let given = match wanted {
        Value::Array(_) => !monitor.list(setting).is_empty(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Object(_) => {
            monitor.text(setting).is_some() || wanted.as_bool() == Some(true)
        }
    };
    let looked_at = !PASSED_OVER.contains(&setting) && applies(monitor, setting);
    let silent = given || told_elsewhere || usual == Some(asked.as_str()) || !looked_at;
    (!silent && setting != "type").then(|| Difference {
        at: monitor
            .kind
            .as_ref()
            .map_or_else(|| monitor.config_span(), Text::span),
        message: format!("`{setting}` is not given, but the spec asks for `{asked}`"),
        place: place(id, setting),
    })
}

/// A value as it is shown in a message.
fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(items) => {
            let items: Vec<&str> = items.iter().filter_map(Value::as_str).collect();
            items.join(", ")
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => value.to_string(),
    }
}

/// The duty that a monitor has: by its id, or where no monitor has that id, the retry by what it does.
fn duty(
    monitor: &Monitor,
    workspace: &Workspace,
    spec: &Spec,
    sink: &Sink<'_>,
) -> Option<&'static str> {
    let ids = [
        "edge-watch",
        "edge-notice",
        "transition-notice",
        "failback-retry",
        "token-check",
    ];
    let named = |monitor: &Monitor, id: &str| {
        monitor
            .id
            .as_ref()
            .is_some_and(|found| found.as_str() == id)
    };
    if let Some(id) = ids.into_iter().find(|id| named(monitor, id)) {
        return Some(id);
    }
    let taken = |id: &str| {
        workspace
            .monitors
            .iter()
            .any(|artefact| named(&artefact.model, id))
    };
    let question = Question::of(monitor);
    let starts = super::dispatch_of(monitor, workspace, sink).is_some();
    let tells = monitor
        .notifications()
        .iter()
        .any(|id| id.as_str() == spec.monitors.people);
    let asks = question.name.is_some_and(|name| is_switched(&name, spec));
    if monitor.form == Form::Kuma && !asks {
        return by_what_it_asks(monitor, spec, starts, tells);
    }
    match (asks, starts, tells) {
        (true, true, _) if !taken("failback-retry") => Some("failback-retry"),
        (true, false, true) if !taken("transition-notice") => Some("transition-notice"),
        _ => None,
    }
}

/// In Kuma's own form a monitor has a number alone: what it asks says what it is there for.
fn by_what_it_asks(
    monitor: &Monitor,
    spec: &Spec,
    starts: bool,
    tells: bool,
) -> Option<&'static str> {
    let host = monitor.watched_host().filter(|_| monitor.is_http())?;
    let asks_home = RecordName::parse(host.as_str()).ok().as_ref() == Some(&spec.origin.name);
    let url = monitor.text("url")?;
    match (starts, tells) {
        (true, _) if asks_home => Some("edge-watch"),
        (_, true) if asks_home => Some("edge-notice"),
        (_, true) if spec.is_workflow_url(url.as_str(), "") => Some("token-check"),
        _ => None,
    }
}

/// What other rules and [`differences`] look at, and what changes nothing.
const PASSED_OVER: [&str; 9] = [
    "name",
    "notification_name_list",
    "headers",
    "hostname",
    "dns_resolve_type",
    "conditions",
    "json_path",
    "json_path_operator",
    "expected_value",
];

fn compare(
    monitor: &Monitor,
    setting: &str,
    wanted: &Value,
    id: &'static str,
) -> Option<Difference> {
    let is_query = setting == "url" && id == "failback-retry";
    if PASSED_OVER.contains(&setting) || is_query || !applies(monitor, setting) {
        return None;
    }
    let place = place(id, setting);
    let difference = |at: Span, found: &str, wanted: &str| Difference {
        at,
        message: format!("`{setting}` is `{found}`, but the spec asks for `{wanted}`"),
        place: place.clone(),
    };
    if let Value::Array(items) = wanted {
        let found = monitor.list(setting);
        let mut written: Vec<&str> = found.iter().map(Text::as_str).collect();
        let mut expected: Vec<&str> = items.iter().filter_map(Value::as_str).collect();
        let (shown, asked) = (written.join(", "), expected.join(", "));
        written.sort_unstable();
        expected.sort_unstable();
        let (first, last) = (found.first()?, found.last()?);
        let at = first.span().cover(last.span());
        return (written != expected).then(|| difference(at, &shown, &asked));
    }
    let asked = wanted
        .as_str()
        .map_or_else(|| wanted.to_string(), str::to_owned);
    let Some(found) = monitor.text(setting) else {
        return (asked == "true" && setting != "active").then(|| Difference {
            at: monitor
                .kind
                .as_ref()
                .map_or_else(|| monitor.config_span(), Text::span),
            message: format!("`{setting}` is not given, but the spec asks for `{asked}`"),
            place,
        });
    };
    let same = match wanted {
        Value::Bool(wanted) => monitor.flag(setting) == Some(*wanted),
        Value::Number(wanted) => monitor.number(setting) == wanted.as_i64(),
        Value::String(_) if setting == "url" && id == "token-check" => {
            same_repository(found.as_str(), &asked)
        }
        Value::String(_) if setting == "method" => found.as_str().eq_ignore_ascii_case(&asked),
        Value::Null | Value::String(_) | Value::Array(_) | Value::Object(_) => {
            found.as_str() == asked
        }
    };
    (!same).then(|| difference(found.span(), found.as_str(), &asked))
}

/// Whether two URLs of GitHub's API are the same: names of owners and repositories know no case there.
fn same_repository(url: &str, other: &str) -> bool {
    match (url.split_once("/actions/"), other.split_once("/actions/")) {
        (Some((of, path)), Some((other_of, other_path))) => {
            of.eq_ignore_ascii_case(other_of) && path == other_path
        }
        _ => url == other,
    }
}

/// Whether AutoKuma reads this setting of a monitor of that type.
fn applies(monitor: &Monitor, setting: &str) -> bool {
    let of_http = [
        "url",
        "method",
        "timeout",
        "max_redirects",
        "accepted_statuscodes",
        "expiry_notification",
        "ignore_tls",
    ];
    super::is_http(monitor) || !of_http.contains(&setting)
}

fn place(id: &str, setting: &str) -> String {
    let section = match id {
        "edge-watch" | "edge-notice" => "edge_watch",
        "transition-notice" => "transition_notice",
        "failback-retry" => "failback_retry",
        _ => "token_check",
    };
    let key = match setting {
        "url" if section == "edge_watch" => return "/origin/name".to_owned(),
        "url" => return "/github/workflow".to_owned(),
        "interval" => "/interval_seconds",
        "max_retries" => "/retries",
        "retry_interval" => "/retry_interval_seconds",
        "resend_interval" => "/resend_beats",
        "timeout" => "/timeout_seconds",
        "accepted_statuscodes" if section == "edge_watch" => "/accepted_status",
        _ => "",
    };
    format!("/monitors/{section}{key}")
}
