//! Facts that lie beside what is checked: the lock of upstream refs.

use crate::model::pins::{LOCK_FILE, PinsLock, REFS_FILE};
use crate::text::FileId;

use super::load::Loaded;

/// Whether a file of this name holds facts and nothing that is judged itself.
pub(super) fn is_facts(path: &str) -> bool {
    matches!(name_of(path), LOCK_FILE | REFS_FILE)
}

fn name_of(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

impl Loaded {
    /// Takes facts in.
    pub(super) fn take_facts(&mut self, file: FileId, path: &str) {
        let Some(text) = self.sources.text(file) else {
            return;
        };
        let (lock, faults) = if name_of(path) == LOCK_FILE {
            PinsLock::read_toml(path, &text)
        } else {
            PinsLock::read_json(path, &text)
        };
        for fault in faults {
            self.unread(file, Some(fault.at), fault.reason);
        }
        self.workspace.locks.push(lock);
    }
}
