//! Who decides stands in one of the sites.

use crate::diag::Severity;
use crate::model::decider::Deciders;
use crate::rules::{Check, Rule, Sink, Tier};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "decider-inside-a-site",
    aliases: &[],
    summary: "the place that decides is one of the sites",
    severity: Severity::Warning,
    tier: Tier::Specific,
    page: include_str!("decider_inside_a_site.md"),
    check: Check::Decider(check),
};

fn check(deciders: &Deciders, sink: &mut Sink<'_>) {
    let sites = deciders.sites();
    let decides = deciders
        .entry("decider")
        .or_else(|| deciders.entry("monitor"));
    let Some(entry) = decides.filter(|_| sites.len() > 1) else {
        return;
    };
    let Some(place) = entry.value.as_str().filter(|place| sites.contains(place)) else {
        return;
    };
    let at = entry.key.span().cover(entry.value.span());
    sink.report(at, format!("`{place}` decides, and is itself one of the sites: a cut between the sites looks to it like the death of the other"))
        .help("let a third place decide, which reaches the sites as visitors do");
}
