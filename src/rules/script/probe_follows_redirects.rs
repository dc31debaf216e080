//! A probe of one site that may end at another.

use crate::diag::Severity;
use crate::model::script::Script;
use crate::rules::{Check, Rule, Sink, Tier};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "probe-follows-redirects",
    aliases: &[],
    summary: "a pinned probe that follows redirects to hosts that are not pinned",
    severity: Severity::Warning,
    tier: Tier::Specific,
    page: include_str!("probe_follows_redirects.md"),
    check: Check::Script(check),
};

fn check(script: &Script, sink: &mut Sink<'_>) {
    for command in script.commands.iter().filter(|command| command.is("curl")) {
        let pins = command.values("--resolve", '\0');
        let every_host = pins
            .iter()
            .any(|(pin, _)| pin.trim_start_matches('+').starts_with("*:"));
        let Some(word) = command
            .switch("--location", 'L')
            .filter(|_| !pins.is_empty() && !every_host)
        else {
            continue;
        };
        sink.report(word.span(), format!("`{}` follows redirects: a host that is not pinned is looked up, and another site may answer", word.as_str()))
            .help("leave it out and take exactly 200 for an answer, or pin every host with `--resolve '*:443:…'`");
    }
}
