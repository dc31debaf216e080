//! The `sub` claim: `repo:OWNER/NAME:CONTEXT`, with ids behind `@` in the immutable format, or a custom template
//! (GitHub docs, "OpenID Connect reference", "Example subject claims" and "Customizing the token claims").

use std::fmt;

use crate::model::spec::pairs_as_text;

/// A subject.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Subject {
    /// The default form.
    Default {
        /// Whose.
        repository: SubjectRepository,
        /// What the job runs for.
        context: Context,
    },
    /// A custom template: keys and values in its order, values unescaped.
    Custom(Vec<(String, String)>),
}

/// The repository part of a subject.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SubjectRepository {
    /// `OWNER/NAME`.
    Classic {
        /// The owner's name.
        owner: String,
        /// The repository's name.
        name: String,
    },
    /// `OWNER@ID/NAME@ID`, for repositories created, renamed or transferred after 2026-07-15.
    Immutable {
        /// The owner's name.
        owner: String,
        /// The owner's id.
        owner_id: String,
        /// The repository's name.
        name: String,
        /// The repository's id.
        repository_id: String,
    },
}

/// What a job runs for; an environment wins over a pull request, that over a ref.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Context {
    /// `ref:refs/heads/…`.
    Branch(String),
    /// `ref:refs/tags/…`.
    Tag(String),
    /// `pull_request`.
    PullRequest,
    /// `environment:…`.
    Environment(String),
}

/// Why GitHub never writes such a subject.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SubjectFault {
    /// A placeholder of a template.
    #[error("the placeholder `{0}` was not filled in")]
    Placeholder(String),
    /// `repository:` in place of `repo:`.
    #[error("it begins with `repository:`, and GitHub writes `repo:`")]
    LongKey,
    /// A URL in place of `OWNER/NAME`.
    #[error("it holds a URL, and GitHub writes `OWNER/NAME`")]
    Url,
    /// Neither `OWNER/NAME` nor both with their ids.
    #[error("`{0}` is neither `OWNER/NAME` nor `OWNER@OWNER_ID/NAME@REPOSITORY_ID`")]
    Repository(String),
    /// A ref that is not fully qualified.
    #[error("`{0}` is no full ref; GitHub writes `ref:refs/heads/BRANCH` or `ref:refs/tags/TAG`")]
    ShortRef(String),
    /// No known context.
    #[error(
        "`{0}` is no context; known are `ref:refs/heads/BRANCH`, `ref:refs/tags/TAG`, `pull_request` and `environment:NAME`"
    )]
    Context(String),
    /// Not made of `key:value` pairs.
    #[error(
        "`{0}` is no subject; it begins with `repo:OWNER/NAME:` or is made of `key:value` pairs"
    )]
    Shape(String),
}

