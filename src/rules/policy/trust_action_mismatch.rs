//! An action in a trust policy that does not fit its principal, or that no trust policy has.

use crate::diag::Severity;
use crate::model::policy::{
    PolicyDocument, PolicyKind, Statement, Value, glob_matches_ignoring_case,
};
use crate::rules::{Check, Rule, Sink, Tier};
use crate::text::quoted;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "trust-action-mismatch",
    aliases: &[],
    summary: "an action of a trust policy that its principal cannot use",
    severity: Severity::Error,
    tier: Tier::General,
    page: include_str!("trust_action_mismatch.md"),
    check: Check::Policy(check),
};

/// The actions that speak of a role.
const OF_ROLES: [&str; 6] = [
    "sts:AssumeRole",
    "sts:AssumeRoleWithSAML",
    "sts:AssumeRoleWithWebIdentity",
    "sts:SetContext",
    "sts:SetSourceIdentity",
    "sts:TagSession",
];

fn check(policy: &PolicyDocument, sink: &mut Sink<'_>) {
    // What is only guessed to be a trust policy has such actions alone.
    if policy.kind != PolicyKind::Trust {
        return;
    }
    for statement in &policy.statements {
        let Some(actions) = statement
            .actions
            .as_ref()
            .filter(|actions| !actions.negated)
        else {
            continue;
        };
        for action in &actions.values {
            judge(statement, action, sink);
        }
        keys_without_action(statement, sink);
        roles_anywhere(statement, sink);
    }
}

fn covers(pattern: &Value, action: &str) -> bool {
    glob_matches_ignoring_case(pattern.text.as_str(), action)
}

fn judge(statement: &Statement, action: &Value, sink: &mut Sink<'_>) {
    let text = action.text.as_str();
    if !OF_ROLES.iter().any(|known| covers(action, known)) {
        let message = format!("{} is no action of a role's trust policy", quoted(text));
        sink.report(action.text.span(), message)
            .pointer(action.pointer.clone())
            .help(format!("the actions are {}", OF_ROLES.join(", ")));
        return;
    }
    let Some(wanted) = wanted(statement).filter(|_| statement.allows()) else {
        return;
    };
    let assumes = |name: &&&str| name.starts_with("sts:AssumeRole");
    let others = OF_ROLES
        .iter()
        .filter(assumes)
        .any(|known| *known != wanted && covers(action, known));
    if others && !covers(action, wanted) {
        let message = format!("{} is not how this principal assumes a role", quoted(text));
        sink.report(action.text.span(), message)
            .covers(statement.span)
            .pointer(action.pointer.clone())
            .help(format!("write `{wanted}`"));
    }
}

/// How the principals of a statement assume a role; `None` when they differ.
fn wanted(statement: &Statement) -> Option<&'static str> {
    let principals = statement
        .principals
        .as_ref()
        .filter(|principals| !principals.negated && !principals.incomplete)?;
    let mut found: Vec<&'static str> = principals
        .entries
        .iter()
        .map(
            |entry| match entry.kind.as_ref().map(|kind| kind.as_str()) {
                Some("Federated") if entry.value.text.as_str().contains(":saml-provider/") => {
                    "sts:AssumeRoleWithSAML"
                }
                Some("Federated") => "sts:AssumeRoleWithWebIdentity",
                // Everybody, which those with a token are too.
                Some("AWS") if entry.value.text.as_str() == "*" => "",
                Some("AWS" | "Service") => "sts:AssumeRole",
                Some(_) | None => "",
            },
        )
        .collect();
    found.sort_unstable();
    found.dedup();
    match found.as_slice() {
        [""] | [] | [_, _, ..] => None,
        [one] => Some(one),
    }
}

/// Keys that a session carries only when another action is allowed with it.
fn keys_without_action(statement: &Statement, sink: &mut Sink<'_>) {
    let allowed = |action: &str| {
        let mut actions = statement.actions.iter().flat_map(|actions| &actions.values);
        actions.any(|value| covers(value, action))
    };
    if !statement.allows() {
        return;
    }
    for condition in &statement.conditions {
        let key = condition.key.as_str().to_ascii_lowercase();
        let needed = if key.starts_with("aws:requesttag/")
            || key == "aws:tagkeys"
            || key == "sts:transitivetagkeys"
        {
            "sts:TagSession"
        } else if key == "sts:sourceidentity" {
            "sts:SetSourceIdentity"
        } else {
            continue;
        };
        if !allowed(needed) {
            let message = format!(
                "{} is carried only by a session that may use `{needed}`",
                quoted(condition.key.as_str())
            );
            sink.report(condition.key.span(), message)
                .pointer(condition.pointer.clone())
                .help(format!("add `{needed}` to the actions of the statement"));
        }
    }
}

/// IAM Roles Anywhere asks for three actions at once.
fn roles_anywhere(statement: &Statement, sink: &mut Sink<'_>) {
    let principals = statement
        .principals
        .iter()
        .flat_map(|principals| &principals.entries);
    let Some(principal) = principals
        .into_iter()
        .find(|entry| entry.value.text.as_str() == "rolesanywhere.amazonaws.com")
    else {
        return;
    };
    let actions = || statement.actions.iter().flat_map(|actions| &actions.values);
    let missing: Vec<&str> = ["sts:AssumeRole", "sts:SetSourceIdentity", "sts:TagSession"]
        .into_iter()
        .filter(|action| !actions().any(|value| covers(value, action)))
        .collect();
    if statement.allows() && !missing.is_empty() {
        let message = format!(
            "this principal needs {} as well",
            missing
                .iter()
                .map(|action| format!("`{action}`"))
                .collect::<Vec<_>>()
                .join(" and ")
        );
        sink.report(principal.value.text.span(), message)
            .pointer(principal.value.pointer.clone())
            .help("allow `sts:AssumeRole`, `sts:SetSourceIdentity` and `sts:TagSession` in this statement");
    }
}
