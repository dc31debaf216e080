//! The monitors and notifications of the deployment, as far as a rehearsal plays them: read from the models of their own
//! files, with what Uptime Kuma takes for what is left out.

use std::time::Duration;

use crate::model::monitor::{
    Accepted, Form, INTERVAL, Limit, Monitor, RESEND, RETRIES, RETRY_INTERVAL,
};
use crate::model::spec::Spec;
use crate::syntax::{Kind, Node, yaml};
use crate::text::Text;

use super::watch::WatchSettings;

/// A monitor that is played.
#[derive(Debug, Clone)]
pub(super) struct DeclaredMonitor {
    /// Its id.
    pub id: String,
    /// The path of its file.
    pub path: String,
    /// What it asks.
    pub asks: Asks,
    /// When it speaks.
    pub settings: WatchSettings,
    /// How long a check may take; `None`: a check of a site that does not answer never ends.
    pub timeout: Option<Duration>,
    /// The ids of the notifications that it sends, in their order.
    pub tells: Vec<String>,
}

/// What a monitor asks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Asks {
    /// A URL, for its status.
    Http(HttpCheck),
    /// A service for DNS over HTTPS, for the first address of a name.
    Resolver {
        /// The name.
        name: String,
        /// The type, `A` or `AAAA`.
        kind: String,
        /// What is compared: `==` or `!=`.
        equal: bool,
        /// With what.
        expected: String,
        /// Where it is asked whether the address is one of these: the addresses. What is compared is then `true` or `false`.
        among: Option<Vec<String>>,
    },
    /// A resolver, for the addresses of a name.
    Dns {
        /// The name.
        name: String,
        /// The type, `A` or `AAAA`.
        kind: String,
        /// One of the answers must equal one of these; with none, any answer is good.
        expected: Vec<String>,
        /// Whether the conditions can be true at all.
        possible: bool,
    },
}

/// A check of a URL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct HttpCheck {
    /// The host.
    pub host: String,
    /// The path, with the query.
    pub path: String,
    /// Headers.
    pub headers: Vec<(String, String)>,
    /// How often it goes where it is sent on to.
    pub redirects: u32,
    /// Statuses that are good.
    pub accepted: Accepted,
    /// What the page must hold.
    pub keyword: Option<Keyword>,
}

/// What a page must hold, or must not (Uptime Kuma, `server/model/monitor.js`, type `keyword`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Keyword {
    /// The letters.
    pub text: String,
    /// Whether it must not hold them.
    pub inverted: bool,
}

impl Asks {
    /// What it asks, in words.
    #[must_use]
    pub(super) fn words(&self) -> String {
        let one_of = |all: &[String]| match all {
            [one] => format!("`{one}`"),
            all => format!("one of `{}`", all.join("`, `")),
        };
        match self {
            Self::Http(check) => {
                let (host, path) = (&check.host, &check.path);
                let holds = check.keyword.as_ref().map_or(String::new(), |keyword| {
                    let not = if keyword.inverted { "no " } else { "" };
                    format!(" and holds {not}`{}`", keyword.text)
                });
                format!("`{host}{path}` answers as it accepts{holds}")
            }
            Self::Resolver {
                name,
                equal,
                expected,
                among,
                ..
            } => {
                let is = if *equal { "is" } else { "is not" };
                match among {
                    Some(among) => format!("that `{name}` is {} {is} `{expected}`", one_of(among)),
                    None => format!("`{name}` {is} `{expected}`"),
                }
            }
            Self::Dns {
                name,
                possible: false,
                ..
            } => format!("conditions of `{name}` hold that never can"),
            Self::Dns { name, expected, .. } if expected.is_empty() => {
                format!("`{name}` has an address")
            }
            Self::Dns { name, expected, .. } => format!("`{name}` is {}", one_of(expected)),
        }
    }

