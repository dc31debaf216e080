//! A subject of the right repository in a format that GitHub does not write for it.

use crate::diag::Severity;
use crate::iam::trust::{Threat, attacks};
use crate::model::policy::{Condition, PolicyDocument, Value};
use crate::model::spec::SubjectFormat;
use crate::model::trust::{Repository, Subject};
use crate::rules::policy::mend;
use crate::rules::{Check, Rule, Sink, Tier};

use super::subjects::{
    allows, is_pattern, limits, names_an_owner, own_subjects, plain, stale, takes,
};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "oidc-sub-stale-format",
    aliases: &[],
    summary: "a subject in a format that GitHub does not write for the repository",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("oidc_sub_stale_format.md"),
    check: Check::Trust(check),
};

fn check(policy: &PolicyDocument, sink: &mut Sink<'_>) {
    let repository = sink.repository();
    for one in allows(policy) {
        for condition in limits(one, "sub") {
            for value in &condition.values {
                match repository {
                    Some(repository) => known(policy, condition, value, repository, sink),
                    None => preview(condition, value, sink),
                }
            }
        }
    }
}

fn known(
    policy: &PolicyDocument,
    condition: &Condition,
    value: &Value,
    repository: &Repository,
    sink: &mut Sink<'_>,
) {
    let Some((format, _)) = stale(condition, value, repository) else {
        return;
    };
    let own = repository.subject().to_string();
    let all_own = own_subjects(condition, repository);
    let lets_in = |other: &Value| all_own.iter().any(|own| takes(condition, other, own));
    let inert = condition.values.iter().any(lets_in);
    let text = value.text.as_str();
    let open = open_to(policy, condition, value, repository);
    let is_preview = format.contains("preview");
    let (message, severity) = if let Some(whom) = open {
        (
            format!(
                "`{text}` opens the role to {whom}; it is in {format}, and the job's token carries `{own}`"
            ),
            Severity::Error,
        )
    } else if is_preview {
        (
            format!(
                "`{text}` is in {format}: these are names that somebody else can register, and the job's token carries `{own}`"
            ),
            Severity::Error,
        )
    } else if inert && !repository.asked && !is_pattern(condition, value) {
        (
            format!(
                "`{text}` is in {format}, which this repository does not write any more: it may go"
            ),
            Severity::Note,
        )
    } else if inert {
        (
            format!(
                "`{text}` is in {format}, and the job's token is not; whoever later registers the freed names may match it"
            ),
            Severity::Warning,
        )
    } else {
        (
            format!("`{text}` is in {format}, but the job's token carries `{own}`"),
            Severity::Error,
        )
    };
    let edit = mend::replace(sink, &value.text, &own);
    // Facts alone do not say on which branch, or in which environment, the job runs.
    let edit = edit.filter(|_| !inert && repository.asked);
    let draft = sink
        .report(value.text.span(), message)
        .pointer(value.pointer.clone())
        .severity(severity)
        .help(help(repository, inert));
    if edit.is_some() {
        mend::offer(draft, policy, "write the job's own subject", vec![edit]);
    }
}

/// What to do; while the format changes, which exact subjects to list and when the old one may go.
fn help(repository: &Repository, inert: bool) -> String {
    let own = repository.subject().to_string();
    if inert {
        "remove it: the job is let in by another value, and `gh api repos/OWNER/NAME/actions/oidc/customization/sub` says that the change of format is done (`use_immutable_subject`)".to_owned()
    } else if repository.format == SubjectFormat::Immutable {
        let old = repository.subject_in(SubjectFormat::Classic, repository.context());
        format!(
            "write `{own}`; while the format changes, list both exact subjects, it and `{old}`, and take the old one out as soon as a run has borrowed the role with the new one"
        )
    } else {
        format!("write `{own}`")
    }
}

/// Whose jobs besides those of the names themselves a pattern takes: the most people first.
fn open_to(
    policy: &PolicyDocument,
    condition: &Condition,
    value: &Value,
    repository: &Repository,
) -> Option<String> {
    let text = plain(value).filter(|_| is_pattern(condition, value))?;
    if !names_an_owner(text) {
        return Some("anybody who opens a repository that the pattern fits".to_owned());
    }
    let of_the_owner = attacks(policy, repository).into_iter().any(|attack| {
        attack.threat == Threat::SameOwner && takes(condition, value, attack.claims.subject())
    });
    let owner = &repository.owner;
    of_the_owner
        .then(|| format!("every repository of whoever owns the name `{owner}`, now or later"))
}

/// The preview is told also without a repository: nobody's token carries it but that of whoever registers such names.
fn preview(condition: &Condition, value: &Value, sink: &mut Sink<'_>) {
    if is_pattern(condition, value) {
        return;
    }
    let Some(Ok(Subject::Default { repository, .. })) = plain(value).map(Subject::parse) else {
        return;
    };
    if repository.looks_like_preview() {
        let message = format!(
            "`{repository}` looks like the withdrawn preview of the immutable format, with a hyphen before each id"
        );
        sink.report(value.text.span(), message)
            .pointer(value.pointer.clone())
            .severity(Severity::Warning)
            .help("GitHub writes `OWNER@OWNER_ID/NAME@REPOSITORY_ID`; with hyphens these are names that somebody else can register");
    }
}
