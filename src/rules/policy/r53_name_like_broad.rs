//! A name pattern `*.…`, which matches every name below at any depth.

use crate::diag::Severity;
use crate::model::policy::{PolicyDocument, route53};
use crate::rules::{Check, Rule, Sink, Tier};
use crate::text::quoted;

use super::record_keys::{self, Comparison};

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
    let patterns = record_keys::values(policy, route53::NAMES_KEY)
        .filter(|name| name.comparison == Comparison::Pattern && name.admits());
    for name in patterns {
        let rest = name.text().trim_start_matches('*');
        let stars = name.text().len() - rest.len();
        if stars == 0 || !rest.starts_with('.') {
            continue;
        }
        let message = format!(
            "{} under {} matches every name below at any depth, the wildcard record too, but not {} itself",
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
