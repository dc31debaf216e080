//! A pin of a host or port that no URL of the command asks for.

use crate::diag::Severity;
use crate::model::script::{Command, Script};
use crate::rules::{Check, Rule, Sink, Tier};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "probe-pin-unused",
    aliases: &[],
    summary: "a probe whose `--resolve` fits no URL, so that public DNS answers",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("probe_pin_unused.md"),
    check: Check::Script(check),
};

fn check(script: &Script, sink: &mut Sink<'_>) {
    for command in script.commands.iter().filter(|command| command.is("curl")) {
        let asked: Option<Vec<(String, String)>> =
            command.urls().map(|url| asked(url.as_str())).collect();
        // A URL that only the shell knows may fit.
        let Some(asked) = asked.filter(|asked| !asked.is_empty() && !has_unknown(command)) else {
            continue;
        };
        for (pin, at) in command.values("--resolve", '\0') {
            let mut parts = pin.trim_start_matches('+').splitn(3, ':');
            let (Some(host), Some(port)) = (parts.next(), parts.next()) else {
                continue;
            };
            let fits = |(name, wanted): &(String, String)| {
                (host == "*" || host.eq_ignore_ascii_case(name)) && port == wanted
            };
            if pin.contains('$') || pin.starts_with('-') || asked.iter().any(fits) {
                continue;
            }
            let urls: Vec<String> = asked
                .iter()
                .map(|(host, port)| format!("`{host}:{port}`"))
                .collect();
            sink.report(at, format!("the pin of `{host}:{port}` is not used: {} is asked for, and public DNS says where", urls.join(", ")))
                .help("write the host and the port of the URL, 443 for https");
        }
    }
}

/// Whether a word may be a URL when the shell has filled it in.
fn has_unknown(command: &Command) -> bool {
    command
        .words
        .iter()
        .skip(1)
        .any(|word| word.as_str().starts_with('$'))
        || command.switch("--location", 'L').is_some()
}

/// The host and the port that a URL asks for; `None` where the shell fills them in.
fn asked(url: &str) -> Option<(String, String)> {
    let (scheme, rest) = url.split_once("://")?;
    let authority = rest.split(['/', '?', '#']).next()?;
    if authority.contains('$') {
        return None;
    }
    let host = authority
        .rsplit_once('@')
        .map_or(authority, |(_, host)| host);
    let usual = if scheme == "https" { "443" } else { "80" };
    let (host, port) = match host.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => (host, port),
        _ => (host, usual),
    };
    Some((host.to_ascii_lowercase(), port.to_owned()))
}
