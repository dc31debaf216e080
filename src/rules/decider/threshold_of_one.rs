//! One observation alone decides.

use crate::diag::Severity;
use crate::model::decider::Deciders;
use crate::rules::{Check, Rule, Sink, Tier};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "threshold-of-one",
    aliases: &[],
    summary: "a single observation is enough for a move",
    severity: Severity::Warning,
    tier: Tier::Specific,
    page: include_str!("threshold_of_one.md"),
    check: Check::Decider(check),
};

fn check(deciders: &Deciders, sink: &mut Sink<'_>) {
    for (key, what) in [
        ("fall", "a site counts as down"),
        ("rise", "a site counts as back"),
    ] {
        let Some(entry) = deciders.entry(key) else {
            continue;
        };
        if let Some(count) = entry.value.as_integer().filter(|count| *count < 2) {
            let at = entry.key.span().cover(entry.value.span());
            sink.report(at, format!("with `{key}` {count} {what} after one answer, and the records move with each lost packet"))
                .help("ask several times in a row, each opposite answer beginning the count anew");
        }
    }
}
