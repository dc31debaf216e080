//! A session beside the role that it belongs to.

use crate::diag::Severity;
use crate::model::policy::{PolicyDocument, PolicyKind, Principals};
use crate::rules::{Check, Rule, Sink, Tier};
use crate::text::quoted;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "redundant-principal",
    aliases: &[],
    summary: "a session of a role that is a principal itself",
    severity: Severity::Note,
    tier: Tier::Specific,
    page: include_str!("redundant_principal.md"),
    check: Check::Policy(check),
};

fn check(policy: &PolicyDocument, sink: &mut Sink<'_>) {
    if policy.kind != PolicyKind::Trust {
        return;
    }
    let principals = policy
        .statements
        .iter()
        .filter_map(|statement| statement.principals.as_ref());
    for principals in principals.filter(|list| !list.negated && list.entries.len() <= 200) {
        judge(principals, sink);
    }
}

fn judge(principals: &Principals, sink: &mut Sink<'_>) {
    let name_of = |arn: &str| -> Option<(String, String)> {
        let (account, path) = arn
            .strip_prefix("arn:aws:sts::")?
            .split_once(":assumed-role/")?;
        Some((account.to_owned(), path.split('/').next()?.to_owned()))
    };
    for session in &principals.entries {
        let Some((account, role)) = name_of(session.value.text.as_str()) else {
            continue;
        };
        let own = |arn: &str| {
            let of_account = arn
                .strip_prefix("arn:aws:iam::")
                .and_then(|rest| rest.strip_prefix(&account));
            of_account
                .and_then(|rest| rest.strip_prefix(":role/"))
                .is_some_and(|path| path.rsplit('/').next() == Some(&role))
        };
        let Some(whole) = principals
            .entries
            .iter()
            .find(|entry| own(entry.value.text.as_str()))
        else {
            continue;
        };
        let message = format!(
            "{} is a session of a role that is named as well",
            quoted(session.value.text.as_str())
        );
        sink.report(session.value.text.span(), message)
            .pointer(session.value.pointer.clone())
            .related(whole.value.text.span(), "every session of it")
            .help("take the session out, or the role if that one session is meant");
    }
}
