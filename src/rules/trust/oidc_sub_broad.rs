//! A subject condition that takes more than one branch or environment of one repository.

use crate::diag::Severity;
use crate::iam::trust::{Verdict, attacks};
use crate::model::policy::{Condition, PolicyDocument, Value, has_wildcard};
use crate::model::trust::{Context, GitHubStatement, Repository, Subject};
use crate::rules::{Check, Rule, Sink, Tier};

use super::subjects::{
    allows, comparisons, ignores_case, is_inverted, is_like, is_misspelt, is_pattern, limits,
    names_an_owner, plain, stale, takes, without_literals,
};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "oidc-sub-broad",
    aliases: &[],
    summary: "a subject condition that takes more than one branch of one repository",
    severity: Severity::Warning,
    tier: Tier::Specific,
    page: include_str!("oidc_sub_broad.md"),
    check: Check::Trust(check),
};

fn check(policy: &PolicyDocument, sink: &mut Sink<'_>) {
    let repository = sink.repository();
    // What a Deny or another condition narrows is as narrow as the whole policy.
    let found = sink.verdict(policy);
    if found.is_some_and(|found| found.verdict == Verdict::Safe) {
        return;
    }
    for one in allows(policy) {
        for found in breadths(one, repository) {
            let severity = match repository {
                _ if found.anybody && !is_kept_to_an_owner(one, &found) => Severity::Error,
                Some(job) if job.asked && !found.weak => Severity::Error,
                Some(_) | None => Severity::Warning,
            };
            let help = repository.map_or_else(
                || "name one branch of one repository, exactly: \"StringEquals\" with `repo:OWNER@OWNER_ID/NAME@REPOSITORY_ID:ref:refs/heads/BRANCH`".to_owned(),
                |repository| format!("write \"StringEquals\" with the job's subject, `{}`", repository.subject()),
            );
            let (at, pointer) = match found.value {
                Some(value) => (value.text.span(), value.pointer.to_string()),
                None => (
                    found.condition.operator_text.span(),
                    found.condition.block_pointer.clone(),
                ),
            };
            let witness = repository.and_then(|repository| witness(policy, &found, repository));
            let witness = witness.unwrap_or_else(|| {
                if severity == Severity::Error && found.anybody {
                    ", and names no owner: anybody can have a repository with such a subject"
                        .to_owned()
                } else {
                    String::new()
                }
            });
            sink.report(at, found.message + &witness)
                .pointer(pointer)
                .severity(severity)
                .help(help);
        }
    }
    whatever_is_missing(policy, sink);
    unresolved(policy, sink);
}

/// Patterns that take more than one subject whatever stands where something is not known.
fn whatever_is_missing(policy: &PolicyDocument, sink: &mut Sink<'_>) {
    let asked = sink.repository().is_some_and(|job| job.asked);
    for one in allows(policy).filter(|one| !is_exact(*one)) {
        for condition in limits(one, "sub").filter(|condition| is_like(condition)) {
            for partial in &condition.partial {
                let mut known = partial.around.iter();
                if !known.any(|part| has_wildcard(&without_literals(part))) {
                    continue;
                }
                let shown = partial.around.join("…");
                let message = format!(
                    "the pattern `{shown}` takes more than one subject, whatever stands at `…`"
                );
                let severity = if asked {
                    Severity::Error
                } else {
                    Severity::Warning
                };
                sink.report(partial.span, message)
                    .pointer(partial.pointer.clone())
                    .severity(severity)
                    .help("name one branch of one repository, exactly, with \"StringEquals\"");
            }
        }
    }
}

/// Whether a condition on the subject takes what it lists, and nothing else.
fn is_exact(one: GitHubStatement<'_>) -> bool {
    limits(one, "sub").any(|condition| {
        let narrow = |value| !is_pattern(condition, value);
        let patterns = is_like(condition) && !condition.partial.is_empty();
        !ignores_case(condition)
            && !patterns
            && !condition.values.is_empty()
            && condition.values.iter().all(narrow)
    })
}

/// Somebody else's token that is taken, of those that most people may have.
fn witness(
    policy: &PolicyDocument,
    found: &Breadth<'_>,
    repository: &Repository,
) -> Option<String> {
    let taken = |subject: &str| {
        let values = &found.condition.values;
        let of_value = |value| takes(found.condition, value, subject);
        match found.value {
            Some(value) => of_value(value),
            None => values.iter().any(of_value) != is_inverted(found.condition),
        }
    };
    // Whoever carries the job's own subject is let in by the right condition too.
    let own = repository.subject().to_string();
    let all = attacks(policy, repository);
    let attack = all
        .iter()
        .filter(|attack| {
            let subject = attack.claims.subject();
            subject != own && taken(subject)
        })
        .min_by_key(|attack| attack.threat.narrowness())?;
    Some(format!(
        ", and {} carries `{}`",
        attack.name,
        attack.claims.subject()
    ))
}

/// A value, or the operator, that takes too much.
struct Breadth<'a> {
    condition: &'a Condition,
    value: Option<&'a Value>,
    message: String,
    /// Whether it takes only another context of the same branch.
    weak: bool,
    /// Whether it names no owner, so that it takes tokens of anybody's repository.
    anybody: bool,
}

