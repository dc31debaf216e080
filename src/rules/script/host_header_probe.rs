//! A probe of one site that names the host in a header alone.

use crate::diag::Severity;
use crate::model::script::{Command, Script};
use crate::rules::{Check, Rule, Sink, Tier};
use crate::text::Text;
use std::net::IpAddr;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "host-header-probe",
    aliases: &[],
    summary: "a probe by address with the host in a header: wrong name in TLS",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("host_header_probe.md"),
    check: Check::Script(check),
};

fn check(script: &Script, sink: &mut Sink<'_>) {
    for command in script.commands.iter().filter(|command| command.is("curl")) {
        let Some(address) = address_of(command) else {
            continue;
        };
        for (header, at) in command.values("--header", 'H') {
            let Some((name, host)) = header.split_once(':') else {
                continue;
            };
            if !name.trim().eq_ignore_ascii_case("host") {
                continue;
            }
            let host = host.trim();
            sink.report(at, format!("the site is asked for `{address}` over TLS, not for `{host}`: it sees no such name, and its certificate is compared with the address"))
                .help(format!("write `--resolve {host}:443:{address} https://{host}/` without the header"));
        }
    }
}

/// The address in a URL over TLS, literal or in a variable.
fn address_of(command: &Command) -> Option<String> {
    command.urls().find_map(|url| {
        host_of(url)
            .filter(|host| is_address(host))
            .map(str::to_owned)
    })
}

fn host_of(url: &Text) -> Option<&str> {
    let rest = url.as_str().strip_prefix("https://")?;
    let authority = rest.split(['/', '?', '#']).next()?;
    if let Some(inner) = authority.strip_prefix('[') {
        return inner.split(']').next();
    }
    authority
        .rsplit_once(':')
        .map_or(Some(authority), |(host, _)| Some(host))
}

fn is_address(host: &str) -> bool {
    let variable = host.strip_prefix('$').is_some_and(|name| {
        let name = name.trim_matches(['{', '}']).to_ascii_lowercase();
        ["ip", "addr", "address"].iter().any(|word| {
            name == *word
                || name.ends_with(&format!("_{word}"))
                || name.starts_with(&format!("{word}_"))
        })
    });
    host.parse::<IpAddr>().is_ok() || variable
}
