//! A key that stands twice in one object expression.

use crate::diag::Severity;
use crate::rules::{Check, Rule, Sink, Tier};
use crate::terraform::{Declarations, RepeatedKey};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "object-key-repeated",
    aliases: &[],
    summary: "a key that stands twice in one object, of which Terraform keeps the last",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("object_key_repeated.md"),
    check: Check::Terraform(check),
};

fn check(module: &Declarations, sink: &mut Sink<'_>) {
    for RepeatedKey { name, again, first } in &module.repeated_keys {
        let message = format!(
            "`{name}` stands here a second time; Terraform keeps this one and drops the first without a word"
        );
        sink.report(*again, message)
            .related(*first, "it stands here first, and counts for nothing")
            .help("keep one of the two, or join their values");
    }
}
