//! A probe that may wait for ever.

use crate::diag::Severity;
use crate::model::script::Script;
use crate::rules::{Check, Rule, Sink, Tier};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "probe-without-time-limit",
    aliases: &[],
    summary: "a pinned probe without a limit of time",
    severity: Severity::Warning,
    tier: Tier::Specific,
    page: include_str!("probe_without_time_limit.md"),
    check: Check::Script(check),
};

fn check(script: &Script, sink: &mut Sink<'_>) {
    for command in script
        .commands
        .iter()
        .filter(|command| super::is_probe(command))
    {
        let limited = !command.values("--max-time", 'm').is_empty();
        if let Some(program) = command.words.first().filter(|_| !limited) {
            sink.report(
                program.span(),
                "nothing ends this probe: a site that takes the connection and says nothing holds it, and the decision behind it, for ever",
            )
            .help("write `--max-time 10`; `--connect-timeout` ends the first part alone");
        }
    }
}
