//! A subject condition that does not take the job's own subject.

use crate::diag::Severity;
use crate::model::policy::{Condition, PolicyDocument};
use crate::model::trust::{Context, Repository, Subject, SubjectRepository};
use crate::rules::{Check, Rule, Sink, Tier};

use super::subjects::{allows, is_open, limits, own_subjects, takes};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "oidc-sub-never-matches",
    aliases: &[],
    summary: "a subject condition that does not take the job's own subject",
    severity: Severity::Error,
    tier: Tier::General,
    page: include_str!("oidc_sub_never_matches.md"),
    check: Check::Trust(check),
};

fn check(policy: &PolicyDocument, sink: &mut Sink<'_>) {
    let Some(repository) = sink.repository() else {
        return;
    };
    let lets_in = |condition: &&Condition| {
        let own = own_subjects(condition, repository);
        let mut values = condition.values.iter();
        values.any(|value| own.iter().any(|own| takes(condition, value, own)))
    };
    // How a job of this repository writes a custom template is not known from facts alone.
    let is_custom = |condition: &&Condition| {
        let mut values = condition.values.iter().map(|value| value.text.as_str());
        !repository.asked
            && values.any(|text| matches!(Subject::parse(text), Ok(Subject::Custom(_))))
    };
    // Of several statements one is enough.
    let let_in = allows(policy).any(|one| limits(one, "sub").all(|condition| lets_in(&condition)));
    if let_in {
        return;
    }
    for one in allows(policy) {
        for condition in limits(one, "sub")
            .filter(|condition| !is_open(condition) && !lets_in(condition) && !is_custom(condition))
        {
            report(condition, repository, sink);
        }
    }
}

fn report(condition: &Condition, repository: &Repository, sink: &mut Sink<'_>) {
    let own = repository.subject().to_string();
    let (at, pointer, message) = match condition.values.as_slice() {
        [value] => {
            let text = value.text.as_str();
            let why =
                difference(text, repository).map_or_else(String::new, |why| format!(": {why}"));
            let message = format!("`{text}` does not take the job's subject{why}");
            (value.text.span(), value.pointer.to_string(), message)
        }
        _ => {
            let message = "none of these values takes the job's subject".to_owned();
            (condition.span, condition.pointer.clone(), message)
        }
    };
    sink.report(at, message)
        .pointer(pointer)
        .covers(condition.span)
        .help(format!("the job's token carries `{own}`"));
}

/// The first part in which a subject differs from the job's.
fn difference(text: &str, repository: &Repository) -> Option<String> {
    let Ok(Subject::Default {
        repository: found,
        context,
    }) = Subject::parse(text)
    else {
        return None;
    };
    let differs = |what: &str, found: &str, wanted: &str| {
        (found != wanted).then(|| format!("the {what} is `{found}`, not `{wanted}`"))
    };
    let number = |id: Option<u64>| id.map(|id| id.to_string()).unwrap_or_default();
    let of_repository = match &found {
        SubjectRepository::Classic { owner, name } => differs("owner", owner, &repository.owner)
            .or_else(|| differs("repository", name, &repository.repository)),
        SubjectRepository::Immutable {
            owner,
            owner_id,
            name,
            repository_id,
        } => differs("owner", owner, &repository.owner)
            .or_else(|| differs("owner's id", owner_id, &number(repository.owner_id)))
            .or_else(|| differs("repository", name, &repository.repository))
            .or_else(|| {
                differs(
                    "repository's id",
                    repository_id,
                    &number(repository.repository_id),
                )
            }),
    };
    of_repository.or_else(|| of_context(&context, repository))
}

fn of_context(context: &Context, repository: &Repository) -> Option<String> {
    let wanted = repository.context();
    if *context == wanted || !repository.asked {
        return None;
    }
    let why = match (context, &wanted) {
        (Context::Branch(_), Context::Environment(_)) => {
            "a job with an environment carries that in place of the branch: "
        }
        (Context::Environment(_), Context::Branch(_)) => "the job names no environment: ",
        _ => "",
    };
    Some(format!("{why}the context is `{context}`, not `{wanted}`"))
}
