//! A condition key of Route 53 that does not exist: no request carries it.

use crate::diag::Severity;
use crate::model::policy::{PolicyDocument, route53};
use crate::rules::{Check, Rule, Sink, Tier};
use crate::text::{nearest, quoted};

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
        let ours = key
            .get(..8)
            .is_some_and(|service| service.eq_ignore_ascii_case("route53:"));
        if !ours || route53::KEYS.iter().any(|known| condition.is_on(known)) {
            continue;
        }
        let help = meant(key).map_or_else(
            || format!("the keys are {}", route53::KEYS.join(", ")),
            |meant| format!("did you mean `{meant}`?"),
        );
        let message = format!(
            "there is no condition key {} in Route 53, so no request carries it",
            quoted(key)
        );
        sink.report(condition.key.span(), message)
            .pointer(condition.pointer.clone())
            .help(help);
    }
}

/// The key that was probably meant: the nearest, or the one that speaks of the same thing.
fn meant(key: &str) -> Option<&'static str> {
    let topics = [
        ("name", route53::NAMES_KEY),
        ("type", route53::TYPES_KEY),
        ("action", route53::ACTIONS_KEY),
        ("vpc", "route53:VPCs"),
    ];
    let lower = key.to_ascii_lowercase();
    nearest(key, route53::KEYS).or_else(|| {
        topics
            .into_iter()
            .find(|(topic, _)| lower.contains(topic))
            .map(|(_, key)| key)
    })
}
