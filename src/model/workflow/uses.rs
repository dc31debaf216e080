//! What `uses:` names: an action or a reusable workflow, and at which version.
//!
//! Source: GitHub Docs, "Workflow syntax", `jobs.<job_id>.steps[*].uses` and `jobs.<job_id>.uses`.

use std::ops::Range;

use crate::syntax::Comment;
use crate::text::{Span, Text};

use super::comment::{VersionComment, is_version};
use super::image::{ImageReference, image_reference};

/// One `uses:`.
#[derive(Debug, Clone)]
pub struct Uses {
    /// The value.
    pub text: Text,
    /// What it names.
    pub target: Target,
    /// The comment behind it on the same line.
    pub comment: Option<Comment>,
    /// Where there is none, the comment behind the braces that it stands in, on the same line.
    pub behind_map: Option<Comment>,
}

/// What `uses:` names. Ranges are bytes of the value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// `owner/repo(/path)@ref`.
    Repository {
        /// The owner.
        owner: String,
        /// The repository.
        repository: String,
        /// The path inside it, without the slash before it; empty for an action at its root.
        path: String,
        /// The bytes of the ref; `None` where no `@` or nothing behind it is written.
        reference: Option<Range<usize>>,
    },
    /// `./path`: a folder of the checked-out repository.
    Local,
    /// `./path@ref`, which GitHub refuses.
    LocalWithRef,
    /// `$/path`: the repository of the workflow itself, at the commit of the workflow (July 2026).
    SelfRepository,
    /// `docker://image` with its digest, if it has one of the right form, or its tag.
    Docker {
        /// The bytes of `sha256:` and 64 hexadecimal digits.
        digest: Option<Range<usize>>,
        /// The bytes of the tag.
        tag: Option<Range<usize>>,
    },
    /// An expression stands in it.
    Expression,
    /// None of these.
    Invalid,
}

/// What kind of ref stands behind the `@`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum RefClass {
    /// A full commit id: 40 hexadecimal digits.
    Commit,
    /// A shortened commit id, which GitHub refuses.
    ShortCommit,
    /// 64 hexadecimal digits.
    Sha256,
    /// Hexadecimal digits, more than 40 but not 64.
    WrongLength,
    /// Looks like a version tag.
    Version,
    /// `refs/…`.
    FullName,
    /// Any other name: a branch or a tag.
    Name,
    /// No ref.
    Missing,
}

impl Uses {
    /// Reads the value of a `uses:`.
    #[must_use]
    pub fn read(text: Text, comment: Option<Comment>) -> Self {
        let target = target(text.as_str());
        Self {
            text,
            target,
            comment,
            behind_map: None,
        }
    }

    /// The class of the ref, for an action or workflow of a repository.
    #[must_use]
    pub fn ref_class(&self) -> Option<RefClass> {
        let Target::Repository { reference, .. } = &self.target else {
            return None;
        };
        Some(match self.reference() {
            Some(written) if reference.is_some() => class_of(written),
            _ => RefClass::Missing,
        })
    }

    /// What it names and how, in a word: what `inspect workflow` lists.
    #[must_use]
    pub fn class(&self) -> &'static str {
        let upper = |digit: char| digit.is_ascii_uppercase();
        match (&self.target, self.ref_class()) {
            (Target::Local, _) => "local",
            (Target::SelfRepository, _) => "self-repository",
            (Target::LocalWithRef, _) => "local-with-ref-invalid",
            (Target::Docker { digest, tag }, _) => match (digest, tag) {
                (Some(_), _) => "docker-digest",
                (None, Some(_)) => "docker-tag",
                (None, None) => "docker-none",
            },
            (Target::Expression, _) => "expression",
            (Target::Invalid, _) | (Target::Repository { .. }, None) => "invalid",
            (Target::Repository { .. }, Some(class)) => match class {
                RefClass::Commit if self.reference().unwrap_or_default().contains(upper) => {
                    "sha1-uppercase"
                }
                RefClass::Commit => "sha1",
                RefClass::ShortCommit => "short-hex",
                RefClass::Sha256 => "sha256",
                RefClass::WrongLength => "hex-wrong-length",
                RefClass::Version => "version-like",
                RefClass::FullName => "fq-ref",
                RefClass::Name => "name-ref",
                RefClass::Missing => "no-ref",
            },
        }
    }

    /// The ref as it is written.
    #[must_use]
    pub fn reference(&self) -> Option<&str> {
        let Target::Repository {
            reference: Some(range),
            ..
        } = &self.target
        else {
            return None;
        };
        self.text.as_str().get(range.clone())
    }

    /// The place of the ref, or of the whole value where there is none.
    #[must_use]
    pub fn reference_span(&self) -> Span {
        if let Target::Repository {
            reference: Some(range),
            ..
        } = &self.target
        {
            self.text.span_of(range.clone())
        } else {
            self.value_span()
        }
    }

    /// The place of the value without quotes and blanks.
    #[must_use]
    pub fn value_span(&self) -> Span {
        let value = self.text.as_str();
        let start = value.len() - value.trim_start().len();
        self.text.span_of(start..value.trim_end().len().max(start))
    }

    /// `owner/repository`, for an action or workflow of a repository.
    #[must_use]
    pub fn repository(&self) -> Option<String> {
        if let Target::Repository {
            owner, repository, ..
        } = &self.target
        {
            Some(format!("{owner}/{repository}"))
        } else {
            None
        }
    }

    /// Whether it names this repository at any ref; names of owners and repositories know no case.
    #[must_use]
    pub fn is_action(&self, owner: &str, repository: &str) -> bool {
        self.repository()
            .is_some_and(|name| name.eq_ignore_ascii_case(&format!("{owner}/{repository}")))
    }

    /// The version that the comment names: `v4.1.0` of `# v4.1.0`, `# tag=v4.1.0`, `# ratchet:owner/repo@v4.1.0`,
    /// `# owner/repo@v4.1.0` or `# v4.1.0 2026-06-19`. `None` for a comment that names none.
    #[must_use]
    pub fn commented_version(&self) -> Option<String> {
        let comment = self.version_comment()?;
        comment.is_version.then_some(comment.reference)
    }

    /// The comment taken apart, if it can name a ref: not where it says something to a tool alone.
    #[must_use]
    pub fn version_comment(&self) -> Option<VersionComment> {
        VersionComment::read(self.any_comment()?)
    }

    /// The comment behind it, or behind the braces that it stands in.
    #[must_use]
    pub fn any_comment(&self) -> Option<&Comment> {
        self.comment.as_ref().or(self.behind_map.as_ref())
    }
}

