//! A record type that can hand the zone, or a part of it, to other servers.

use crate::diag::Severity;
use crate::model::policy::{PolicyDocument, has_wildcard, route53};
use crate::rules::{Check, Rule, Sink, Tier};
use crate::text::quoted;

use super::record_keys::{self, Comparison};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "r53-type-sensitive",
    aliases: &[],
    summary: "a record type that can hand names to other servers",
    severity: Severity::Warning,
    tier: Tier::Specific,
    page: include_str!("r53_type_sensitive.md"),
    check: Check::Policy(check),
};

/// Types by which other servers come to answer for names, or by which answers stop being believed.
const SENSITIVE: [&str; 3] = ["DS", "NS", "SOA"];

fn check(policy: &PolicyDocument, sink: &mut Sink<'_>) {
    for value in record_keys::values(policy, route53::TYPES_KEY).filter(|value| value.admits()) {
        let pattern = value.comparison == Comparison::Pattern && has_wildcard(value.text());
        let everything = pattern && value.text().chars().all(|character| character == '*');
        let types: Vec<&str> = SENSITIVE
            .into_iter()
            .filter(|kind| value.matches(kind))
            .collect();
        // `*` leaves the types open, which has a rule of its own.
        if everything || types.is_empty() {
            continue;
        }
        let message = format!(
            "{} lets {} records be changed, by which names pass to other servers or stop being believed",
            quoted(value.text()),
            types.join(", ")
        );
        sink.report(value.value.text.span(), message)
            .pointer(value.value.pointer.clone())
            .help("a failover needs `A` and `AAAA`; give NS, DS and SOA to a role of their own");
    }
}
