//! A condition key that its service does not have: no request carries it.

use crate::diag::Severity;
use crate::iam::catalog::{self, Key, Service};
use crate::model::policy::{Condition, PolicyDocument, route53};
use crate::rules::{Check, Rule, Sink, Tier};
use crate::text::{nearest_few, quoted};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "invalid-service-condition-key",
    aliases: &[],
    summary: "a condition key that the service does not have",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("invalid_service_condition_key.md"),
    check: Check::Policy(check),
};

fn check(policy: &PolicyDocument, sink: &mut Sink<'_>) {
    for condition in policy.conditions() {
        let key = condition.key.as_str();
        let Some((prefix, _)) = key.split_once(':') else {
            continue;
        };
        let Some(service) = catalog::service(prefix) else {
            continue;
        };
        if catalog::key(key).is_none() {
            report(condition, service, sink);
        }
    }
}

/// The data of a service that is not complete may lack a key: then it is a warning.
fn report(condition: &Condition, service: Service, sink: &mut Sink<'_>) {
    let key = condition.key.as_str();
    let prefix = service.name();
    let help = meant(key, prefix).unwrap_or_else(|| {
        let names: Vec<&str> = catalog::keys_of(prefix).map(|key| key.name).collect();
        match names.len() {
            0 => format!("`{prefix}` has no condition keys of its own"),
            1..=8 => format!("the keys are {}", names.join(", ")),
            _ => format!("the Service Authorization Reference lists the keys of `{prefix}`"),
        }
    });
    let message = format!(
        "there is no condition key {} in `{prefix}`, so no request carries it",
        quoted(key)
    );
    let draft = sink
        .report(condition.key.span(), message)
        .pointer(condition.pointer.clone())
        .help(help);
    if !service.is_complete() {
        draft.severity(Severity::Warning);
    }
}

/// The keys that were probably meant: the nearest, or, in Route 53, the one that speaks of the same thing.
fn meant(key: &str, prefix: &str) -> Option<String> {
    let keys: Vec<Key> = catalog::keys_of(prefix).collect();
    let mut near = nearest_few(key, keys.iter().map(|key| key.name));
    let topics = [
        ("name", route53::NAMES_KEY),
        ("type", route53::TYPES_KEY),
        ("action", route53::ACTIONS_KEY),
        ("vpc", "route53:VPCs"),
    ];
    let lower = key.to_ascii_lowercase();
    if near.is_empty() && prefix == "route53" {
        near = topics
            .into_iter()
            .filter(|(topic, _)| lower.contains(topic))
            .map(|(_, key)| key)
            .take(1)
            .collect();
    }
    let shown: Vec<String> = near.iter().map(|near| format!("`{near}`")).collect();
    (!shown.is_empty()).then(|| format!("did you mean {}?", shown.join(" or ")))
}