/// Keys of custom templates have letters, digits and underscores.
fn is_key(text: &str) -> bool {
    !text.is_empty()
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

impl Subject {
    /// Reads a subject, exactly as a token carries it.
    ///
    /// # Errors
    /// When GitHub never writes such a subject, whatever the template.
    pub fn parse(text: &str) -> Result<Self, SubjectFault> {
        if let Some(start) = text.find('<') {
            let rest = text.get(start..).unwrap_or_default();
            let end = rest.find('>').map_or(rest.len(), |end| end + 1);
            let placeholder = rest.get(..end).unwrap_or_default();
            return Err(SubjectFault::Placeholder(placeholder.to_owned()));
        }
        let Some(rest) = text.strip_prefix("repo:") else {
            return custom(text);
        };
        if rest.contains("://") {
            return Err(SubjectFault::Url);
        }
        let (repository, context) = rest.split_once(':').unwrap_or((rest, ""));
        let parsed = SubjectRepository::parse(repository)
            .ok_or_else(|| SubjectFault::Repository(repository.to_owned()));
        // `repo:acme:100001/app:…`: ids behind a colon.
        if parsed.is_err()
            && context
                .split(':')
                .next()
                .is_some_and(|part| part.contains('/'))
        {
            return Err(SubjectFault::Repository(rest.to_owned()));
        }
        match Context::parse(context) {
            Ok(context) => Ok(Self::Default {
                repository: parsed?,
                context,
            }),
            Err(fault) => {
                parsed?;
                longer_template(text).ok_or(fault)
            }
        }
    }
}

/// A default subject with more pairs behind it, as a template of `repo`, `context` and other keys writes it.
fn longer_template(text: &str) -> Option<Subject> {
    let parts: Vec<&str> = text.split(':').collect();
    let context_pairs = match parts.get(2).copied()? {
        "ref" if !parts.get(3)?.starts_with("refs/") => return None,
        "ref" | "environment" => 4,
        "pull_request" => 3,
        _ => 2,
    };
    if parts.len() <= context_pairs {
        return None;
    }
    let mut pairs = vec![("repo".to_owned(), (*parts.get(1)?).to_owned())];
    if context_pairs == 3 {
        pairs.push(("context".to_owned(), "pull_request".to_owned()));
    }
    let rest = parts.get(if context_pairs == 3 { 3 } else { 2 }..)?;
    pairs.extend(self::pairs(rest)?);
    Some(Subject::Custom(pairs))
}

fn custom(text: &str) -> Result<Subject, SubjectFault> {
    if text.starts_with("repository:") && text.contains('/') && text.contains(":ref:") {
        return Err(SubjectFault::LongKey);
    }
    let parts: Vec<&str> = text.split(':').collect();
    pairs(&parts)
        .map(Subject::Custom)
        .ok_or_else(|| SubjectFault::Shape(text.to_owned()))
}

/// Keys and values. The context of a pull request is a word without a value.
fn pairs(mut parts: &[&str]) -> Option<Vec<(String, String)>> {
    let mut found = Vec::new();
    while let Some((key, rest)) = parts.split_first() {
        if *key == "pull_request" {
            found.push(("context".to_owned(), "pull_request".to_owned()));
            parts = rest;
            continue;
        }
        let (value, rest) = rest.split_first()?;
        if !is_key(key) || *key == "context" {
            return None;
        }
        found.push(((*key).to_owned(), unescape(value)));
        parts = rest;
    }
    (!found.is_empty()).then_some(found)
}

fn escape(text: &str) -> String {
    text.replace(':', "%3A")
}

fn unescape(text: &str) -> String {
    text.replace("%3A", ":")
}

impl SubjectRepository {
    fn parse(text: &str) -> Option<Self> {
        let (owner, name) = text.split_once('/')?;
        if name.contains('/') || owner.is_empty() || name.is_empty() {
            return None;
        }
        match (owner.split_once('@'), name.split_once('@')) {
            (None, None) => Some(Self::Classic {
                owner: owner.to_owned(),
                name: name.to_owned(),
            }),
            (Some((owner, owner_id)), Some((name, repository_id))) => {
                let is_id = |id: &str| !id.is_empty() && id.bytes().all(|d| d.is_ascii_digit());
                (is_id(owner_id) && is_id(repository_id)).then(|| Self::Immutable {
                    owner: owner.to_owned(),
                    owner_id: owner_id.to_owned(),
                    name: name.to_owned(),
                    repository_id: repository_id.to_owned(),
                })
            }
            (Some(_), None) | (None, Some(_)) => None,
        }
    }

    /// Whether it looks like the preview of the immutable format, which had a hyphen before each id and was withdrawn
    /// (GitHub changelog, 2026-04-23): read as classic names, which somebody else can register.
    #[must_use]
    pub fn looks_like_preview(&self) -> bool {
        let ends_in_id = |text: &str| {
            text.rsplit_once('-')
                .is_some_and(|(_, id)| id.len() > 4 && id.bytes().all(|d| d.is_ascii_digit()))
        };
        match self {
            Self::Classic { owner, name } => ends_in_id(owner) && ends_in_id(name),
            Self::Immutable { .. } => false,
        }
    }
}

impl Context {
    fn parse(text: &str) -> Result<Self, SubjectFault> {
        if text == "pull_request" {
            return Ok(Self::PullRequest);
        }
        let plain = |value: &str| !value.is_empty() && !value.contains(':');
        match text.split_once(':') {
            Some(("environment", name)) if plain(name) => Ok(Self::Environment(unescape(name))),
            Some(("ref", name)) if plain(name) => {
                if let Some(branch) = name.strip_prefix("refs/heads/") {
                    Ok(Self::Branch(unescape(branch)))
                } else if let Some(tag) = name.strip_prefix("refs/tags/") {
                    Ok(Self::Tag(unescape(tag)))
                } else {
                    Err(SubjectFault::ShortRef(text.to_owned()))
                }
            }
            _ => Err(SubjectFault::Context(text.to_owned())),
        }
    }
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default {
                repository,
                context,
            } => write!(f, "repo:{repository}:{context}"),
            Self::Custom(pairs) => f.write_str(&pairs_as_text(pairs)),
        }
    }
}

