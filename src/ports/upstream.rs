//! The repositories that actions come from, as far as locks need them.

use std::collections::BTreeSet;

/// Where refs are looked up.
pub trait UpstreamRepositories {
    /// What is seen of `owner/name`, and of these commits in it; `None` where this repository is not at hand.
    ///
    /// # Errors
    /// Why it could not be looked at, in words.
    fn look(&self, repository: &str, commits: &[String]) -> Result<Option<Seen>, String>;
}

/// What is seen of a repository.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Seen {
    /// All its tags.
    pub tags: Vec<SeenTag>,
    /// All its branches, with the commit at their tip.
    pub branches: Vec<(String, String)>,
    /// Those of the commits that were asked for that a branch leads to.
    pub on_branch: BTreeSet<String>,
    /// Those that a tag leads to.
    pub on_tag: BTreeSet<String>,
}

/// A tag as it is seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeenTag {
    /// Its name.
    pub name: String,
    /// The commit.
    pub commit: String,
    /// The tag object, for an annotated tag.
    pub tag_object: Option<String>,
    /// The later of the days on which tag and commit were made, by their own word: `2026-08-18`.
    pub date: String,
}
