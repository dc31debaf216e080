//! A condition key that its service does not have: no request carries it.

use crate::diag::Severity;
use crate::iam::catalog::{self, Key, Service};
use crate::model::policy::{Condition, PolicyDocument, route53};
use crate::rules::{Check, Rule, Sink, Tier};
use crate::text::{nearest_few, quoted};

use super::invalid_service_in_action;

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
            if is_of_no_service(key, prefix) && !names_its_actions(policy, prefix) {
                report_prefix(condition, prefix, sink);
            }
            continue;
        };
        if catalog::key(key).is_none() {
            report(condition, service, sink);
        }
    }
}

/// Whether a key begins with the name of a service that is not known. A host is that of an identity provider (IAM User
/// Guide, "Available keys for AWS OIDC federation"), whose claims are its own.
fn is_of_no_service(key: &str, prefix: &str) -> bool {
    let plain = |letter: u8| letter.is_ascii_alphanumeric() || letter == b'-';
    let other = ["aws", "saml"];
    let known = other.iter().any(|other| other.eq_ignore_ascii_case(prefix));
    !prefix.is_empty() && prefix.bytes().all(plain) && !known && catalog::key(key).is_none()
}

/// Whether an action of the policy has the same prefix: then the service is told there.
fn names_its_actions(policy: &PolicyDocument, prefix: &str) -> bool {
    let mut actions = policy.actions();
    actions.any(|action| {
        let of = action.text.as_str().split_once(':');
        of.is_some_and(|(of, _)| of.eq_ignore_ascii_case(prefix))
    })
}

fn report_prefix(condition: &Condition, prefix: &str, sink: &mut Sink<'_>) {
    let key = condition.key.as_str();
    let name = key.get(prefix.len()..).unwrap_or_default();
    let own = |service: &&str| catalog::key(&format!("{service}{name}")).is_some();
    let near = invalid_service_in_action::meant(prefix);
    let mut keys: Vec<String> = near
        .iter()
        .filter(|service| own(service))
        .map(|service| format!("`{service}{name}`"))
        .collect();
    if keys.is_empty() {
        let services = catalog::services().map(Service::name);
        let having = services.filter(|service| own(service)).take(4);
        keys = having.map(|service| format!("`{service}{name}`")).collect();
    }
    // A name that many services have says nothing of which is meant.
    let help = match keys.as_slice() {
        [] | [_, _, _, _, ..] => match near.first() {
            Some(near) => format!("did you mean the service `{near}`?"),
            None => {
                "the Service Authorization Reference lists the services with their condition keys"
                    .to_owned()
            }
        },
        keys => format!("did you mean {}?", keys.join(" or ")),
    };
    let message = format!(
        "no service is known whose condition keys begin with {}, so no request carries {}",
        quoted(prefix),
        quoted(key)
    );
    sink.report(condition.key.span_of(0..prefix.len()), message)
        .pointer(condition.pointer.clone())
        .help(help)
        .severity(Severity::Warning);
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
