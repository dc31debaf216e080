//! An alias record with what only other records have.

use crate::diag::Severity;
use crate::model::batch::ChangeBatch;
use crate::rules::{Check, Rule, Sink, Tier};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "batch-alias-with-ttl",
    aliases: &[],
    summary: "an alias record with a TTL or with values of its own",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("batch_alias_with_ttl.md"),
    check: Check::Batch(check),
};

fn check(batch: &ChangeBatch, sink: &mut Sink<'_>) {
    for change in &batch.changes {
        if change.set.get("AliasTarget").is_none() {
            continue;
        }
        for key in ["TTL", "ResourceRecords"] {
            if let Some(at) = change.entry_span(key) {
                let message = format!(
                    "`{key}` stands beside `AliasTarget`: Route 53 refuses the batch as InvalidInput"
                );
                sink.report(at, message).help(format!(
                    "leave `{key}` out; an alias has what its target has"
                ));
            }
        }
    }
}
