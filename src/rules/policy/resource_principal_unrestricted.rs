//! A resource that anyone may use.

use std::collections::BTreeSet;

use crate::diag::Severity;
use crate::model::policy::{Elements, PolicyDocument, PolicyKind, Statement};
use crate::rules::{Check, Rule, Sink, Tier};
use crate::text::quoted;

use super::everyone;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "resource-principal-unrestricted",
    aliases: &[],
    summary: "a resource that anyone in any account may use",
    severity: Severity::Warning,
    tier: Tier::Specific,
    page: include_str!("resource_principal_unrestricted.md"),
    check: Check::Policy(check),
};

/// Actions that are opened to the public on purpose: a site in a bucket, an API, the URL of a function.
const PUBLISHED: [&str; 4] = [
    "execute-api:Invoke",
    "lambda:InvokeFunctionUrl",
    "s3:GetObject",
    "s3:GetObjectVersion",
];

fn check(policy: &PolicyDocument, sink: &mut Sink<'_>) {
    if policy.kind != PolicyKind::Resource || policy.statements.iter().any(keeps_others_out) {
        return;
    }
    for statement in &policy.statements {
        let Some(everyone) = everyone::let_in(statement) else {
            continue;
        };
        let Some(what) = actions(statement) else {
            continue;
        };
        let usual = !policy.kind_is_given && is_usual_of_endpoints(statement);
        let message = if usual {
            format!(
                "`*` lets anyone in any AWS account use {what}, unless this is the policy of a VPC endpoint, for which it is usual"
            )
        } else {
            format!("`*` lets anyone in any AWS account use {what}: no condition limits who asks")
        };
        let draft = sink
            .report(everyone.value.text.span(), message)
            .pointer(everyone.value.pointer.clone())
            .help(if usual {
                "say which it is: `--policy-type endpoint`, or `--policy-type resource` for that of a bucket, key, queue or topic"
            } else {
                "name the accounts or roles, or limit `*` by \"StringEquals\": {\"aws:PrincipalOrgID\": \"o-example1234\"}; the policy of an endpoint is checked as one by `--policy-type endpoint`"
            });
        if usual || is_published(statement) {
            draft.severity(Severity::Note);
        }
    }
}

/// Whether a Deny meets all who are not meant, as in the policies of private APIs.
fn keeps_others_out(statement: &Statement) -> bool {
    let denies = statement
        .effect
        .as_ref()
        .is_some_and(|_| !statement.allows());
    denies
        && everyone::of(statement).is_some()
        && statement.conditions.iter().any(everyone::is_about_callers)
}

/// What the statement opens, in words.
fn actions(statement: &Statement) -> Option<String> {
    let list = statement.actions.as_ref()?;
    let (first, rest) = list.values.split_first()?;
    let first = quoted(first.text.as_str());
    Some(match (list.negated, rest.len()) {
        (true, _) => format!("everything but {first}"),
        (false, 0) => first,
        (false, count) => format!("{first} and {count} more"),
    })
}

/// Whether the statement may as well be of the policy of a VPC endpoint, for which `*` is usual: these speak of several
/// services, and of S3 without a bucket.
fn is_usual_of_endpoints(statement: &Statement) -> bool {
    let service = |text: &str| {
        let service = text.split_once(':').map_or("*", |(service, _)| service);
        service.to_ascii_lowercase()
    };
    let Some(list) = &statement.actions else {
        return false;
    };
    let services: BTreeSet<String> = list.strings().map(service).collect();
    let everything = |list: &Elements| list.strings().any(|resource| resource == "*");
    let of_s3 = || services.contains("s3") && statement.resources.as_ref().is_some_and(everything);
    list.negated || services.len() > 1 || services.iter().any(|one| one.contains('*')) || of_s3()
}

fn is_published(statement: &Statement) -> bool {
    let published = |action: &str| {
        let mut known = PUBLISHED.iter();
        known.any(|known| known.eq_ignore_ascii_case(action))
    };
    // Whoever calls the URL of a function needs the right to invoke it, too, but by way of the URL alone.
    let by_url = || {
        let mut by_url = statement.conditions_on("lambda:InvokedViaFunctionUrl");
        by_url.next().is_some()
    };
    let published = |action: &str| {
        published(action) || action.eq_ignore_ascii_case("lambda:InvokeFunction") && by_url()
    };
    statement
        .actions
        .as_ref()
        .is_some_and(|list| !list.negated && list.strings().all(published))
}