/// Whether the statement asks for the owner or the repository in another condition than the one that was found.
fn is_kept_to_an_owner(one: GitHubStatement<'_>, found: &Breadth<'_>) -> bool {
    let other_claim = ["repository", "repository_id", "repository_owner_id"]
        .into_iter()
        .any(|claim| {
            limits(one, claim).any(|condition| {
                let named = |value: &Value| {
                    let pair = format!("{claim}:{}", value.text.as_str());
                    plain(value).is_none() || names_an_owner(&pair)
                };
                !condition.values.is_empty() && condition.values.iter().all(named)
            })
        });
    let other_subject = limits(one, "sub")
        .filter(|condition| condition.span != found.condition.span)
        .any(|condition| {
            let narrow = |value: &Value| plain(value).is_none_or(names_an_owner);
            !condition.values.is_empty() && condition.values.iter().all(narrow)
        });
    other_claim || other_subject
}

/// Everything in the subject conditions of a statement that takes too much.
fn breadths<'a>(one: GitHubStatement<'a>, repository: Option<&Repository>) -> Vec<Breadth<'a>> {
    let mut found = Vec::new();
    let exact = is_exact(one);
    for condition in limits(one, "sub") {
        let values = || condition.values.iter();
        let takes_some =
            values().next().is_none() || values().any(|value| !is_misspelt(condition, value));
        if ignores_case(condition) && takes_some && !exact {
            found.push(Breadth {
                condition,
                value: None,
                message: format!(
                    "`{}` takes other branches too, whose names differ only in letter case",
                    condition.operator_text.as_str()
                ),
                weak: false,
                anybody: false,
            });
        }
        let read = values().filter_map(|value| breadth(condition, value, repository));
        found.extend(read.filter(|breadth| !exact || !is_pattern_of(breadth)));
    }
    let limited = limits(one, "sub").next().is_some();
    for condition in comparisons(one, "sub").filter(|condition| is_inverted(condition)) {
        if !limited {
            let operator = condition.operator_text.as_str();
            found.push(Breadth {
                condition,
                value: None,
                message: format!("`{operator}` takes every subject but those that it lists"),
                weak: false,
                anybody: true,
            });
        }
    }
    found
}

/// A pattern beside an exact condition on the same claim limits nothing more, and opens nothing.
fn is_pattern_of(breadth: &Breadth<'_>) -> bool {
    breadth
        .value
        .is_some_and(|value| is_pattern(breadth.condition, value))
}

fn breadth<'a>(
    condition: &'a Condition,
    value: &'a Value,
    repository: Option<&Repository>,
) -> Option<Breadth<'a>> {
    let text = plain(value)?;
    if is_misspelt(condition, value) {
        return None;
    }
    if repository.is_some_and(|repository| stale(condition, value, repository).is_some()) {
        return None;
    }
    let mut weak = false;
    let message = if is_pattern(condition, value) {
        format!("the pattern `{text}` takes more than one subject")
    } else {
        match Subject::parse(text).ok()? {
            Subject::Custom(pairs) => custom(text, &pairs)?,
            Subject::Default {
                context: Context::PullRequest,
                ..
            } => format!("`{text}` takes the pull requests of every branch"),
            Subject::Default { .. } => {
                let repository = repository.filter(|job| job.asked)?;
                if !is_extra(condition, value, repository) {
                    return None;
                }
                let branch = Context::Branch(repository.branch.clone());
                weak = text == repository.subject_in(repository.format, branch).to_string();
                format!("`{text}` is taken beside the job's own subject")
            }
        }
    };
    Some(Breadth {
        condition,
        value: Some(value),
        message,
        weak,
        anybody: !names_an_owner(text),
    })
}

/// Whether another value of the condition takes the job's subject, and this one does not.
fn is_extra(condition: &Condition, value: &Value, repository: &Repository) -> bool {
    let own = repository.subject().to_string();
    !takes(condition, value, &own)
        && condition
            .values
            .iter()
            .any(|other| takes(condition, other, &own))
}

/// What a subject of a custom template takes when it does not name the repository.
fn custom(text: &str, pairs: &[(String, String)]) -> Option<String> {
    let has = |keys: &[&str]| pairs.iter().any(|(key, _)| keys.contains(&key.as_str()));
    if has(&["repo", "repository", "repository_id"]) {
        None
    } else if has(&["repository_owner", "repository_owner_id"]) {
        Some(format!("`{text}` takes every repository of the owner"))
    } else {
        Some(format!(
            "`{text}` names no repository: a custom template of any repository can write it"
        ))
    }
}

/// Variables that a template language has left in a subject.
fn unresolved(policy: &PolicyDocument, sink: &mut Sink<'_>) {
    for one in allows(policy) {
        for condition in limits(one, "sub") {
            for value in &condition.values {
                let text = value.text.as_str();
                let names = unfilled(text);
                if !names.is_empty() {
                    sink.undecided(
                        value.text.span(),
                        format!("which tokens `{text}` takes"),
                        "it holds variables that are not filled in here",
                        names,
                    );
                }
            }
        }
    }
}

/// The names in `${…}` that are no policy variables, which have a colon.
fn unfilled(text: &str) -> Vec<String> {
    let inside = |part: &str| part.split_once('}').map(|(name, _)| name.to_owned());
    text.split("${")
        .skip(1)
        .filter_map(inside)
        .filter(|name| !name.contains(':') && !matches!(name.as_str(), "*" | "?" | "$"))
        .collect()
}
