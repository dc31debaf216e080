//! A site is watched at its public address from its own network.

use crate::diag::Severity;
use crate::model::decider::Deciders;
use crate::rules::{Check, Rule, Sink, Tier};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "watched-from-inside",
    aliases: &[],
    summary: "a site is watched at its public address from inside",
    severity: Severity::Warning,
    tier: Tier::Specific,
    page: include_str!("watched_from_inside.md"),
    check: Check::Decider(check),
};

fn check(deciders: &Deciders, sink: &mut Sink<'_>) {
    let (Some(monitor), Some(target)) =
        (deciders.text("monitor_site"), deciders.text("target_site"))
    else {
        return;
    };
    let hairpin = deciders
        .entry("hairpin_nat")
        .and_then(|entry| entry.value.as_bool());
    let Some(entry) = deciders
        .entry("monitor_site")
        .filter(|_| monitor == target && hairpin != Some(true))
    else {
        return;
    };
    let at = entry.key.span().cover(entry.value.span());
    sink.report(at, format!("`{monitor}` is watched from its own network: its public address is not reached from there without hairpin NAT"))
        .help("watch it from outside");
}