    /// The name and the addresses that a monitor of records compares; none for other monitors, and for one that takes any.
    #[must_use]
    pub(super) fn compares(&self) -> Option<(&str, &[String])> {
        match self {
            Self::Http(_) => None,
            Self::Resolver {
                name,
                among: Some(among),
                ..
            } => Some((name, among)),
            Self::Resolver { name, expected, .. } => Some((name, std::slice::from_ref(expected))),
            Self::Dns { name, expected, .. } => {
                (!expected.is_empty()).then_some((name.as_str(), expected.as_slice()))
            }
        }
    }
}

impl HttpCheck {
    /// Whether this status is good.
    #[must_use]
    pub(super) fn accepts(&self, status: u16) -> bool {
        self.accepted.takes(status)
    }
}

/// A notification that posts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Hook {
    /// Its id.
    pub id: String,
    /// Where it posts.
    pub url: String,
    /// The headers as they are sent.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: String,
    /// The method.
    pub method: String,
    /// Whether it says `active: false`.
    pub inactive: bool,
}

/// All that is declared.
#[derive(Debug, Clone, Default)]
pub(super) struct Declared {
    /// Monitors.
    pub monitors: Vec<DeclaredMonitor>,
    /// Notifications that post.
    pub hooks: Vec<Hook>,
    /// What is declared and not played.
    pub left_out: Vec<LeftOut>,
    /// What is taken for something else than it says, or lets a monitor speak once alone.
    pub caveats: Vec<String>,
}

/// A monitor that is not played.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LeftOut {
    /// The path of its file.
    pub path: String,
    /// Why not.
    pub why: String,
    /// Whether it does nothing: it is paused, or never made. Else it is not known what it does.
    pub idle: bool,
    /// What it asks, as it is written: its URL or its name.
    pub asks: String,
    /// The ids of the notifications that it sends.
    pub tells: Vec<String>,
}

/// What stands for the dispatch token, wherever a template takes one from the environment.
pub(super) const TOKEN: &str = "token-of-the-rehearsal";

/// What stands for the value of any other variable.
const OTHER: &str = "another-variable";

impl Declared {
    /// Takes over what these files declare.
    #[must_use]
    pub(super) fn of<'a>(spec: &Spec, monitors: impl IntoIterator<Item = &'a Monitor>) -> Self {
        let mut declared = Self::default();
        for monitor in monitors {
            declared.add(spec, monitor);
        }
        declared
    }

    fn add(&mut self, spec: &Spec, monitor: &Monitor) {
        let id = monitor.id.as_ref().map_or("", Text::as_str).to_owned();
        if monitor.is("notification") {
            self.hooks.extend(hook(spec, &id, monitor));
            return;
        }
        if !monitor.is_monitor() {
            return;
        }
        let tells = monitor.notifications();
        let tells = tells.iter().map(|id| id.as_str().to_owned()).collect();
        let idle = never_made(monitor).or_else(|| {
            let paused = monitor.flag("active") == Some(false);
            paused.then(|| "it is paused (`active: false`)".to_owned())
        });
        let (idle, played) = match idle {
            Some(why) => (true, Err(why)),
            None => (false, asks(spec, monitor)),
        };
        match played {
            Ok(asks) => {
                let settings = self.settings(spec, monitor);
                self.monitors.push(DeclaredMonitor {
                    id,
                    path: monitor.path.clone(),
                    asks,
                    settings,
                    timeout: timeout(monitor),
                    tells,
                });
            }
            Err(why) => {
                let texts = ["url", "hostname"].map(|name| monitor.text(name));
                let texts = texts.iter().flatten().map(Text::as_str);
                self.left_out.push(LeftOut {
                    path: monitor.path.clone(),
                    why,
                    idle,
                    asks: texts.collect::<Vec<_>>().join(" "),
                    tells,
                });
            }
        }
    }
}

