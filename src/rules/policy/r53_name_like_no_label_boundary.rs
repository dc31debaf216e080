//! A name pattern that begins with a star and no dot after it, so that it matches other names that end alike.

use crate::diag::Severity;
use crate::model::policy::PolicyDocument;
use crate::rules::{Check, Rule, Sink, Tier};
use crate::text::quoted;

use super::record_keys;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "r53-name-like-no-label-boundary",
    aliases: &[],
    summary: "a name pattern whose star ends in the middle of a label",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("r53_name_like_no_label_boundary.md"),
    check: Check::Policy(check),
};

fn check(policy: &PolicyDocument, sink: &mut Sink<'_>) {
    for (name, stars, rest) in record_keys::leading_stars(policy) {
        if rest.is_empty() || rest.starts_with('.') {
            continue;
        }
        let message = format!(
            "{} under {} also matches other names that end alike, such as {}",
            quoted(name.text()),
            quoted(name.operator()),
            quoted(&format!("evil{rest}"))
        );
        sink.report(name.value.text.span_of(0..stars), message)
            .pointer(name.value.pointer.clone())
            .help(format!(
                "put a dot after the star, or list the names: `{rest}`, `*.{rest}`"
            ));
    }
}
