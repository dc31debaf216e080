//! An action, reusable workflow or image that is named by a tag or a branch.

use crate::diag::Severity;
use crate::model::pins::{PinsLock, exact_tag};
use crate::model::workflow::{RefClass, StepFile, Target, Uses};
use crate::rules::{Check, Rule, Sink, Tier, Workspace};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "action-not-pinned-to-commit",
    aliases: &[],
    summary: "a `uses` that names a tag, a branch or an image tag instead of a commit",
    severity: Severity::Warning,
    tier: Tier::Specific,
    page: include_str!("action_not_pinned_to_commit.md"),
    check: Check::Whole(check),
};

fn check(workspace: &Workspace, sink: &mut Sink<'_>) {
    for file in workspace.step_files() {
        of_file(file, workspace.lock_of(file.path()), sink);
    }
}

fn of_file(file: StepFile<'_>, lock: Option<&PinsLock>, sink: &mut Sink<'_>) {
    // GitHub's policy of full commit ids asks for those inside an action too, before any `if` is looked at.
    let severity = match file {
        StepFile::Workflow(_) => Severity::Warning,
        StepFile::Action(_) => Severity::Error,
    };
    for uses in file.uses() {
        match &uses.target {
            Target::Repository { .. } => repository(uses, lock, severity, sink),
            Target::Docker { digest: None, .. } if !uses.text.as_str().contains('@') => {
                let image = uses.text.as_str().trim();
                sink.report(
                    uses.value_span(),
                    format!("`{image}` can be another image tomorrow: it names no digest"),
                )
                .severity(severity)
                .help("name the image by its digest: `docker://image@sha256:` and 64 hexadecimal digits");
            }
            Target::Local
            | Target::LocalWithRef
            | Target::SelfRepository
            | Target::Docker { .. }
            | Target::Expression
            | Target::Invalid => {}
        }
    }
}

/// Where a ref stands: its commit, the version to say, and who says so.
fn known<'a>(
    uses: &Uses,
    lock: Option<&'a PinsLock>,
    sink: &Sink<'a>,
    name: &str,
) -> Option<(&'a str, &'a str, &'static str)> {
    let of_spec = sink.spec().and_then(|spec| {
        let mut actions = spec.actions.iter();
        actions.find(|action| action.uses.eq_ignore_ascii_case(name))
    });
    if let Some(action) = of_spec {
        let title = "pin it to the commit of the spec";
        return Some((&action.commit, &action.version, title));
    }
    let upstream = lock?.upstream(&uses.repository()?)?;
    let tag = upstream.tags.get(uses.reference()?)?;
    let tags = upstream.tags_at(&tag.commit);
    let version = exact_tag(&tags)?;
    Some((
        &tag.commit,
        version,
        "pin it to the commit that the lock saw its tag at",
    ))
}

fn repository(uses: &Uses, lock: Option<&PinsLock>, severity: Severity, sink: &mut Sink<'_>) {
    let reference = uses.reference().unwrap_or_default();
    let moves = match uses.ref_class() {
        Some(RefClass::Version | RefClass::FullName | RefClass::Name) => true,
        // Eight digits are a date as well as a shortened commit id.
        Some(RefClass::ShortCommit) => reference.bytes().all(|digit| digit.is_ascii_digit()),
        _ => false,
    };
    if !moves {
        return;
    }
    let name = uses
        .text
        .as_str()
        .trim()
        .split('@')
        .next()
        .unwrap_or_default();
    let known = known(uses, lock, sink, name);
    let (commit, version) = known.map_or(
        ("<the 40 digits of its commit>", reference),
        |(commit, version, _)| (commit, version),
    );
    let help = format!(
        "name the commit and keep the version for the reader: `{name}@{commit} # {version}`"
    );
    let edits = known
        .map(|(commit, version, title)| (title, super::pinned::edits(uses, commit, version, sink)));
    let draft = sink
        .report(
            uses.reference_span(),
            format!(
                "`{reference}` of `{name}` can be moved to another commit by whoever may push there"
            ),
        )
        .severity(severity)
        .help(help);
    if let Some((title, edits)) = edits {
        draft.fix(title, true, edits);
    }
}
