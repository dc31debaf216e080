//! A dispatch to a URL that GitHub does not have.

use crate::diag::Severity;
use crate::model::monitor::Monitor;
use crate::rules::{Check, Rule, Sink, Tier, Workspace};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "dispatch-url-invalid",
    aliases: &[],
    summary: "a dispatch to a URL that GitHub does not have",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("dispatch_url_invalid.md"),
    check: Check::Monitor(check),
};

fn check(monitor: &Monitor, _: &Workspace, sink: &mut Sink<'_>) {
    let Some(url) = monitor
        .webhook
        .as_ref()
        .and_then(|webhook| webhook.url.as_ref())
    else {
        return;
    };
    let written = url.as_str();
    let meant = written.contains("/workflow") || written.contains("dispatch");
    let Some(reason) = reason(written).filter(|_| meant && !super::holds_template(url)) else {
        return;
    };
    sink.report(url.span(), format!("nothing is started at `{written}`: {reason}"))
        .help("write `https://api.github.com/repos/OWNER/REPOSITORY/actions/workflows/FILE.yml/dispatches`");
}

/// Why GitHub has no such URL; `None` for one that it may have, and for other hosts.
fn reason(url: &str) -> Option<&'static str> {
    let (scheme, rest) = url.split_once("://")?;
    let (host, path) = rest.split_once('/')?;
    match host.to_ascii_lowercase().as_str() {
        "api.github.com" => {}
        "github.com" | "www.github.com" => return Some("its API stands at `api.github.com`"),
        _ => return None,
    }
    if scheme != "https" {
        return Some("it answers over `https` alone, and the token is readable on the way");
    }
    let parts: Vec<&str> = path.split('/').collect();
    match parts.as_slice() {
        ["repos", _, _, "dispatches"]
        | ["repos", _, _, "actions", "workflows", _, "dispatches"] => None,
        [.., ""] => Some("there is a `/` at its end"),
        ["repos", ..] => {
            Some("behind the repository stands `actions/workflows/FILE.yml/dispatches`")
        }
        _ => Some("its path begins with `repos/OWNER/REPOSITORY`"),
    }
}
