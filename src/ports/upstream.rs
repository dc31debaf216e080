//! The repositories that actions come from, as far as locks need them.

use std::collections::{BTreeMap, BTreeSet};

/// Where refs are looked up.
pub trait UpstreamRepositories {
    /// What is seen of `owner/name`, and of these commits in it.
    ///
    /// # Errors
    /// Why it could not be looked at, in words; nothing is known of any further repository then either.
    fn look(&self, repository: &str, commits: &[String]) -> Result<Look, String>;

    /// The latest of the days on which a tag of `owner/name` was made, by whoever says one: `2026-08-18`; `None` where
    /// nobody does.
    ///
    /// # Errors
    /// Why it could not be asked, in words.
    fn day_of(&self, repository: &str, tag: &SeenTag) -> Result<Option<String>, String>;
}

/// What comes of a look.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Look {
    /// The repository is there.
    Seen(Box<Seen>),
    /// It is not at hand, and why.
    Absent(String),
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
    /// Those that are tag objects and no commits, with the commit that each points at.
    pub tag_objects: BTreeMap<String, String>,
    /// Those of which it remains open whether anything leads to them, and why.
    pub open: BTreeMap<String, String>,
    /// The name under which it lives now, if that is another.
    pub moved_to: Option<String>,
}

impl Seen {
    /// Whether a branch or a tag leads to this commit; `None` where that remains open.
    #[must_use]
    pub fn leads_to(&self, commit: &str) -> Option<bool> {
        let leads = self.on_branch.contains(commit)
            || self.on_tag.contains(commit)
            || self.tag_objects.contains_key(commit);
        (leads || !self.open.contains_key(commit)).then_some(leads)
    }
}

/// A tag as it is seen.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SeenTag {
    /// Its name.
    pub name: String,
    /// The commit.
    pub commit: String,
    /// The tag object, for an annotated tag.
    pub tag_object: Option<String>,
    /// What [`UpstreamRepositories::day_of`] says, where that is known already; else empty.
    pub date: String,
}
