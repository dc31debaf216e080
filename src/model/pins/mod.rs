//! The lock of upstream refs, `pins.lock`: which commit each tag of an action's repository was seen at. With it a pin and
//! its comment are checked without a network, and a ref that was moved since is seen.
//!
//! Source of what a pin can be: Git's own objects (gitglossary, "tag object", "ref"); GitHub Docs, "Secure use reference",
//! section "Using third-party actions".

mod read;
mod standing;
mod version;
mod write;

use std::collections::{BTreeMap, BTreeSet};

use crate::text::Span;

pub use standing::{PinStanding, exact_tag};
pub use version::Version;

/// The usual name of the lock.
pub const LOCK_FILE: &str = "pins.lock";

/// The name of the same facts in JSON, as other tools leave them.
pub const REFS_FILE: &str = "upstream-refs.json";

/// What was seen of the repositories that actions come from.
#[derive(Debug, Clone, Default)]
pub struct PinsLock {
    /// The path of the file, as it is shown.
    pub path: String,
    /// By `owner/name` in lower case.
    pub repositories: BTreeMap<String, Upstream>,
}

/// What was seen of one repository.
#[derive(Debug, Clone)]
pub struct Upstream {
    /// `owner/name` as it is written.
    pub name: String,
    /// Where the lock speaks of it first.
    pub at: Span,
    /// The date on which it was looked at, as `2026-08-18`.
    pub seen: Option<String>,
    /// Whether a tag that is not listed does not exist.
    pub all_tags: bool,
    /// Whether a commit that is not listed does not exist.
    pub all_objects: bool,
    /// Tags by name.
    pub tags: BTreeMap<String, Tag>,
    /// Branches by name, with the commit at their tip.
    pub branches: BTreeMap<String, String>,
    /// The commits that lie on a branch, as far as pins need them; `None` when nobody looked.
    pub branch_commits: Option<BTreeSet<String>>,
    /// Commits that a ref pointed at before it was moved.
    pub former_commits: BTreeSet<String>,
    /// The name under which the repository lives now.
    pub moved_to: Option<String>,
}

/// A tag.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tag {
    /// The commit that it leads to, in lower case.
    pub commit: String,
    /// The id of the tag object, for an annotated tag.
    pub tag_object: Option<String>,
    /// The date of the commit, as `2026-08-18`.
    pub date: Option<String>,
    /// Where the lock says it.
    pub at: Span,
}

impl Upstream {
    /// A repository of which nothing is known yet.
    #[must_use]
    pub fn named(name: &str, at: Span) -> Self {
        Self {
            name: name.to_owned(),
            at,
            seen: None,
            all_tags: false,
            all_objects: false,
            tags: BTreeMap::new(),
            branches: BTreeMap::new(),
            branch_commits: None,
            former_commits: BTreeSet::new(),
            moved_to: None,
        }
    }
}

impl PinsLock {
    /// What was seen of `repository`; names know no case.
    #[must_use]
    pub fn upstream(&self, repository: &str) -> Option<&Upstream> {
        self.repositories.get(&repository.to_ascii_lowercase())
    }

    /// The folder that the lock lies in: it speaks of the workflows at or below it.
    #[must_use]
    pub fn folder(&self) -> &str {
        self.path.rsplit_once('/').map_or("", |(folder, _)| folder)
    }

    /// Another repository whose tags know this commit or tag object.
    #[must_use]
    pub fn elsewhere(&self, repository: &str, id: &str) -> Option<&str> {
        let own = repository.to_ascii_lowercase();
        let others = self.repositories.iter().filter(|(name, _)| **name != own);
        others
            .filter(|(_, other)| {
                let mut tags = other.tags.values();
                tags.any(|tag| tag.commit == id || tag.tag_object.as_deref() == Some(id))
            })
            .map(|(_, other)| other.name.as_str())
            .next()
    }
}

/// Whether `id` is a full object id.
#[must_use]
pub fn is_object_id(id: &str) -> bool {
    id.len() == 40 && id.bytes().all(|digit| digit.is_ascii_hexdigit())
}
