//! Rules over pins: what a commit id behind an action's name is, and whether its comment says the truth, as far as the
//! lock of upstream refs knows it.

use crate::model::pins::{PinStanding, PinsLock, Upstream};
use crate::model::workflow::{RefClass, Uses};

use super::{Rule, Workspace};

mod comment;
mod pin_comment_malformed;
mod pin_comment_mismatch;
mod pin_comment_missing;
mod pin_comment_moving_tag;
mod pin_comment_style;
mod pin_commit_unknown;
mod pin_commit_unreachable;
mod pin_commit_uppercase;
mod pin_is_tag_object;
mod pin_repository_moved;

/// The rules of this family, in alphabetical order.
pub const RULES: &[&Rule] = &[
    &pin_comment_malformed::RULE,
    &pin_comment_mismatch::RULE,
    &pin_comment_missing::RULE,
    &pin_comment_moving_tag::RULE,
    &pin_comment_style::RULE,
    &pin_commit_unknown::RULE,
    &pin_commit_unreachable::RULE,
    &pin_commit_uppercase::RULE,
    &pin_is_tag_object::RULE,
    &pin_repository_moved::RULE,
];

/// A `uses` that names a full commit id.
struct Pin<'a> {
    uses: &'a Uses,
    /// `owner/name` as it is written.
    repository: String,
    /// The id, in lower case.
    commit: String,
    lock: Option<&'a PinsLock>,
}

impl<'a> Pin<'a> {
    fn of(uses: &'a Uses, lock: Option<&'a PinsLock>) -> Option<Self> {
        if uses.ref_class() != Some(RefClass::Commit) {
            return None;
        }
        Some(Self {
            uses,
            repository: uses.repository()?,
            commit: uses.reference()?.to_ascii_lowercase(),
            lock,
        })
    }

    fn upstream(&self) -> Option<&'a Upstream> {
        self.lock?.upstream(&self.repository)
    }

    fn standing(&self) -> Option<PinStanding<'a>> {
        self.lock?.standing(&self.repository, &self.commit)
    }

    /// The first digits of the id, which are enough for a reader.
    fn short(&self) -> &str {
        self.commit.get(..8).unwrap_or(&self.commit)
    }
}

/// Every pin of the workspace with the lock that speaks of it.
fn pins(workspace: &Workspace) -> impl Iterator<Item = Pin<'_>> {
    workspace.step_files().flat_map(|file| {
        let lock = workspace.lock_of(file.path());
        let uses = file.uses().into_iter();
        uses.filter_map(move |uses| Pin::of(uses, lock))
    })
}

/// Whether a lock says which tag a pin is, so that its comment needs no other comment to be judged by.
pub(super) fn is_decided_by_lock(uses: &Uses, workspace: &Workspace, path: &str) -> bool {
    let pin = Pin::of(uses, workspace.lock_of(path));
    pin.is_some_and(|pin| {
        let standing = pin.standing();
        standing.is_some_and(|standing| standing != PinStanding::Open)
    })
}
