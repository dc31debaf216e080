//! One observer alone decides.

use crate::diag::Severity;
use crate::model::decider::Deciders;
use crate::rules::{Check, Rule, Sink, Tier};
use crate::syntax::Node;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "single-observer",
    aliases: &[],
    summary: "one observer alone decides about the switch",
    severity: Severity::Warning,
    tier: Tier::Specific,
    page: include_str!("single_observer.md"),
    check: Check::Decider(check),
};

fn check(deciders: &Deciders, sink: &mut Sink<'_>) {
    let single = deciders
        .entry("single_observer")
        .filter(|entry| entry.value.as_bool() == Some(true));
    let alone = |node: &Node| {
        node.as_list().is_some_and(|items| items.len() < 2)
            || node.as_integer().is_some_and(|count| count < 2)
    };
    let few = deciders
        .entry("observers")
        .filter(|entry| alone(&entry.value));
    if let Some(entry) = single.or(few) {
        let at = entry.key.span().cover(entry.value.span());
        sink.report(
            at,
            "one observer cannot tell a dead site from a broken way to it",
        )
        .help("ask every site from outside both of them, as visitors do, before the switch");
    }
}
