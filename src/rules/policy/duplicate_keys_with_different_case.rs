//! Condition keys of one block that differ only in the case of their letters.

use crate::diag::Severity;
use std::collections::BTreeMap;

use crate::model::policy::{Condition, PolicyDocument};
use crate::rules::{Check, Rule, Sink, Tier};
use crate::text::{Span, quoted};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "duplicate-keys-with-different-case",
    aliases: &[],
    summary: "condition keys of one block that differ in case alone",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("duplicate_keys_with_different_case.md"),
    check: Check::Policy(check),
};

fn check(policy: &PolicyDocument, sink: &mut Sink<'_>) {
    for statement in &policy.statements {
        let mut seen: BTreeMap<(Span, String), &Condition> = BTreeMap::new();
        for condition in &statement.conditions {
            let key = (condition.block, condition.key.as_str().to_ascii_lowercase());
            let Some(first) = seen.get(&key) else {
                seen.insert(key, condition);
                continue;
            };
            // The same letters twice are a repeated key, which has a rule of its own.
            if first.key == condition.key {
                continue;
            }
            let message = format!(
                "{} and {} are one key: case does not count",
                quoted(first.key.as_str()),
                quoted(condition.key.as_str())
            );
            sink.report(condition.key.span(), message)
                .pointer(condition.pointer.clone())
                .related(first.key.span(), "it stands here first")
                .help("join the values of both under one key");
        }
    }
}
