//! A record set that Route 53 refuses for what is not there.

use crate::diag::Severity;
use crate::model::batch::{Change, ChangeBatch};
use crate::rules::{Check, Rule, Sink, Tier};
use crate::text::{Span, Text};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "change-incomplete",
    aliases: &[],
    summary: "a record set without what Route 53 asks for",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("change_incomplete.md"),
    check: Check::Batch(check),
};

fn check(batch: &ChangeBatch, sink: &mut Sink<'_>) {
    for change in batch
        .changes
        .iter()
        .filter(|change| change.action.is_some())
    {
        for (at, message, help) in faults(change) {
            sink.report(at, message).help(help);
        }
    }
}

/// Keys of which one makes a record set one of several with the same name and type.
const ROUTING: [&str; 6] = [
    "Weight",
    "Region",
    "Failover",
    "GeoLocation",
    "MultiValueAnswer",
    "CidrRoutingConfig",
];

fn faults(change: &Change) -> Vec<(Span, String, &'static str)> {
    let has = |key: &str| change.set.get(key).is_some();
    let mut found = Vec::new();
    let action = change
        .action
        .as_ref()
        .filter(|action| !["CREATE", "DELETE", "UPSERT"].contains(&action.as_str()));
    if let Some(action) = action {
        let message = format!("`{}` is no action of Route 53", action.as_str());
        found.push((
            action.span(),
            message,
            "write `UPSERT`, `CREATE` or `DELETE`",
        ));
    }
    let name = change.text("Name");
    let whole = name.as_ref().map_or_else(|| change.span(), Text::span);
    for key in ["Name", "Type"] {
        if !has(key) {
            let message = format!("`{key}` is not here");
            found.push((whole, message, "a record set has `Name` and `Type`"));
        }
    }
    let plain = !has("AliasTarget") && !has("TrafficPolicyInstanceId");
    let missing: Vec<&str> = ["TTL", "ResourceRecords"]
        .into_iter()
        .filter(|key| plain && !has(key))
        .collect();
    if !missing.is_empty() {
        let message = format!(
            "neither an alias nor complete: `{}` is not here",
            missing.join("`, `")
        );
        found.push((
            whole,
            message,
            "write `TTL` and `ResourceRecords`, or `AliasTarget` alone",
        ));
    }
    if let Some(key) = ROUTING
        .into_iter()
        .find(|key| has(key))
        .filter(|_| !has("SetIdentifier"))
    {
        let at = change.entry_span(key).unwrap_or(whole);
        let message =
            format!("`{key}` without `SetIdentifier`: Route 53 refuses the batch as InvalidInput");
        found.push((
            at,
            message,
            "give each of the record sets a `SetIdentifier` of its own",
        ));
    }
    found
}