impl fmt::Display for SubjectRepository {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Classic { owner, name } => write!(f, "{owner}/{name}"),
            Self::Immutable {
                owner,
                owner_id,
                name,
                repository_id,
            } => write!(f, "{owner}@{owner_id}/{name}@{repository_id}"),
        }
    }
}

impl fmt::Display for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Branch(branch) => write!(f, "ref:refs/heads/{}", escape(branch)),
            Self::Tag(tag) => write!(f, "ref:refs/tags/{}", escape(tag)),
            Self::PullRequest => f.write_str("pull_request"),
            Self::Environment(name) => write!(f, "environment:{}", escape(name)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn both_formats_and_every_context_are_read_and_written_alike() {
        for text in [
            "repo:acme/app:ref:refs/heads/main",
            "repo:acme@1/app@2:ref:refs/tags/v1",
            "repo:acme/app:pull_request",
            "repo:acme@1/app@2:environment:Production%3AV1",
            "repository_owner:acme",
            "workflow:deploy:repository_id:7",
        ] {
            assert_eq!(Subject::parse(text).unwrap().to_string(), text);
        }
        let subject = Subject::parse("repo:acme@1/app@2:environment:Production%3AV1").unwrap();
        assert!(
            matches!(subject, Subject::Default { context: Context::Environment(name), .. } if name == "Production:V1")
        );
        let longer = Subject::parse("repo:acme/app:pull_request:workflow:ci").unwrap();
        assert!(matches!(longer, Subject::Custom(pairs) if pairs.len() == 3));
        let longer = Subject::parse("repo:acme/app:ref:refs/heads/main:workflow:ci").unwrap();
        assert!(matches!(longer, Subject::Custom(pairs) if pairs.len() == 3));
    }

    #[test]
    fn what_github_never_writes_is_told_by_its_fault() {
        let fault = |text: &str| Subject::parse(text).unwrap_err();
        assert_eq!(
            fault("repo:<owner>/app:ref:refs/heads/main"),
            SubjectFault::Placeholder("<owner>".to_owned())
        );
        assert_eq!(
            fault("repository:acme/app:ref:refs/heads/main"),
            SubjectFault::LongKey
        );
        assert_eq!(
            fault("repo:https://github.com/acme/app:ref:refs/heads/main"),
            SubjectFault::Url
        );
        assert!(matches!(
            fault("repo:acme@1/app:ref:refs/heads/main"),
            SubjectFault::Repository(_)
        ));
        assert!(matches!(
            fault("repo:acme@7:ref:refs/heads/main"),
            SubjectFault::Repository(_)
        ));
        assert!(matches!(
            fault("repo:acme:1/app:2:ref:refs/heads/main"),
            SubjectFault::Repository(_)
        ));
        assert!(matches!(
            fault("repo:acme/app:ref:main"),
            SubjectFault::ShortRef(_)
        ));
        assert!(matches!(fault("repo:acme/app"), SubjectFault::Context(_)));
        assert!(matches!(fault("acme/app"), SubjectFault::Shape(_)));
    }

    #[test]
    fn the_withdrawn_preview_is_recognised() {
        let preview = SubjectRepository::parse("octo-org-123456/app-456789").unwrap();
        assert!(preview.looks_like_preview());
        assert!(
            !SubjectRepository::parse("acme/app-2")
                .unwrap()
                .looks_like_preview()
        );
    }

    proptest! {
        #[test]
        fn reading_never_panics_and_what_is_read_is_written_alike(text in "(repo:)?[a:/@1%3A<>é_]{0,24}") {
            if let Ok(subject) = Subject::parse(&text) {
                let written = subject.to_string();
                prop_assert_eq!(Subject::parse(&written).map(|again| again.to_string()), Ok(written));
            }
        }
    }
}
