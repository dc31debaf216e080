//! What a lock says of a pinned id.

use super::{PinsLock, Tag, Upstream, Version};

/// What a lock says of a pinned id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PinStanding<'a> {
    /// The commit that these tags lead to.
    Tagged(Vec<&'a str>),
    /// The tag object of this tag, which leads to another id, the commit.
    TagObject {
        /// The tag.
        tag: &'a str,
        /// The commit.
        commit: &'a str,
    },
    /// A commit of a branch.
    OnBranch,
    /// A commit that a ref pointed at before, and that no ref leads to now.
    Former,
    /// No commit of this repository.
    Absent {
        /// Whether all its objects are known; else no branch and no tag leads to it.
        certain: bool,
        /// The repository that has it.
        elsewhere: Option<&'a str>,
    },
    /// The lock does not know.
    Open,
}

impl PinsLock {
    /// What this lock says of `id`, a full object id, in `repository`; `None` for a repository that it does not list.
    #[must_use]
    pub fn standing(&self, repository: &str, id: &str) -> Option<PinStanding<'_>> {
        let upstream = self.upstream(repository)?;
        let id = id.to_ascii_lowercase();
        let tags = upstream.tags_at(&id);
        if !tags.is_empty() {
            return Some(PinStanding::Tagged(tags));
        }
        let object = |tag: &Tag| tag.tag_object.as_deref() == Some(id.as_str());
        if let Some((tag, found)) = upstream.tags.iter().find(|(_, tag)| object(tag)) {
            let commit = &found.commit;
            return Some(PinStanding::TagObject { tag, commit });
        }
        let at_tip = upstream.branches.values().any(|tip| *tip == id);
        let on_branch = upstream.branch_commits.as_ref();
        if at_tip || on_branch.is_some_and(|commits| commits.contains(&id)) {
            return Some(PinStanding::OnBranch);
        }
        if upstream.former_commits.contains(&id) {
            return Some(PinStanding::Former);
        }
        let all_refs = upstream.all_tags && on_branch.is_some();
        Some(if upstream.all_objects || all_refs {
            PinStanding::Absent {
                certain: upstream.all_objects,
                elsewhere: self.elsewhere(repository, &id),
            }
        } else {
            PinStanding::Open
        })
    }
}

impl Upstream {
    /// The tags that lead to `commit`, in lower case.
    #[must_use]
    pub fn tags_at(&self, commit: &str) -> Vec<&str> {
        let tags = self.tags.iter().filter(|(_, tag)| tag.commit == commit);
        tags.map(|(name, _)| name.as_str()).collect()
    }
}

/// Of several tags the one that says most: that with the most numbers, `v4.1.0` rather than `v4`.
#[must_use]
pub fn exact_tag<'a>(tags: &[&'a str]) -> Option<&'a str> {
    let exactness = |tag: &&&str| {
        let version = Version::parse(tag);
        let is_release = version
            .as_ref()
            .is_some_and(|version| !version.is_prerelease);
        let name = tag.rsplit('/').next().unwrap_or(tag);
        let dots = name.split('-').next().unwrap_or(name).matches('.').count();
        (
            is_release,
            dots,
            version.map(|version| version.numbers),
            tag.len(),
        )
    };
    tags.iter().max_by_key(exactness).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::SourceMap;

    fn lock(text: &str) -> Option<PinsLock> {
        let mut sources = SourceMap::default();
        let file = sources.add("pins.lock", text);
        let (lock, faults) = PinsLock::read_toml("pins.lock", &sources.text(file)?);
        faults.is_empty().then_some(lock)
    }

    #[test]
    fn of_several_tags_a_release_says_most() {
        assert_eq!(exact_tag(&["v1.5.0-rc.1", "v2", "v2.0.0"]), Some("v2.0.0"));
        assert_eq!(exact_tag(&["v4", "v4.1.0"]), Some("v4.1.0"));
        assert_eq!(exact_tag(&["nightly"]), Some("nightly"));
    }

    #[test]
    fn what_is_not_said_of_a_repository_is_open() {
        let a = "a".repeat(40);
        let b = "b".repeat(40);
        let one =
            format!("version = 1\n[[ref]]\nrepository = \"x/y\"\nref = \"v1\"\ncommit = \"{a}\"\n");
        let some = lock(&one).unwrap();
        assert_eq!(some.standing("z/y", &a), None);
        assert_eq!(
            some.standing("X/Y", &a),
            Some(PinStanding::Tagged(vec!["v1"]))
        );
        assert_eq!(some.standing("x/y", &b), Some(PinStanding::Open));
        let all = format!("{one}[[repository]]\nname = \"x/y\"\ntags = \"all\"\n");
        assert_eq!(
            lock(&all).unwrap().standing("x/y", &b),
            Some(PinStanding::Open)
        );
        let branches = format!("{all}branch_commits = []\n");
        let absent = |certain| {
            Some(PinStanding::Absent {
                certain,
                elsewhere: None,
            })
        };
        assert_eq!(lock(&branches).unwrap().standing("x/y", &b), absent(false));
        let former = format!("{branches}former_commits = [\"{b}\"]\n");
        assert_eq!(
            lock(&former).unwrap().standing("x/y", &b),
            Some(PinStanding::Former)
        );
        let objects = format!("{all}objects = \"all\"\n");
        assert_eq!(lock(&objects).unwrap().standing("x/y", &b), absent(true));
    }

    #[test]
    fn the_tag_with_the_most_numbers_says_most() {
        assert_eq!(exact_tag(&["v6", "v6.4.0", "v6.4"]), Some("v6.4.0"));
        assert_eq!(exact_tag(&[]), None);
    }
}
