//! An Allow whose action pattern covers the right to change records.

use crate::diag::Severity;
use crate::model::policy::{PolicyDocument, has_wildcard, route53};
use crate::rules::{Check, Rule, Sink, Tier};
use crate::text::quoted;

use super::grant;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "action-wildcard",
    aliases: &[],
    summary: "an action pattern that covers the right to change records",
    severity: Severity::Warning,
    tier: Tier::Specific,
    page: include_str!("action_wildcard.md"),
    check: Check::Policy(check),
};

fn check(policy: &PolicyDocument, sink: &mut Sink<'_>) {
    for grant in grant::of(policy) {
        let Some(actions) = grant
            .statement
            .actions
            .as_ref()
            .filter(|_| grant.action.is_some())
        else {
            continue;
        };
        for value in &actions.values {
            let pattern = value.text.as_str();
            if !has_wildcard(pattern) || !grant::covers(pattern) {
                continue;
            }
            let (message, help) = if grant.general {
                let message = format!(
                    "{} covers every action of every service, `{}` for any record among them",
                    quoted(pattern),
                    route53::CHANGE_RECORDS
                );
                (
                    message,
                    "name the actions that are needed; whoever changes records needs no more than `route53:ChangeResourceRecordSets` with conditions on names, types and actions",
                )
            } else {
                let message = format!(
                    "{} covers `{}` and every action like it, also those that AWS adds later",
                    quoted(pattern),
                    route53::CHANGE_RECORDS
                );
                (
                    message,
                    "name the actions: conditions on records limit `route53:ChangeResourceRecordSets` alone, and no other action",
                )
            };
            sink.report(value.text.span(), message)
                .pointer(value.pointer.clone())
                .help(help);
        }
    }
}
