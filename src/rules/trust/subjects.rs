//! What the rules share: the statements that let GitHub's tokens in, and how their conditions take a claim.

use crate::model::policy::{
    BaseOperator, Condition, Family, PolicyDocument, Value, glob_matches, has_wildcard,
};
use crate::model::spec::{OIDC_ISSUER, SubjectFormat};
use crate::model::trust::{
    Context, GitHubStatement, Repository, Subject, github_statements, issuer_of,
};
use crate::text::Span;

/// What to do about a statement that lets in others than GitHub's tokens.
pub(super) const APART: &str = "take the statement out, or give those whom it lets in a role of their own: this one is the job's";

/// Whether the statement is not about GitHub's tokens.
pub(super) fn is_of_others(one: GitHubStatement<'_>) -> bool {
    one.providers().next().is_none() && one.claims().next().is_none()
}

/// The Allow statements about GitHub's tokens.
pub(super) fn allows(policy: &PolicyDocument) -> impl Iterator<Item = GitHubStatement<'_>> {
    github_statements(policy).filter(|one| one.statement.allows())
}

/// The issuer whose tokens a statement speaks of: by its provider, else by its conditions, else that of github.com.
pub(super) fn issuer(one: GitHubStatement<'_>) -> &str {
    let named = one
        .providers()
        .find_map(|principal| issuer_of(principal.value.text.as_str()));
    let asked = || {
        let (condition, _) = one.claims().next()?;
        let (issuer, _) = condition.key.as_str().rsplit_once(':')?;
        Some(issuer)
    };
    named.or_else(asked).unwrap_or(OIDC_ISSUER)
}

/// The conditions on `claim` that compare strings; without inverted ones these are limits.
pub(super) fn comparisons<'a>(
    one: GitHubStatement<'a>,
    claim: &'a str,
) -> impl Iterator<Item = &'a Condition> {
    one.claim(claim).filter(|condition| {
        condition
            .operator
            .is_some_and(|operator| operator.base.family() == Family::String)
    })
}

/// The conditions that say which values a claim may have.
pub(super) fn limits<'a>(
    one: GitHubStatement<'a>,
    claim: &'a str,
) -> impl Iterator<Item = &'a Condition> {
    comparisons(one, claim).filter(|condition| !is_inverted(condition))
}

pub(super) fn is_inverted(condition: &Condition) -> bool {
    condition
        .operator
        .is_some_and(|operator| operator.base.is_negated())
}

/// Whether `*` and `?` are wildcards here.
pub(super) fn is_like(condition: &Condition) -> bool {
    condition
        .operator
        .is_some_and(|operator| operator.base.is_pattern())
}

/// Whether letter case does not count here.
pub(super) fn ignores_case(condition: &Condition) -> bool {
    condition.operator.is_some_and(|operator| {
        matches!(
            operator.base,
            BaseOperator::StringEqualsIgnoreCase | BaseOperator::StringNotEqualsIgnoreCase
        )
    })
}

/// A value's text; `None` when it holds a variable, which cannot be judged here. `${*}` and the like are no variables.
pub(super) fn plain(value: &Value) -> Option<&str> {
    let text = value.text.as_str();
    let literal = |rest: &str| ["*}", "?}", "$}"].iter().any(|end| rest.starts_with(end));
    text.split("${").skip(1).all(literal).then_some(text)
}

/// Whether a plain text holds `${*}` and the like: characters that no repository, branch or ref has in its name.
fn has_literal(text: &str) -> bool {
    text.contains("${")
}

/// A text without `${*}` and `${?}`, which are no wildcards.
pub(super) fn without_literals(text: &str) -> String {
    text.replace("${*}", "").replace("${?}", "")
}

/// Whether the value is a pattern with a wildcard in it.
pub(super) fn is_pattern(condition: &Condition, value: &Value) -> bool {
    is_like(condition) && plain(value).is_some_and(|text| has_wildcard(&without_literals(text)))
}

/// Whether `value` of `condition` takes `text`; a value that cannot be judged takes nothing.
pub(super) fn takes(condition: &Condition, value: &Value, text: &str) -> bool {
    let Some(wanted) = plain(value).filter(|text| !has_literal(text)) else {
        return false;
    };
    if is_like(condition) {
        glob_matches(wanted, text)
    } else if ignores_case(condition) {
        wanted.to_lowercase() == text.to_lowercase()
    } else {
        wanted == text
    }
}

