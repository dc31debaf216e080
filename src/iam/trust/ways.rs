//! Other ways into the role than a token of GitHub's: statements of the same policy that let in somebody else.

use crate::model::policy::{PolicyDocument, Principal, Statement};
use crate::model::trust::{
    ASSUME_WITH_WEB_IDENTITY, GitHubStatement, Repository, account_of, github_statements,
    means_github,
};
use crate::text::Text;

/// The actions that get a role.
const ASSUME: [&str; 3] = [
    "sts:AssumeRole",
    "sts:AssumeRoleWithSAML",
    ASSUME_WITH_WEB_IDENTITY,
];

/// A statement that lets in somebody without a token of GitHub's.
pub(super) struct Way {
    /// Whether anybody may take it: no condition says who.
    pub(super) is_open: bool,
    /// The statement.
    pub(super) statement: usize,
    /// Who is let in, in a sentence.
    pub(super) why: String,
}

/// The ways beside GitHub's tokens, the open ones first. The role's own account and AWS's services are none: who is let in
/// by them, the account itself decides.
pub(super) fn others(document: &PolicyDocument, repository: &Repository) -> Vec<Way> {
    let named = github_statements(document).flat_map(GitHubStatement::providers);
    let mut own: Vec<&str> = named
        .filter_map(|provider| account_of(provider.value.text.as_str()))
        .collect();
    own.extend(repository.provider.as_deref().and_then(account_of));
    let gets_role =
        |statement: &&Statement| ASSUME.iter().any(|action| statement.covers_action(action));
    let allows = document.statements.iter().filter(|one| one.allows());
    let mut found: Vec<Way> = allows
        .filter(gets_role)
        .flat_map(|statement| {
            let principals = statement.principals.iter().filter(|all| !all.negated);
            let entries = principals.flat_map(|all| &all.entries);
            entries
                .filter_map(|entry| way(statement, entry, &own))
                .collect::<Vec<Way>>()
        })
        .collect();
    found.sort_by_key(|way| !way.is_open);
    found
}

fn way(statement: &Statement, entry: &Principal, own: &[&str]) -> Option<Way> {
    let value = entry.value.text.as_str();
    let index = statement.index;
    let free = statement.conditions.is_empty() && !statement.incomplete;
    let (is_open, whom) = match entry.kind.as_ref().map(Text::as_str) {
        None | Some("AWS") if value == "*" => (
            free.then_some(true)?,
            "anyone in any AWS account".to_owned(),
        ),
        Some("AWS") => {
            let other = account_of(value).filter(|account| !own.contains(account))?;
            (false, format!("the account `{other}`"))
        }
        Some("Federated") if !means_github(entry) => {
            (free, format!("whoever `{value}` vouches for"))
        }
        Some(_) | None => return None,
    };
    Some(Way {
        is_open,
        statement: index,
        why: format!("statement {index} lets in {whom}, without a token of GitHub's"),
    })
}
