//! Which files `generate` wrote, and what it wrote: the mechanism by which a file of its own is told from one that a
//! person wrote or changed. JSON takes no comment, so one list speaks for all.
//!
//! The list is in the form of `sha256sum`: `sha256sum --check pointsman.lock` reads it.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use sha2::{Digest as _, Sha256};

/// Path of the list, beside the spec.
pub const LOCK_FILE: &str = "pointsman.lock";

const HEADER: &str =
    "# What `pointsman generate` last wrote, for `sha256sum --check`; keep it with the files.\n";

/// What was last written, by path.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Lock {
    entries: BTreeMap<String, String>,
}

impl Lock {
    /// Reads the list. A line that is none of ours is passed over: its file then counts as a person's, and is not
    /// overwritten.
    #[must_use]
    pub fn read(text: &str) -> Self {
        let entry = |line: &str| {
            let (hash, path) = line.split_once("  ")?;
            let is_hash = hash.len() == 64 && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
            (is_hash && !path.is_empty()).then(|| (path.to_owned(), hash.to_ascii_lowercase()))
        };
        Self {
            entries: text.lines().filter_map(entry).collect(),
        }
    }

    /// The list as text.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = HEADER.to_owned();
        for (path, hash) in &self.entries {
            let _ = writeln!(text, "{hash}  {path}");
        }
        text
    }

    /// Notes that `bytes` were written to `path`.
    pub fn note(&mut self, path: &str, bytes: &[u8]) {
        self.entries.insert(path.to_owned(), sha256(bytes));
    }

    /// Forgets a file.
    pub fn forget(&mut self, path: &str) {
        self.entries.remove(path);
    }

    /// Whether exactly these bytes were last written to `path`.
    #[must_use]
    pub fn wrote(&self, path: &str, bytes: &[u8]) -> bool {
        self.entries
            .get(path)
            .is_some_and(|noted| *noted == sha256(bytes))
    }

    /// All paths, sorted.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.entries.keys().map(String::as_str)
    }
}

/// SHA-256 of `bytes` in lower-case hexadecimal digits, as `sha256sum` writes it.
#[must_use]
pub fn sha256(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(64);
    for byte in Sha256::digest(bytes) {
        let _ = write!(text, "{byte:02x}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_changed_file_is_told_from_a_written_one() {
        let mut lock = Lock::default();
        lock.note("a b.json", b"one");
        let read = Lock::read(&lock.text());
        assert_eq!(read, lock);
        assert!(read.wrote("a b.json", b"one"));
        assert!(!read.wrote("a b.json", b"two"));
        assert!(!read.wrote("other", b"one"));
    }

    #[test]
    fn the_hash_is_sha_256() {
        let mut lock = Lock::default();
        lock.note("x", b"abc");
        let known = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad  x";
        assert!(lock.text().contains(known));
    }

    #[test]
    fn lines_that_are_not_ours_are_passed_over() {
        assert_eq!(Lock::read("<<<<<<< HEAD\nabc  x\n\n# y\n"), Lock::default());
    }
}
