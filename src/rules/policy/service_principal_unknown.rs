//! A service principal that no service is known to have, one slip away from one that there is.

use crate::diag::Severity;
use crate::iam::catalog::{self, Service};
use crate::model::policy::{Family, PolicyDocument, Value, has_wildcard};
use crate::rules::{Check, Rule, Sink, Tier};
use crate::text::{is_slip_of, quoted};

use super::invalid_principal::OF_AWS;
use super::invalid_service_principal::OF_SERVICES;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "service-principal-unknown",
    aliases: &[],
    summary: "a service principal one slip away from a known one",
    severity: Severity::Warning,
    tier: Tier::Specific,
    page: include_str!("service_principal_unknown.md"),
    check: Check::Policy(check),
};

const DOMAIN: &str = ".amazonaws.com";

/// Of shorter names, a letter makes another service.
const LEAST: usize = 5;

fn check(policy: &PolicyDocument, sink: &mut Sink<'_>) {
    for statement in &policy.statements {
        let principals = statement.principals.iter();
        let services = principals
            .flat_map(|principals| &principals.entries)
            .filter(|one| {
                one.kind
                    .as_ref()
                    .is_some_and(|kind| kind.as_str() == "Service")
            });
        for principal in services {
            judge(&principal.value, sink);
        }
        for condition in &statement.conditions {
            let strings = condition
                .operator
                .is_some_and(|operator| operator.base.family() == Family::String);
            if strings && OF_SERVICES.iter().any(|key| condition.is_on(key)) {
                for value in &condition.values {
                    judge(value, sink);
                }
            }
        }
    }
}

fn judge(value: &Value, sink: &mut Sink<'_>) {
    let text = value.text.as_str();
    let Some(name) = text.strip_suffix(DOMAIN) else {
        return;
    };
    let plain = !has_wildcard(name) && !name.contains(['.', '$']);
    if !plain || name.len() < LEAST || is_known(name) {
        return;
    }
    let Some(meant) = meant(name) else {
        return;
    };
    let right = format!("{meant}{DOMAIN}");
    let message = format!("no service is known whose principal is {}", quoted(text));
    sink.report(value.text.span_of(0..name.len()), message)
        .pointer(value.pointer.clone())
        .help(format!("did you mean {}?", quoted(&right)));
}

fn is_known(name: &str) -> bool {
    OF_AWS.contains(&name) || catalog::service(name).is_some() || catalog::has_arns(name)
}

/// The service that was meant. Versions of one service differ in a digit, and principals have a hyphen where actions have
/// none.
fn meant(name: &str) -> Option<&'static str> {
    let same = |known: &str| {
        let letters = |byte: &u8| byte.is_ascii_lowercase();
        let own = name.bytes().filter(letters);
        own.eq(known.bytes().filter(letters))
    };
    let near = |known: &&str| known.len() >= LEAST && is_slip_of(name, known) && !same(known);
    let of_aws = OF_AWS.into_iter().find(near);
    of_aws.or_else(|| catalog::services().map(Service::name).find(near))
}
