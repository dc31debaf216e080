//! A resource control policy with an element that such a policy does not have.

use std::collections::BTreeSet;

use crate::diag::Severity;
use crate::iam::catalog;
use crate::model::policy::{PolicyDocument, PolicyKind, Statement};
use crate::rules::{Check, Rule, Sink, Tier};
use crate::text::Span;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "rcp-syntax",
    aliases: &[],
    summary: "a part that a resource control policy does not have",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("rcp_syntax.md"),
    check: Check::Policy(check),
};

fn check(policy: &PolicyDocument, sink: &mut Sink<'_>) {
    if policy.kind != PolicyKind::Rcp {
        return;
    }
    for statement in &policy.statements {
        judge(statement, sink);
    }
}

fn judge(statement: &Statement, sink: &mut Sink<'_>) {
    let mut report =
        |at, element, message, help| report(statement, sink, at, element, message, help);
    if let Some(effect) = statement.effect.as_ref().filter(|_| statement.allows()) {
        let message =
            "a resource control policy only denies; the one that allows everything is AWS's own";
        report(
            effect.span(),
            "Effect",
            message,
            "write a Deny of what must not be",
        );
    }
    if let Some(actions) = &statement.actions {
        if actions.negated {
            let message = "a resource control policy has no `NotAction`";
            report(
                actions.key.span(),
                "NotAction",
                message,
                "list under `Action` what is denied",
            );
        }
        if let Some(star) = actions
            .values
            .iter()
            .find(|value| value.text.as_str() == "*")
        {
            let message = "a resource control policy names the services of its actions; `*` alone is AWS's own policy";
            report(
                star.text.span(),
                "Action",
                message,
                "name them, such as `s3:*`",
            );
        }
    }
    principals(statement, sink);
    services(statement, sink);
}

/// Services that resource control policies do not concern, each told once.
fn services(statement: &Statement, sink: &mut Sink<'_>) {
    let mut told = BTreeSet::new();
    let actions = statement.actions.iter().filter(|actions| !actions.negated);
    for action in actions.flat_map(|actions| &actions.values) {
        let Some((prefix, _)) = action.text.as_str().split_once(':') else {
            continue;
        };
        let service = catalog::service(prefix).filter(|one| !one.takes_resource_control());
        let Some(service) = service.filter(|service| told.insert(service.name())) else {
            continue;
        };
        let message = format!(
            "resource control policies do not concern `{}`, so this denies nothing there",
            service.name()
        );
        sink.report(action.text.span_of(0..prefix.len()), message)
            .severity(Severity::Warning)
            .pointer(action.pointer.clone())
            .help("deny it by a service control policy, or by the policies of the resources");
    }
}

fn principals(statement: &Statement, sink: &mut Sink<'_>) {
    let mut report =
        |at, element, message, help| report(statement, sink, at, element, message, help);
    if let Some(principals) = &statement.principals {
        if principals.negated {
            let message = "a resource control policy has no `NotPrincipal`";
            report(
                principals.key.span(),
                "NotPrincipal",
                message,
                "write \"Principal\": \"*\" and a condition",
            );
        } else if principals
            .entries
            .iter()
            .any(|entry| entry.value.text.as_str() != "*")
        {
            let message = "a resource control policy is for every principal";
            report(
                principals.span,
                "Principal",
                message,
                "write \"Principal\": \"*\" and limit it by a condition",
            );
        }
    }
}

fn report(
    statement: &Statement,
    sink: &mut Sink<'_>,
    at: Span,
    element: &str,
    message: &str,
    help: &str,
) {
    sink.report(at, message)
        .pointer(format!("{}/{element}", statement.pointer))
        .help(help);
}
