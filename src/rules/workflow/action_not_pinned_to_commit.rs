//! An action, reusable workflow or image that is named by a tag or a branch.

use crate::diag::Severity;
use crate::model::workflow::{RefClass, StepFile, Target, Uses};
use crate::rules::{Check, Rule, Sink, Tier};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "action-not-pinned-to-commit",
    aliases: &[],
    summary: "a `uses` that names a tag, a branch or an image tag instead of a commit",
    severity: Severity::Warning,
    tier: Tier::Specific,
    page: include_str!("action_not_pinned_to_commit.md"),
    check: Check::Steps(check),
};

fn check(file: StepFile<'_>, sink: &mut Sink<'_>) {
    // GitHub's policy of full commit ids asks for those inside an action too, before any `if` is looked at.
    let severity = match file {
        StepFile::Workflow(_) => Severity::Warning,
        StepFile::Action(_) => Severity::Error,
    };
    for uses in file.uses() {
        match &uses.target {
            Target::Repository { .. } => repository(uses, severity, sink),
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

fn repository(uses: &Uses, severity: Severity, sink: &mut Sink<'_>) {
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
    let pinned = sink.spec().and_then(|spec| {
        spec.actions
            .iter()
            .find(|action| action.uses.eq_ignore_ascii_case(name))
    });
    let commit = pinned.map_or("<the 40 digits of its commit>", |action| {
        action.commit.as_str()
    });
    let version = pinned.map_or(reference, |action| action.version.as_str());
    let help = format!(
        "name the commit and keep the version for the reader: `{name}@{commit} # {version}`"
    );
    let edits = pinned.map(|action| super::pinned::edits(uses, action, sink));
    let draft = sink
        .report(
            uses.reference_span(),
            format!(
                "`{reference}` of `{name}` can be moved to another commit by whoever may push there"
            ),
        )
        .severity(severity)
        .help(help);
    if let Some(edits) = edits {
        draft.fix("pin it to the commit of the spec", true, edits);
    }
}
