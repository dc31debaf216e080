//! A name pattern `*.…`, which matches every name below at any depth.

use crate::diag::Severity;
use crate::model::policy::PolicyDocument;
use crate::rules::{Check, Rule, Sink, Tier};
use crate::text::quoted;

use super::record_keys;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "r53-name-like-broad",
    aliases: &[],
    summary: "a name pattern that matches every name below at any depth",
    severity: Severity::Warning,
    tier: Tier::Specific,
    page: include_str!("r53_name_like_broad.md"),
    check: Check::Policy(check),
};

fn check(policy: &PolicyDocument, sink: &mut Sink<'_>) {
    for (name, stars, rest) in record_keys::leading_stars(policy) {
        if !rest.starts_with('.') {
            continue;
        }
        // With a final dot it matches no name yet, as another rule says; with that mended, it matches too many.
        let does = if rest.ends_with('.') {
            "without its final dot matches"
        } else {
            "matches"
        };
        let rest = rest.trim_end_matches('.');
        let message = format!(
            "{} under {} {does} every name below at any depth, the wildcard record too, but not {} itself",
            quoted(name.text()),
            quoted(name.operator()),
            quoted(rest.trim_start_matches('.'))
        );
        sink.report(name.value.text.span_of(0..stars), message)
            .pointer(name.value.pointer.clone())
            .help(format!(
                "list the names; for the wildcard record alone write `\\052{rest}` (in JSON `\\\\052{rest}`) under `StringEquals`"
            ));
    }
}
