//! Another account that may borrow the role without any token.

use crate::diag::Severity;
use crate::model::policy::{PolicyDocument, Principal};
use crate::model::trust::{GitHubStatement, account_of};
use crate::rules::{Check, Rule, Sink, Tier};
use crate::text::Text;

use super::subjects::allows;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "oidc-account-beside",
    aliases: &[],
    summary: "another account that may borrow a role for GitHub's tokens",
    severity: Severity::Warning,
    tier: Tier::Specific,
    page: include_str!("oidc_account_beside.md"),
    check: Check::Trust(check),
};

fn check(policy: &PolicyDocument, sink: &mut Sink<'_>) {
    let providers = allows(policy).flat_map(GitHubStatement::providers);
    let own: Vec<&str> = providers
        .filter_map(|provider| account_of(provider.value.text.as_str()))
        .collect();
    if own.is_empty() {
        return;
    }
    for statement in policy.statements.iter().filter(|one| one.allows()) {
        let principals = statement.principals.iter().filter(|all| !all.negated);
        for entry in principals.flat_map(|all| &all.entries).filter(is_of_aws) {
            let Some(other) = account_of(entry.value.text.as_str()) else {
                continue;
            };
            if own.contains(&other) {
                continue;
            }
            sink.report(
                entry.value.text.span(),
                format!("the account `{other}` may let its own users borrow the role, without a token"),
            )
            .pointer(entry.value.pointer.to_string())
            .help("take it out, or keep what both may do in two roles; a role for a job trusts GitHub's provider alone");
        }
    }
}

fn is_of_aws(entry: &&Principal) -> bool {
    entry.kind.as_ref().map(Text::as_str) == Some("AWS")
}
