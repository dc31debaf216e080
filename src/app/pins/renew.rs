//! A newer look at a repository, taken into what the lock knew before.

use std::collections::BTreeSet;

use crate::model::pins::{Tag, Upstream};
use crate::ports::Seen;
use crate::text::Span;

impl Upstream {
    /// What is known after a newer look, and the tags that have moved: their former commits are kept, for pins to them are
    /// real, though nothing may lead to them any more.
    pub(super) fn renewed(self, newer: Self) -> (Self, Vec<String>) {
        let mut former = self.former_commits;
        former.extend(newer.former_commits.iter().cloned());
        let mut moved = Vec::new();
        for (name, tag) in &self.tags {
            let now = newer.tags.get(name);
            let gone = now.is_none() && newer.all_tags;
            if gone || now.is_some_and(|now| now.commit != tag.commit) {
                former.insert(tag.commit.clone());
                moved.push(name.clone());
            }
        }
        let mut tags = newer.tags;
        for (name, tag) in &mut tags {
            let before = self.tags.get(name).filter(|it| it.commit == tag.commit);
            let date = before.and_then(|before| before.date.clone());
            tag.date = tag.date.take().max(date);
        }
        let mut branches = newer.branches;
        if !newer.all_tags {
            for (name, tag) in self.tags {
                tags.entry(name).or_insert(tag);
            }
            for (name, commit) in self.branches {
                branches.entry(name).or_insert(commit);
            }
        }
        let merged = Self {
            all_tags: newer.all_tags || self.all_tags,
            seen: newer.seen.or(self.seen),
            branch_commits: newer.branch_commits.or(self.branch_commits),
            moved_to: newer.moved_to.or(self.moved_to),
            former_commits: former,
            tags,
            branches,
            name: newer.name,
            at: newer.at,
            all_objects: newer.all_objects,
        };
        (merged, moved)
    }

    /// What a look shows. Of branches, the lock keeps which of the pinned commits lie on one: their tips are old tomorrow.
    pub(super) fn of_look(name: &str, seen: &Seen, at: Span, day: &str) -> Self {
        let mut upstream = Self::named(name, at);
        upstream.all_tags = true;
        upstream.seen = Some(day.to_owned());
        upstream.moved_to.clone_from(&seen.moved_to);
        let on_branch: BTreeSet<String> = seen.on_branch.clone();
        upstream.branch_commits = Some(on_branch);
        for tag in &seen.tags {
            let found = Tag {
                commit: tag.commit.clone(),
                tag_object: tag.tag_object.clone(),
                date: (!tag.date.is_empty()).then(|| tag.date.clone()),
                at,
            };
            upstream.tags.insert(tag.name.clone(), found);
        }
        upstream
    }
}
