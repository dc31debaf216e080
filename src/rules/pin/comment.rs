//! The comment behind a pin, held against what the lock says of the commit: at most one fault of each comment.

use crate::model::pins::{PinStanding, Upstream, exact_tag};
use crate::model::workflow::VersionComment;
use crate::text::Span;

use super::Pin;

/// What is wrong with a comment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum CommentFault {
    /// A date with something glued to it.
    Malformed {
        /// The word.
        word: String,
        /// Its place.
        at: Span,
    },
    /// It names a version that the commit is not.
    Mismatch {
        /// The version that it names.
        named: String,
        /// The commit of that version; `None` when there is no such tag.
        commit: Option<String>,
        /// The version that the commit is.
        actual: Option<String>,
    },
    /// There is none, or none that names a version.
    Missing {
        /// The version that the commit is.
        actual: Option<String>,
    },
    /// It names a tag that moves, and has moved on or is none.
    Moving {
        /// The tag that it names.
        named: String,
        /// Whether there is such a tag, at another commit.
        moved: bool,
        /// The exact version of the commit.
        exact: String,
    },
    /// It names the right version in a form that update bots do not follow.
    Style {
        /// What a bot reads.
        plain: String,
        /// The bytes that it replaces.
        at: Span,
        /// What is in the way.
        why: &'static str,
    },
}

/// The fault of the comment behind `pin`, if it has one.
pub(super) fn fault(pin: &Pin<'_>) -> Option<CommentFault> {
    let comment = pin.uses.version_comment();
    let mangled = comment
        .as_ref()
        .and_then(|comment| comment.mangled_date.clone());
    if let Some((word, at)) = mangled {
        return Some(CommentFault::Malformed { word, at });
    }
    let standing = pin.standing();
    let commit = match &standing {
        // What is wrong with the commit is told there.
        Some(PinStanding::Absent { .. } | PinStanding::Former) => return None,
        Some(PinStanding::TagObject { commit, .. }) => (*commit).to_owned(),
        Some(PinStanding::Tagged(_) | PinStanding::OnBranch | PinStanding::Open) | None => {
            pin.commit.clone()
        }
    };
    let upstream = pin.upstream();
    let tags = upstream
        .map(|upstream| upstream.tags_at(&commit))
        .unwrap_or_default();
    let actual = exact_tag(&tags).map(str::to_owned);
    let Some(comment) = comment else {
        let silent = pin.uses.any_comment().is_some() && actual.is_none();
        return (!silent).then_some(CommentFault::Missing { actual });
    };
    let Some(upstream) = upstream else {
        return is_version(&comment)
            .then(|| style(&comment, None))
            .flatten();
    };
    against(&comment, upstream, &commit, &tags, actual)
}

fn is_version(comment: &VersionComment) -> bool {
    comment.is_version
}

/// The comment against the tags of the repository.
fn against(
    comment: &VersionComment,
    upstream: &Upstream,
    commit: &str,
    tags: &[&str],
    actual: Option<String>,
) -> Option<CommentFault> {
    let named = comment.reference.as_str();
    if tags.contains(&named) || tags.iter().any(|tag| last_step(tag) == named) {
        return style(comment, None);
    }
    if let Some(same) = tags.iter().find(|tag| bare(tag) == bare(named)) {
        return style(comment, Some(*same));
    }
    let elsewhere = upstream.tags.get(named);
    if upstream.branches.contains_key(named) {
        return None;
    }
    let extends = |tag: &&&str| bare(tag).starts_with(&format!("{}.", bare(named)));
    let exact: Vec<&str> = tags.iter().filter(extends).copied().collect();
    if let Some(exact) = exact_tag(&exact) {
        return Some(CommentFault::Moving {
            named: named.to_owned(),
            moved: elsewhere.is_some(),
            exact: exact.to_owned(),
        });
    }
    match elsewhere {
        Some(other) if other.commit != commit => Some(CommentFault::Mismatch {
            named: named.to_owned(),
            commit: Some(other.commit.clone()),
            actual,
        }),
        None if comment.is_version && upstream.all_tags => Some(CommentFault::Mismatch {
            named: named.to_owned(),
            commit: None,
            actual,
        }),
        None if !comment.is_version && actual.is_some() => Some(CommentFault::Missing { actual }),
        Some(_) | None => None,
    }
}

/// A right version in a form that bots do not follow; `tag` where it is written otherwise than the tag.
fn style(comment: &VersionComment, tag: Option<&str>) -> Option<CommentFault> {
    let plain = tag.unwrap_or(&comment.reference).to_owned();
    let (at, why) = if tag.is_some() {
        (comment.word_at, "the tag is written otherwise")
    } else if comment.names_repository {
        (
            comment.word_at,
            "the name of the repository stands before it",
        )
    } else if comment.is_labelled {
        (comment.word_at, "words stand before it")
    } else if let Some(date) = comment.date_at.filter(|_| comment.is_version) {
        (comment.word_at.cover(date), "a date stands behind it")
    } else {
        return None;
    };
    Some(CommentFault::Style { plain, at, why })
}

/// `4.1.0` of `v4.1.0`.
fn bare(version: &str) -> &str {
    version.strip_prefix(['v', 'V']).unwrap_or(version)
}

fn last_step(tag: &str) -> &str {
    tag.rsplit('/').next().unwrap_or(tag)
}
