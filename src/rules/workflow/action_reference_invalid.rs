//! A `uses` that GitHub refuses: a shortened commit id, no ref, no owner.

use crate::diag::Severity;
use crate::model::workflow::{RefClass, StepFile, Target, Uses};
use crate::rules::{Check, Rule, Sink, Tier};
use crate::text::Span;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "action-reference-invalid",
    aliases: &[],
    summary: "a `uses` that GitHub cannot resolve",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("action_reference_invalid.md"),
    check: Check::Steps(check),
};

fn check(file: StepFile<'_>, sink: &mut Sink<'_>) {
    for uses in file.uses() {
        let written = uses.text.as_str().trim();
        let fault = match &uses.target {
            Target::Repository { .. } => reference(uses),
            Target::Docker { digest: None, .. } if written.contains('@') => Some((
                uses.value_span(),
                format!("`{written}` names no digest behind the `@`"),
                "behind `@` stands `sha256:` with 64 hexadecimal digits; a tag stands behind `:`",
            )),
            Target::LocalWithRef => Some((
                uses.value_span(),
                format!("`{written}` is a folder of the checked-out repository, which has no ref"),
                "leave out the `@` and what follows",
            )),
            Target::Expression => Some((
                uses.value_span(),
                format!(
                    "`{written}` holds an expression, which GitHub does not evaluate in `uses`"
                ),
                "write out what is used, in a step or job for each case",
            )),
            Target::Invalid => Some((
                uses.value_span(),
                format!("`{written}` names no action"),
                "allowed are `owner/name@commit`, `owner/name/path@commit`, `./path` and `docker://image@sha256:…`, in ASCII letters",
            )),
            Target::Local | Target::SelfRepository | Target::Docker { .. } => None,
        };
        if let Some((at, message, help)) = fault {
            sink.report(at, message).help(help);
        }
    }
}

fn reference(uses: &Uses) -> Option<(Span, String, &'static str)> {
    let written = uses.text.as_str().trim();
    let reference = uses.reference().unwrap_or_default();
    let digits = reference.len();
    let help = "write all 40 hexadecimal digits of the commit";
    match uses.ref_class()? {
        RefClass::Missing => Some((
            uses.value_span(),
            format!("`{written}` names no ref"),
            "say which commit: `owner/name@` and the 40 hexadecimal digits of it",
        )),
        RefClass::ShortCommit if reference.bytes().any(|digit| !digit.is_ascii_digit()) => Some((
            uses.reference_span(),
            format!("`{reference}` is a shortened commit id, which GitHub refuses"),
            help,
        )),
        RefClass::WrongLength | RefClass::Sha256 => Some((
            uses.reference_span(),
            format!("`{reference}` has {digits} hexadecimal digits, but a commit id has 40"),
            help,
        )),
        RefClass::Commit
        | RefClass::ShortCommit
        | RefClass::Version
        | RefClass::FullName
        | RefClass::Name => None,
    }
}
