//! A health check that is turned off to force a failover.

use crate::diag::Severity;
use crate::model::script::Script;
use crate::rules::{Check, Rule, Sink, Tier};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "disabled-health-check-is-healthy",
    aliases: &[],
    summary: "a disabled health check counts as healthy",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("disabled_health_check_is_healthy.md"),
    check: Check::Script(check),
};

fn check(script: &Script, sink: &mut Sink<'_>) {
    for command in script
        .commands
        .iter()
        .filter(|command| command.is_route53())
    {
        let checks = ["update-health-check", "create-health-check"];
        if !checks.iter().any(|name| command.word(name).is_some()) {
            continue;
        }
        if let Some(word) = command.word("--disabled") {
            sink.report(
                word.span(),
                "a disabled health check counts as healthy: traffic stays where it is",
            )
            .help("turn the check upside down with `--inverted`, or change the record");
        }
    }
}