impl Declared {
    /// When it speaks; what is left out is as Uptime Kuma takes it.
    fn settings(&mut self, spec: &Spec, monitor: &Monitor) -> WatchSettings {
        let mut number = |limit: Limit, absent: u32, below: u32, taken: &str| {
            let written = monitor.number(limit.setting);
            let number = written.map_or(Ok(absent), u32::try_from);
            let too_little = written.is_some_and(|written| written < below.into());
            if too_little {
                self.caveats.push(format!(
                    "`{}` of `{}` is `{}`, which Uptime Kuma takes for {taken}",
                    monitor.spelling(limit.setting),
                    monitor.path,
                    written.unwrap_or_default()
                ));
            }
            number.unwrap_or(if written.is_some_and(i64::is_negative) {
                0
            } else {
                u32::MAX
            })
        };
        let interval = number(INTERVAL, 60, 1, "60");
        let retries = number(RETRIES, 0, 0, "0");
        let retry_interval = number(RETRY_INTERVAL, 60, 1, "the interval");
        let resend = number(RESEND, 0, 0, "0");
        let dispatches = monitor.notifications();
        let mut dispatches = dispatches.iter();
        let dispatches = dispatches.any(|id| id.as_str() == spec.monitors.dispatch);
        let lost = monitor.loses_resend(&spec.monitors.autokuma_version);
        if dispatches && (resend == 0 || lost) {
            let why = if lost && resend > 0 {
                format!(
                    "AutoKuma {} drops its `resend_interval`",
                    spec.monitors.autokuma_version
                )
            } else {
                "its `resend_interval` is 0".to_owned()
            };
            self.caveats.push(format!(
                "`{}` starts the workflow once and not again, since {why}: one message that is lost is not repeated",
                monitor.path
            ));
        }
        WatchSettings {
            interval: Duration::from_secs(interval.into()),
            retries,
            retry_interval: Duration::from_secs(retry_interval.into()),
            resend: if lost { 0 } else { resend },
            upside_down: monitor.flag("upside_down") == Some(true),
        }
    }
}

/// Why Uptime Kuma never has such a monitor: AutoKuma does not read it, or Kuma's API refuses it (measured with 2.5.3).
fn never_made(monitor: &Monitor) -> Option<String> {
    let numbers = [INTERVAL, RETRIES, RETRY_INTERVAL, RESEND];
    let number = numbers.iter().find_map(|limit| {
        let written = monitor.text(limit.setting)?;
        let is_number = written.as_str().trim().parse::<i64>().is_ok();
        (!is_number).then_some((limit.setting, written))
    });
    if let Some((setting, written)) = number {
        return Some(format!(
            "its `{}`, `{}`, is no whole number, so that it is never made",
            monitor.spelling(setting),
            written.as_str()
        ));
    }
    let least = match monitor.is_of_kuma_1() {
        Some(true) => 20,
        Some(false) | None => 1,
    };
    let interval = monitor.number(INTERVAL.setting);
    let too_little = interval.is_some_and(|interval| interval < least);
    let written = monitor.text(INTERVAL.setting);
    let interval = written.filter(|it| too_little || INTERVAL.number(it.as_str()).is_none());
    if let Some(interval) = interval {
        return Some(format!(
            "Uptime Kuma refuses its `interval` of `{}`, so that it is never made",
            interval.as_str()
        ));
    }
    let accepted = monitor.items("accepted_statuscodes");
    let number = accepted.iter().find_map(|item| match &item.kind {
        Kind::Number(digits) => Some(digits),
        Kind::Null
        | Kind::Bool(_)
        | Kind::Text(_)
        | Kind::List(_)
        | Kind::Map(_)
        | Kind::Unknown(_) => None,
    });
    number.map(|digits| {
        format!(
            "`{digits}` in its `accepted_statuscodes` is a number where Uptime Kuma takes strings alone, so that it is never made"
        )
    })
}

/// A time-out of 0 is multiplied twice by Uptime Kuma: then a check never ends. AutoKuma and uptime-kuma-api write 48 seconds
/// where there is none.
fn timeout(monitor: &Monitor) -> Option<Duration> {
    let seconds = match monitor.text("timeout") {
        Some(written) => written.as_str().trim().parse::<f64>().ok()?,
        None if monitor.form == Form::Kuma => 0.0,
        None => 48.0,
    };
    let within = seconds > 0.0 && seconds <= INTERVAL.most;
    within.then(|| Duration::from_secs_f64(seconds))
}

