//! A trust policy that keeps the job out, where no other rule says why.

use crate::diag::Severity;
use crate::iam::trust::Verdict;
use crate::model::policy::PolicyDocument;
use crate::model::trust::{ASSUME_WITH_WEB_IDENTITY, statements_about_github};
use crate::rules::{Check, Rule, Sink, Tier};

use super::subjects::{place, pointer};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "oidc-trust-nobody",
    aliases: &[],
    summary: "a trust policy for GitHub's tokens that lets in nobody",
    severity: Severity::Error,
    tier: Tier::Remainder,
    page: include_str!("oidc_trust_nobody.md"),
    check: Check::Trust(check),
};

fn check(policy: &PolicyDocument, sink: &mut Sink<'_>) {
    let Some(found) = sink.verdict(policy) else {
        return;
    };
    match found.verdict {
        Verdict::NeverMatches | Verdict::StaleFormat => {}
        Verdict::Safe | Verdict::Weak | Verdict::TooBroad | Verdict::Unresolved => return,
    }
    let mut about = statements_about_github(policy);
    let Some(one) = about.find(|one| one.statement.index == found.statement) else {
        return;
    };
    let elsewhere =
        one.statement.allows() && !one.statement.covers_action(ASSUME_WITH_WEB_IDENTITY);
    let actions = one.statement.actions.as_ref().filter(|_| elsewhere);
    let (at, pointer, message, help) = match actions {
        Some(actions) => (
            actions.key.span(),
            actions.pointer.clone(),
            format!(
                "a token of GitHub's is used for `{ASSUME_WITH_WEB_IDENTITY}`, which the statement does not allow"
            ),
            format!("write \"Action\": \"{ASSUME_WITH_WEB_IDENTITY}\""),
        ),
        None => (
            place(one),
            pointer(one),
            "the job's own token is not let in, and no other".to_owned(),
            found.why.clone(),
        ),
    };
    sink.report(at, message)
        .pointer(pointer)
        .covers(policy.span())
        .help(help);
}
