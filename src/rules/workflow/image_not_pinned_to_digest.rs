//! A container or service whose image is named by a tag.

use crate::diag::Severity;
use crate::model::workflow::{ImagePlace, ImageReference, StepFile};
use crate::rules::{Check, Rule, Sink, Tier};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "image-not-pinned-to-digest",
    aliases: &[],
    summary: "a container or service whose image is named by a tag instead of a digest",
    severity: Severity::Warning,
    tier: Tier::Specific,
    page: include_str!("image_not_pinned_to_digest.md"),
    check: Check::Steps(check),
};

fn check(file: StepFile<'_>, sink: &mut Sink<'_>) {
    for image in file.images() {
        let ImageReference::Tag(tag) = image.reference() else {
            continue;
        };
        let written = image.text.as_str().trim();
        let whose = match &image.place {
            ImagePlace::Container => "the job's container".to_owned(),
            ImagePlace::Service(name) => format!("the service `{name}`"),
            ImagePlace::Action => "the action".to_owned(),
        };
        let what = match tag {
            Some(_) => "its tag can be moved by whoever may push there",
            None => "without a tag or digest it is whatever was pushed last",
        };
        sink.report(image.span(), format!("`{written}` of {whose} can be another image tomorrow: {what}"))
            .help(format!("add the digest that `docker buildx imagetools inspect {}` prints: `{written}@sha256:…`", written.trim_start_matches("docker://")));
    }
}
