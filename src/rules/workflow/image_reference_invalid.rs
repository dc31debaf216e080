//! An image with something other than a digest behind the `@`.

use crate::diag::Severity;
use crate::model::workflow::{ImageReference, StepFile};
use crate::rules::{Check, Rule, Sink, Tier};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "image-reference-invalid",
    aliases: &[],
    summary: "an image with something other than a digest behind the `@`",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("image_reference_invalid.md"),
    check: Check::Steps(check),
};

fn check(file: StepFile<'_>, sink: &mut Sink<'_>) {
    for image in file.images() {
        let ImageReference::NoDigest(range) = image.reference() else {
            continue;
        };
        let value = image.text.as_str();
        let behind = value.get(range).unwrap_or_default();
        let name = value.split('@').next().unwrap_or_default();
        sink.report(
            image.span(),
            format!("`{behind}` behind the `@` of an image is no digest, so that no container starts"),
        )
        .help(format!(
            "a tag stands behind a colon, `{name}:{behind}`; behind `@` stands `sha256:` with 64 hexadecimal digits"
        ));
    }
}
