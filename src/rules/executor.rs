//! The program that the workflow checks and runs, and whether it is what is committed with it (sha256sum(1)).

use crate::diag::Severity;
use crate::model::git_index::Tracked;
use crate::model::spec::{EXECUTOR, EXECUTOR_SUM};

/// The program that the workflow checks and runs, as far as it is there.
#[derive(Debug, Default)]
pub struct Executor {
    /// SHA-256 of its bytes, in lower-case hexadecimal digits; `None` when it is not there.
    pub sha256: Option<String>,
    /// The list for `sha256sum --check`; `None` when it is not there.
    pub sum: Option<String>,
    /// Whether one of the two is there and could not be read.
    pub unreadable: bool,
    /// Whether it begins as what Linux can run: an ELF file, or a script that says by what.
    pub can_start: bool,
    /// What git's index says of the program and of its sum, or why it says nothing; `None` where there is no repository.
    pub tracked: Option<Result<[Tracked; 2], String>>,
}

impl Executor {
    /// What is wrong with it: a note where neither it nor its sum is there, else an error. `None` for all well.
    #[must_use]
    pub fn fault(&self) -> Option<(Severity, String)> {
        Some(match (&self.sha256, &self.sum) {
            (None, None) => (
                Severity::Note,
                format!("`{EXECUTOR}`, which the workflow runs, is not there"),
            ),
            (None, Some(_)) => (
                Severity::Error,
                format!("`{EXECUTOR_SUM}` is there, and `{EXECUTOR}`, whose sum it holds, is not"),
            ),
            (Some(_), None) => (
                Severity::Error,
                format!(
                    "`{EXECUTOR}` is there, and its sum, `{EXECUTOR_SUM}`, is not: the check before it fails"
                ),
            ),
            (Some(sha256), Some(sum)) => match wrong(sha256, sum) {
                Some(message) => (Severity::Error, message),
                None if !self.can_start => (
                    Severity::Error,
                    format!(
                        "`{EXECUTOR}` is no program: it begins neither as an ELF file nor with `#!`"
                    ),
                ),
                None => return None,
            },
        })
    }
}

/// What `sha256sum --check --strict` would have against the list, or what it would not look at.
fn wrong(sha256: &str, sum: &str) -> Option<String> {
    let mut is_named = false;
    for line in sum.lines() {
        // Behind the sum stands a space for text, or an asterisk for bytes.
        let entry = line
            .split_once("  ")
            .or_else(|| line.split_once(" *"))
            .filter(|(sum, _)| sum.len() == 64 && sum.bytes().all(|byte| byte.is_ascii_hexdigit()));
        let Some((noted, path)) = entry else {
            return Some(format!(
                "a line of `{EXECUTOR_SUM}` is none of `sha256sum`: `{line}`"
            ));
        };
        if path.strip_prefix("./").unwrap_or(path) != EXECUTOR {
            continue;
        }
        if !noted.eq_ignore_ascii_case(sha256) {
            return Some(format!(
                "`{EXECUTOR}` is not the program whose sum is committed: it has `{sha256}`, and `{EXECUTOR_SUM}` says `{noted}`"
            ));
        }
        is_named = true;
    }
    (!is_named).then(|| {
        format!("`{EXECUTOR_SUM}` holds no sum of `{EXECUTOR}`, so that nothing checks the program")
    })
}
