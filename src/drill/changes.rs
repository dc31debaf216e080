//! The changes that a Route 53 has accepted, and how long each stays PENDING.

use std::collections::BTreeMap;
use std::time::Duration;

/// The id of the change of this number. Those of AWS begin with `C` and go on with digits and capitals that nobody can foresee,
/// 14 to 21 in all; these are as different from each other, and the same in every rehearsal.
#[must_use]
pub fn change_id(number: usize) -> String {
    const LETTERS: &[u8; 36] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    let mut state = u64::try_from(number).unwrap_or(u64::MAX);
    let length = if number.is_multiple_of(2) { 20 } else { 13 };
    let mut id = "C".to_owned();
    for _ in 0..length {
        // A step of Knuth's linear congruential generator; its upper bits are the good ones.
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let at = usize::try_from((state >> 33) % 36).unwrap_or_default();
        id.push(LETTERS.get(at).copied().unwrap_or(b'Z').into());
    }
    id
}

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
        let id = change_id(self.known.len() + 1);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_as_different_as_those_of_aws() {
        let ids: Vec<String> = (1..=40).map(change_id).collect();
        let mut seconds: Vec<&str> = ids.iter().filter_map(|id| id.get(1..2)).collect();
        seconds.sort_unstable();
        seconds.dedup();
        assert!(seconds.len() > 15, "{seconds:?}");
        for id in &ids {
            assert!(id.starts_with('C') && [14, 21].contains(&id.len()), "{id}");
            let fits = |it: char| it.is_ascii_digit() || it.is_ascii_uppercase();
            assert!(id.chars().all(fits), "{id}");
        }
        assert_ne!(ids[0].get(1..2), ids[1].get(1..2));
    }
}