/// Whether every subject that a value takes is of one owner's repositories: what stands before and between its wildcards
/// holds the owner whole. `repo:acme*` does not; it takes `acme-evil` too.
pub(super) fn names_an_owner(text: &str) -> bool {
    let parts: Vec<&str> = text.split(':').collect();
    parts.windows(2).any(|pair| match pair {
        ["repo" | "repository", value] => value
            .split_once(['/', '@'])
            .is_some_and(|(owner, _)| !owner.is_empty() && !has_wildcard(owner)),
        [
            "repository_id" | "repository_owner" | "repository_owner_id",
            value,
        ] => !value.is_empty() && !has_wildcard(value),
        _ => false,
    })
}

/// Whether some value is unknown, or holds a variable.
pub(super) fn is_open(condition: &Condition) -> bool {
    condition.incomplete || condition.values.iter().any(|value| plain(value).is_none())
}

/// Where to point when a condition is not there: at the `Condition` key, else at the action.
pub(super) fn place(one: GitHubStatement<'_>) -> Span {
    let statement = one.statement;
    let action = statement.actions.as_ref().map(|actions| actions.key.span());
    statement
        .condition_key
        .as_ref()
        .map(|key| key.span())
        .or(action)
        .unwrap_or(statement.span)
}

/// JSON pointer of that place.
pub(super) fn pointer(one: GitHubStatement<'_>) -> String {
    let statement = one.statement;
    match (&statement.condition_key, &statement.actions) {
        (Some(_), _) => format!("{}/Condition", statement.pointer),
        (None, Some(actions)) => actions.pointer.clone(),
        (None, None) => statement.pointer.clone(),
    }
}

/// The contexts in which the job may run: its own, or, where that is not known, those that the condition speaks of.
fn contexts(condition: &Condition, repository: &Repository) -> Vec<Context> {
    let mut found = vec![repository.context()];
    if repository.asked {
        return found;
    }
    let values = condition.values.iter().filter_map(plain);
    for value in values.filter_map(|text| Subject::parse(text).ok()) {
        if let Subject::Default { context, .. } = value
            && !found.contains(&context)
        {
            found.push(context);
        }
    }
    found
}

/// The subjects that the job may carry.
pub(super) fn own_subjects(condition: &Condition, repository: &Repository) -> Vec<String> {
    let contexts = contexts(condition, repository).into_iter();
    contexts
        .map(|context| {
            repository
                .subject_in(repository.format, context)
                .to_string()
        })
        .collect()
}

/// A subject of the repository's own job that GitHub does not write (any more), with its name in words.
fn stale_subjects(repository: &Repository, context: &Context) -> Vec<(&'static str, Subject)> {
    let other = match repository.format {
        SubjectFormat::Immutable => (SubjectFormat::Classic, "the classic format"),
        SubjectFormat::Classic => (SubjectFormat::Immutable, "the immutable format"),
    };
    let mut found = vec![(other.1, repository.subject_in(other.0, context.clone()))];
    let preview = repository.preview_subject(context.clone());
    found.extend(preview.map(|subject| ("the withdrawn preview of the immutable format", subject)));
    found
}

/// The stale subject that a value takes, when it does not take the job's own.
pub(super) fn stale(
    condition: &Condition,
    value: &Value,
    repository: &Repository,
) -> Option<(&'static str, Subject)> {
    let mut own = own_subjects(condition, repository).into_iter();
    if own.any(|own| takes(condition, value, &own)) {
        return None;
    }
    let contexts = contexts(condition, repository);
    contexts
        .iter()
        .flat_map(|context| stale_subjects(repository, context))
        .find(|(_, subject)| takes(condition, value, &subject.to_string()))
}

/// The whole value is never written by GitHub, or a rule of its own says why it matches nothing.
pub(super) fn is_misspelt(condition: &Condition, value: &Value) -> bool {
    let Some(text) = plain(value).filter(|text| !has_literal(text)) else {
        return false;
    };
    let wild = has_wildcard(text);
    (wild && !is_like(condition)) || fault(condition, value).is_some()
}

/// What is wrong with a value that GitHub never writes.
pub(super) fn fault(condition: &Condition, value: &Value) -> Option<String> {
    let text = plain(value).filter(|text| !has_literal(text))?;
    let braces = text.contains('{') && is_like(condition);
    if braces {
        return Some("IAM knows `*` and `?` and takes braces as they are".to_owned());
    }
    if !has_wildcard(text) {
        return Subject::parse(text).err().map(|fault| fault.to_string());
    }
    if !is_like(condition) {
        return None;
    }
    // Of a pattern only what stands before and between its wildcards is certain.
    if text.contains('<') || text.starts_with("repository:") || text.contains("://") {
        return Subject::parse(&text.replace(['*', '?'], "x"))
            .err()
            .map(|fault| fault.to_string());
    }
    None
}
