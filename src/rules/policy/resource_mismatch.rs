//! A resource that fits no action of its statement, or an ARN of Route 53 of no form that a resource has.

use crate::diag::Severity;
use crate::iam::catalog::{self, Action, Service};
use crate::model::policy::{Elements, PolicyDocument, Value, has_wildcard, route53_types};
use crate::rules::{Check, Rule, Sink, Tier};
use crate::text::quoted;

use super::mend;
use super::resource_placeholder::placeholder;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "resource-mismatch",
    aliases: &[],
    summary: "a resource that the action never applies to",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("resource_mismatch.md"),
    check: Check::Policy(check),
};

fn check(policy: &PolicyDocument, sink: &mut Sink<'_>) {
    for statement in &policy.statements {
        let Some(resources) = &statement.resources else {
            continue;
        };
        let mut all_fit = true;
        for value in &resources.values {
            all_fit &=
                placeholder(value.text.as_str()).is_some() || fits_a_form(policy, value, sink);
        }
        let actions = statement
            .actions
            .as_ref()
            .filter(|actions| !actions.negated);
        // A faulty or unknown resource may be the one that an action was given for.
        let known = all_fit && !resources.negated && !resources.incomplete;
        for action in actions.into_iter().flat_map(|actions| &actions.values) {
            let named = action.text.as_str();
            if !known || has_wildcard(named) {
                continue;
            }
            let service = named
                .split_once(':')
                .and_then(|(service, _)| catalog::service(service));
            if let (Some(service), Some(found)) = (service, catalog::action(named)) {
                judge(action, service, found, resources, sink);
            }
        }
    }
}

/// Reports an ARN of Route 53 that no resource has; whether it is none.
fn fits_a_form(policy: &PolicyDocument, value: &Value, sink: &mut Sink<'_>) -> bool {
    let arn = value.text.as_str();
    let Err(fault) = route53_types(arn) else {
        return true;
    };
    let edit = fault
        .instead
        .map(|instead| mend::edit(sink, &value.text, fault.at.clone(), instead));
    let draft = sink
        .report(value.text.span_of(fault.at), format!("{} {}", quoted(arn), fault.why))
        .pointer(value.pointer.clone())
        .help("an ARN of Route 53 is `arn:aws:route53:::<type>/<id>`, such as `arn:aws:route53:::hostedzone/Z0123456789EXAMPLE`");
    mend::offer(
        draft,
        policy,
        "write the ARN as Route 53 has it",
        edit.into_iter().collect(),
    );
    false
}

/// Reports an action that none of the resources fits.
fn judge(
    action: &Value,
    service: Service,
    known: Action,
    resources: &Elements,
    sink: &mut Sink<'_>,
) {
    let has_types = known.resource_types().next().is_some();
    let fits = |value: &Value| {
        let arn = value.text.as_str();
        is_star(arn)
            || arn.contains("${") && !has_types
            || placeholder(arn).is_some() && has_types
            || known.resource_types().any(|kind| kind.may_be(arn))
    };
    // Services ask about a list call under one of their own ARNs more often than the reference says; Route 53 does not.
    let listed = |value: &Value| {
        let arn = value.text.as_str();
        let own = service
            .resource_types()
            .any(|kind| has_wildcard(arn) && kind.may_be(arn));
        !has_types && service.name() != "route53" && own
    };
    let open = known.has_open_types()
        || resources.values.is_empty()
        || resources.values.iter().any(listed);
    if open || resources.values.iter().any(fits) {
        return;
    }
    let name = quoted(action.text.as_str());
    let (message, help) = if has_types {
        (
            format!(
                "{name} applies to {}, and no `Resource` here is such",
                forms(known)
            ),
            "add the resource that the action needs, or take the action out of this statement",
        )
    } else {
        (
            format!(
                "{name} applies to no single resource: AWS asks for `*`, which no `Resource` here matches"
            ),
            "give the action a statement of its own with \"Resource\": \"*\"",
        )
    };
    let mut draft = sink
        .report(action.text.span(), message)
        .pointer(action.pointer.clone())
        .help(help);
    for value in resources.values.iter().take(3) {
        draft = draft.related(value.text.span(), "does not fit");
    }
    if service.name() != "route53" {
        draft.severity(Severity::Warning);
    }
}

fn is_star(arn: &str) -> bool {
    !arn.is_empty() && arn.chars().all(|character| character == '*')
}

/// The forms of ARN that the action applies to, at most three.
fn forms(action: Action) -> String {
    let mut shown: Vec<String> = action
        .resource_types()
        .take(4)
        .map(|kind| format!("`{}`", kind.arn().replace("${Partition}", "aws")))
        .collect();
    if shown.len() > 3 {
        shown.truncate(3);
        shown.push("others".to_owned());
    }
    shown.join(" or ")
}
