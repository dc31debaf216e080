//! `iam:CreateServiceLinkedRole` in an Allow that says neither which role nor which service.

use crate::diag::Severity;
use crate::model::policy::{
    Elements, PolicyDocument, Statement, Value, glob_matches_ignoring_case, has_wildcard,
};
use crate::rules::{Check, Rule, Sink, Tier};
use crate::text::quoted;

use super::grant;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "create-slr-unrestricted",
    aliases: &[],
    summary: "iam:CreateServiceLinkedRole on every role",
    severity: Severity::Warning,
    tier: Tier::Specific,
    page: include_str!("create_slr_unrestricted.md"),
    check: Check::Policy(check),
};

const ACTION: &str = "iam:CreateServiceLinkedRole";
const KEY: &str = "iam:AWSServiceName";

fn check(policy: &PolicyDocument, sink: &mut Sink<'_>) {
    if !grant::gives_rights(policy.kind) {
        return;
    }
    for statement in policy
        .statements
        .iter()
        .filter(|statement| statement.allows())
    {
        let Some(actions) = statement
            .actions
            .as_ref()
            .filter(|actions| !actions.negated)
        else {
            continue;
        };
        let open = statement.resources.as_ref().is_some_and(is_open);
        let limited = statement.conditions_on(KEY).next().is_some() || statement.incomplete;
        if let Some(action) = actions
            .values
            .iter()
            .find(covers)
            .filter(|_| open && !limited)
        {
            report(statement, action, sink);
        }
    }
}

/// Whether a value of `Action` covers the action. `*`, every action of every service, is told by `action-wildcard`.
fn covers(value: &&Value) -> bool {
    let text = value.text.as_str();
    text != "*" && glob_matches_ignoring_case(text, ACTION)
}

fn is_open(resources: &Elements) -> bool {
    let every = |text: &str| {
        let resource = text.rsplit(':').next().unwrap_or_default();
        text.chars().all(|letter| letter == '*') || matches!(resource, "*" | "role/*")
    };
    resources.negated || resources.strings().any(every)
}

fn report(statement: &Statement, action: &Value, sink: &mut Sink<'_>) {
    let text = action.text.as_str();
    let covering = if has_wildcard(text) {
        format!(", which covers `{ACTION}`,")
    } else {
        String::new()
    };
    let draft = sink
        .report(action.text.span(), format!("{}{covering} creates the service-linked role of any service: no `Resource` and no condition limits it", quoted(text)))
        .pointer(action.pointer.clone())
        .help(format!("name the roles under `Resource`, or the service by a condition on `{KEY}`"));
    if let Some(resources) = &statement.resources {
        draft.related(resources.span, "every role");
    }
}
