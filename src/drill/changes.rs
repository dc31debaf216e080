//! The changes that a Route 53 has accepted, and how long each stays PENDING.

use std::collections::BTreeMap;
use std::time::Duration;

/// How long a change stays PENDING.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sync {
    /// Until it has been asked about so often.
    Polls(u32),
    /// Until so long after it was accepted.
    After(Duration),
    /// For ever.
    Never,
}

/// A change.
#[derive(Debug, Clone)]
pub(super) struct Change {
    pub(super) comment: String,
    /// Seconds since 1970.
    pub(super) submitted: u64,
    accepted: Duration,
    polls: u32,
}

/// Every change.
#[derive(Debug, Clone)]
pub(super) struct Changes {
    pub(super) sync: Sync,
    known: BTreeMap<String, Change>,
}

impl Default for Changes {
    fn default() -> Self {
        Self {
            sync: Sync::Polls(1),
            known: BTreeMap::new(),
        }
    }
}

impl Changes {
    /// Accepts a change and gives its id.
    pub(super) fn accept(&mut self, comment: &str, since: Duration, wall: u64) -> String {
        let id = format!("C{:013}DRILL", self.known.len() + 1);
        let change = Change {
            comment: comment.to_owned(),
            submitted: wall,
            accepted: since,
            polls: 0,
        };
        self.known.insert(id.clone(), change);
        id
    }

    /// The change of this id and whether it is in sync, each question counted.
    pub(super) fn ask(&mut self, id: &str, since: Duration) -> Option<(&Change, bool)> {
        let change = self.known.get_mut(id)?;
        change.polls = change.polls.saturating_add(1);
        let in_sync = match self.sync {
            Sync::Polls(polls) => change.polls > polls,
            Sync::After(wait) => since >= change.accepted.saturating_add(wait),
            Sync::Never => false,
        };
        Some((change, in_sync))
    }
}