fn asks(spec: &Spec, monitor: &Monitor) -> Result<Asks, String> {
    let kind = monitor.kind.as_ref().map_or("", Text::as_str);
    let text = |name: &str| monitor.text(name).map(|text| text.as_str().to_owned());
    match kind {
        "http" => Ok(Asks::Http(http(spec, monitor, None)?)),
        "keyword" => {
            let keyword = Keyword {
                text: text("keyword").ok_or("it has no `keyword`")?,
                inverted: monitor.flag("invert_keyword") == Some(true),
            };
            Ok(Asks::Http(http(spec, monitor, Some(keyword))?))
        }
        "dns" => {
            let name = text("hostname").ok_or("it has no `hostname`")?;
            let (expected, possible) = conditions(monitor);
            Ok(Asks::Dns {
                name,
                kind: text("dns_resolve_type").unwrap_or_else(|| "A".to_owned()),
                expected,
                possible,
            })
        }
        "json-query" => resolver(spec, monitor),
        other => Err(format!("a rehearsal has nothing for the type `{other}`")),
    }
}

/// A query of a service for DNS over HTTPS; its answer is known here, other answers are not.
fn resolver(spec: &Spec, monitor: &Monitor) -> Result<Asks, String> {
    let text = |name: &str| monitor.text(name).map(|text| text.as_str().to_owned());
    let url = text("url").unwrap_or_default();
    let query = url
        .strip_prefix(spec.monitors.resolver_url.as_str())
        .and_then(|rest| rest.strip_prefix('?'));
    let query = query.ok_or_else(|| format!("a rehearsal does not know what `{url}` answers"))?;
    let asked = |name: &str| {
        let mut pairs = query.split('&').filter_map(|pair| pair.split_once('='));
        let own = pairs.find(|(own, _)| *own == name);
        own.map(|(_, value)| value.to_owned())
    };
    let kind = asked("type").unwrap_or_else(|| "A".to_owned());
    let path = text("json_path").unwrap_or_default();
    let first = match kind.as_str() {
        "A" => "Answer[type=1][0].data",
        "AAAA" => "Answer[type=28][0].data",
        _ => "",
    };
    let among = match path.strip_prefix(first) {
        Some("") if !first.is_empty() => None,
        Some(rest) => Some(listed(rest).ok_or_else(|| unknown(&path))?),
        None => return Err(unknown(&path)),
    };
    let operator = text("json_path_operator").unwrap_or_else(|| "==".to_owned());
    if operator != "==" && operator != "!=" {
        return Err(format!("the operator `{operator}` is not evaluated here"));
    }
    Ok(Asks::Resolver {
        name: asked("name").ok_or("its URL asks for no `name`")?,
        kind,
        equal: operator == "==",
        expected: text("expected_value").unwrap_or_default(),
        among,
    })
}

fn unknown(path: &str) -> String {
    format!("the query `{path}` is not evaluated here")
}

/// The list behind ` in `.
fn listed(rest: &str) -> Option<Vec<String>> {
    serde_json::from_str(rest.strip_prefix(" in ")?).ok()
}

fn http(spec: &Spec, monitor: &Monitor, keyword: Option<Keyword>) -> Result<HttpCheck, String> {
    let url = monitor.text("url").ok_or("it has no `url`")?;
    let url = url.as_str();
    let rest = url
        .strip_prefix("https://")
        .ok_or_else(|| format!("`{url}` is no `https` URL"))?;
    let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
    Ok(HttpCheck {
        host: host.to_owned(),
        path: format!("/{path}"),
        redirects: monitor
            .number("max_redirects")
            .map_or(10, |number| u32::try_from(number).unwrap_or(10)),
        headers: monitor
            .text("headers")
            .map(|text| headers(&text, &spec.monitors.token_env))
            .unwrap_or_default(),
        accepted: monitor.accepted(),
        keyword,
    })
}

