//! A health check that is disabled.

use crate::diag::Severity;
use crate::model::batch::ChangeBatch;
use crate::rules::{Check, Rule, Sink, Tier};
use crate::syntax::Node;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "health-check-disabled",
    aliases: &[],
    summary: "a disabled health check counts as healthy",
    severity: Severity::Warning,
    tier: Tier::Specific,
    page: include_str!("health_check_disabled.md"),
    check: Check::Batch(check),
};

fn check(batch: &ChangeBatch, sink: &mut Sink<'_>) {
    for config in &batch.health_checks {
        let Some(entry) = config.entry("Disabled") else {
            continue;
        };
        if Node::as_bool(&entry.value) == Some(true) {
            let at = entry.key.span().cover(entry.value.span());
            sink.report(at, "a disabled health check counts as healthy, whatever its endpoint answers")
                .help("write `\"Disabled\": false`; to force a failover turn it upside down with `\"Inverted\": true`");
        }
    }
}
