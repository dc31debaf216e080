//! Container images that a job runs in or beside, and their references.
//!
//! Source of the grammar: the OCI distribution specification, "Pulling manifests": a tag follows a colon behind the last
//! slash, a digest an `@`. GitHub Docs, "Workflow syntax", `jobs.<job_id>.container` and `jobs.<job_id>.services`.

use std::ops::Range;

use crate::text::{Span, Text};

/// One image.
#[derive(Debug, Clone)]
pub struct Image {
    /// The reference as it is written.
    pub text: Text,
    /// Where it runs.
    pub place: ImagePlace,
}

/// Where an image runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ImagePlace {
    /// The job's own container.
    Container,
    /// The service of this name.
    Service(String),
    /// A Docker action's image.
    Action,
}

/// What an image reference names. Ranges are bytes of the reference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ImageReference {
    /// `@sha256:` and 64 hexadecimal digits; the bytes behind the `@`.
    Digest(Range<usize>),
    /// No digest; the tag's bytes, if there is one (without, it is `latest`).
    Tag(Option<Range<usize>>),
    /// Something else than a digest behind an `@`; its bytes.
    NoDigest(Range<usize>),
    /// An expression stands in it.
    Expression,
    /// A file of the repository, for a Docker action.
    File,
}

impl Image {
    /// What the reference names.
    #[must_use]
    pub fn reference(&self) -> ImageReference {
        let value = self.text.as_str();
        if value.contains("${{") {
            return ImageReference::Expression;
        }
        if self.place == ImagePlace::Action && !value.trim_start().starts_with("docker://") {
            return ImageReference::File;
        }
        image_reference(value)
    }

    /// The reference without quotes and blanks.
    #[must_use]
    pub fn span(&self) -> Span {
        let value = self.text.as_str();
        let start = value.len() - value.trim_start().len();
        self.text.span_of(start..value.trim_end().len().max(start))
    }
}

/// Reads a reference, with or without `docker://` before it.
#[must_use]
pub fn image_reference(value: &str) -> ImageReference {
    let value = value.trim_end();
    if let Some(at) = value.rfind('@') {
        let behind = value.get(at + 1..).unwrap_or_default();
        let digits = behind.strip_prefix("sha256:").unwrap_or_default();
        let is_digest = digits.len() == 64 && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
        let range = at + 1..value.len();
        return if is_digest {
            ImageReference::Digest(range)
        } else {
            ImageReference::NoDigest(range)
        };
    }
    let name = value.rfind('/').map_or(0, |at| at + 1);
    let colon = value.get(name..).and_then(|image| image.find(':'));
    ImageReference::Tag(colon.map(|colon| name + colon + 1..value.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_is_told_from_a_port_and_a_digest_from_what_only_stands_in_its_place() {
        let digest = format!("a/b:1@sha256:{}", "0".repeat(64));
        assert!(matches!(
            image_reference(&digest),
            ImageReference::Digest(_)
        ));
        assert_eq!(
            image_reference("localhost:5000/i"),
            ImageReference::Tag(None)
        );
        assert_eq!(
            image_reference("docker://node:20"),
            ImageReference::Tag(Some(14..16))
        );
        assert_eq!(
            image_reference("mysql@8.0.44"),
            ImageReference::NoDigest(6..12)
        );
    }
}