/// Headers in JSON, templates filled in.
fn headers(text: &Text, variable: &str) -> Vec<(String, String)> {
    let read: Result<serde_json::Map<String, serde_json::Value>, _> =
        serde_json::from_str(text.as_str());
    let entries = read.unwrap_or_default().into_iter();
    let text = |value: &serde_json::Value| {
        let text = value.as_str().map(str::to_owned);
        text.unwrap_or_else(|| value.to_string())
    };
    entries
        .map(|(name, value)| (name, filled(&text(&value), variable)))
        .collect()
}

/// A template with the token of the rehearsal in place of what `AutoKuma` takes from the variable that the spec names. What
/// stands in another one is not the token.
fn filled(text: &str, variable: &str) -> String {
    let Some((before, rest)) = text.split_once("{{") else {
        return text.to_owned();
    };
    match rest.split_once("}}") {
        Some((inner, after)) if inner.contains("get_env") => {
            let quoted = ['\'', '"'].map(|mark| format!("{mark}{variable}{mark}"));
            let own = quoted.iter().any(|quoted| inner.contains(quoted.as_str()));
            let value = if own { TOKEN } else { OTHER };
            format!("{before}{value}{}", filled(after, variable))
        }
        Some(_) | None => text.to_owned(),
    }
}

/// The values that a `dns` monitor compares with, and whether its conditions can be true: Uptime Kuma takes one without
/// its type, and other operators and variables, and is DOWN for ever.
fn conditions(monitor: &Monitor) -> (Vec<String>, bool) {
    let items = monitor.items("conditions");
    let text = |node: &Node, key: &str| {
        let value = node.get(key).and_then(yaml::as_written);
        value.map_or(String::new(), |text| text.as_str().to_owned())
    };
    let possible = items.iter().all(|item| {
        text(item, "type") == "expression"
            && text(item, "variable") == "record"
            && text(item, "operator") == "equals"
    });
    (
        items.iter().map(|item| text(item, "value")).collect(),
        possible,
    )
}

fn hook(spec: &Spec, id: &str, monitor: &Monitor) -> Option<Hook> {
    let webhook = monitor.webhook.as_ref()?;
    let mut headers: Vec<(String, String)> = webhook
        .headers
        .iter()
        .flatten()
        .map(|header| {
            let name = header.name.as_str().to_owned();
            (
                name,
                filled(header.value.as_str(), &spec.monitors.token_env),
            )
        })
        .collect();
    let kind = webhook.content_type.as_ref().map_or("json", Text::as_str);
    let has_kind = headers
        .iter()
        .any(|(name, _)| name.eq_ignore_ascii_case("content-type"));
    let (usual, body) = match kind {
        "custom" => {
            let body = webhook.body.as_ref().map_or("", Text::as_str);
            ("application/x-www-form-urlencoded", body.to_owned())
        }
        "form-data" => ("multipart/form-data; boundary=kuma", String::new()),
        _ => (
            "application/json",
            r#"{"heartbeat":{},"monitor":{},"msg":"a notice"}"#.to_owned(),
        ),
    };
    if !has_kind {
        headers.push(("Content-Type".to_owned(), usual.to_owned()));
    }
    Some(Hook {
        inactive: monitor.flag("active") == Some(false),
        id: id.to_owned(),
        url: webhook.url.as_ref()?.as_str().to_owned(),
        headers,
        body,
        method: webhook
            .method
            .as_ref()
            .map_or("POST".to_owned(), |method| method.as_str().to_uppercase()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_template_gets_the_token_of_the_rehearsal_and_nothing_else() {
        let written = "Bearer {{ get_env(name='AUTOKUMA__ENV__DISPATCH_TOKEN') }}";
        let variable = "AUTOKUMA__ENV__DISPATCH_TOKEN";
        assert_eq!(filled(written, variable), format!("Bearer {TOKEN}"));
        assert_eq!(filled("{{ other }} x", variable), "{{ other }} x");
        assert_eq!(
            filled(written, "AUTOKUMA__ENV__DISPATCH"),
            format!("Bearer {OTHER}")
        );
    }
}