fn target(value: &str) -> Target {
    let start = value.len() - value.trim_start().len();
    let value = value.trim_end();
    let trimmed = value.get(start..).unwrap_or_default();
    if trimmed.contains("${{") {
        Target::Expression
    } else if trimmed.starts_with("docker://") {
        docker(value)
    } else if trimmed.starts_with("$/") {
        Target::SelfRepository
    } else if trimmed == "." || trimmed.starts_with("./") {
        if trimmed.contains('@') {
            Target::LocalWithRef
        } else {
            Target::Local
        }
    } else {
        repository(trimmed, start)
    }
}

fn repository(value: &str, offset: usize) -> Target {
    let (name, reference) = match value.split_once('@') {
        Some((name, reference)) => (name, Some(reference).filter(|found| !found.is_empty())),
        None => (value, None),
    };
    let mut parts = name.splitn(3, '/');
    let owner = parts.next().unwrap_or_default();
    let repository = parts.next().unwrap_or_default();
    let path = parts.next().unwrap_or_default();
    let is_name = |part: &str| {
        let fits = |found: char| found.is_ascii_alphanumeric() || "-_.".contains(found);
        !part.is_empty() && part.chars().all(fits)
    };
    if !is_name(owner) || owner.starts_with('.') || !is_name(repository) {
        return Target::Invalid;
    }
    Target::Repository {
        owner: owner.to_owned(),
        repository: repository.to_owned(),
        path: path.to_owned(),
        reference: reference.map(|_| offset + name.len() + 1..offset + value.len()),
    }
}

fn docker(value: &str) -> Target {
    let (digest, image) = match image_reference(value) {
        ImageReference::Digest(range) => {
            let end = range.start - 1;
            (Some(range), value.get(..end))
        }
        ImageReference::NoDigest(range) => (None, value.get(..range.start - 1)),
        ImageReference::Tag(_) | ImageReference::Expression | ImageReference::File => {
            (None, Some(value))
        }
    };
    let tag = if let Some(ImageReference::Tag(tag)) = image.map(image_reference) {
        tag
    } else {
        None
    };
    Target::Docker { digest, tag }
}

fn class_of(reference: &str) -> RefClass {
    let is_hex = reference.bytes().all(|digit| digit.is_ascii_hexdigit());
    match reference.len() {
        _ if reference.starts_with("refs/") => RefClass::FullName,
        40 if is_hex => RefClass::Commit,
        64 if is_hex => RefClass::Sha256,
        41.. if is_hex => RefClass::WrongLength,
        7..40 if is_hex => RefClass::ShortCommit,
        _ if is_version(reference) => RefClass::Version,
        _ => RefClass::Name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::FileId;

    fn uses(value: &str) -> Uses {
        Uses::read(
            Text::verbatim(value, Span::new(FileId(0), 0, value.len())),
            None,
        )
    }

    #[test]
    fn refs_are_told_apart() {
        let sha = "11bd71901bbe5b1630ceea73d27597364c9af683";
        let classes = [
            (format!("a/b@{sha}"), RefClass::Commit),
            (format!("a/b@{}", sha.to_uppercase()), RefClass::Commit),
            (format!("a/b@{sha}a"), RefClass::WrongLength),
            (format!("a/b@{sha}#v4"), RefClass::Name),
            ("a/b@deadbeef".to_owned(), RefClass::ShortCommit),
            ("a/b/c@v4.1".to_owned(), RefClass::Version),
            ("a/b@release/v1".to_owned(), RefClass::Name),
            ("a/b@refs/tags/v4".to_owned(), RefClass::FullName),
            ("a/b@".to_owned(), RefClass::Missing),
            ("a/b".to_owned(), RefClass::Missing),
        ];
        for (value, class) in classes {
            assert_eq!(uses(&value).ref_class(), Some(class), "{value}");
        }
    }

    #[test]
    fn what_is_no_repository_is_none() {
        let digest = format!("docker://a/b:1@sha256:{}", "0".repeat(64));
        assert!(matches!(
            uses(&digest).target,
            Target::Docker {
                digest: Some(_),
                tag: Some(_)
            }
        ));
        assert!(matches!(
            uses("docker://localhost:5000/i").target,
            Target::Docker {
                digest: None,
                tag: None
            }
        ));
        assert!(matches!(
            uses("docker://a@sha256:12").target,
            Target::Docker { digest: None, .. }
        ));
        assert_eq!(uses("./x").target, Target::Local);
        assert_eq!(uses("./x@main").target, Target::LocalWithRef);
        assert_eq!(uses("$/x").target, Target::SelfRepository);
        assert_eq!(uses("${{ x }}@v1").target, Target::Expression);
        for invalid in [
            "../x/y@v1",
            ".github/x@v1",
            "checkout@v2",
            "/a/b@v1",
            "한/b@v1",
            "",
        ] {
            assert_eq!(uses(invalid).target, Target::Invalid, "{invalid}");
        }
    }
}
