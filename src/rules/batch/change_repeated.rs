//! A record set that stands twice in one batch.

use crate::diag::Severity;
use crate::model::batch::{Change, ChangeBatch};
use crate::rules::{Check, Rule, Sink, Tier};
use crate::text::Text;
use std::collections::BTreeMap;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "change-repeated",
    aliases: &[],
    summary: "one record set is changed twice in one batch",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("change_repeated.md"),
    check: Check::Batch(check),
};

fn check(batch: &ChangeBatch, sink: &mut Sink<'_>) {
    let mut seen: BTreeMap<(String, String, String), (&Change, bool)> = BTreeMap::new();
    for change in &batch.changes {
        let Some(action) = &change.action else {
            continue;
        };
        let part = |key: &str| {
            change
                .text(key)
                .map_or_else(String::new, |text| text.as_str().to_owned())
        };
        let Some(name) = change.name() else {
            continue;
        };
        let key = (name, part("Type"), part("SetIdentifier"));
        let deletes = action.as_str() == "DELETE";
        let Some((first, first_deletes)) = seen.get(&key).copied() else {
            seen.insert(key, (change, deletes));
            continue;
        };
        // To delete one and create another is a compare-and-set, and what a DELETE is for.
        if first_deletes && !deletes {
            seen.insert(key, (change, deletes));
            continue;
        }
        let at = change
            .text("Name")
            .as_ref()
            .map_or_else(|| change.span(), Text::span);
        let before = first
            .text("Name")
            .as_ref()
            .map_or_else(|| first.span(), Text::span);
        let message = format!(
            "`{}` of type `{}` is changed a second time: Route 53 refuses the whole batch as InvalidChangeBatch",
            key.0, key.1
        );
        sink.report(at, message)
            .related(before, "it is changed here first")
            .help("keep one of the two; several values stand in one record set");
    }
}
