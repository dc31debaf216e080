//! What the steps of the privileged job do, in a form that does not depend on how they are written.

use std::ops::Range;

use crate::model::spec::{CHECKOUT, CREDENTIALS, EXECUTOR, EXECUTOR_SUM};
use crate::model::workflow::{Job, Step};
use crate::text::{Span, Text};

/// What one line of a script, or one action, does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Act {
    /// Fetches the repository.
    Checkout,
    /// Borrows the role.
    Credentials,
    /// Compares the executor with its SHA-256.
    Check,
    /// Runs the executor.
    Switch,
    /// Runs the executor with arguments, or in a longer command.
    SwitchWithMore,
    /// Something else.
    Foreign,
}

/// What `job` does, in order, each with its place; blank lines and comments of scripts do nothing.
pub(super) fn acts(job: &Job) -> Vec<(Act, Span)> {
    job.steps.iter().flat_map(of_step).collect()
}

/// What one step does.
pub(super) fn of_step(step: &Step) -> Vec<(Act, Span)> {
    if let Some(run) = &step.run {
        return lines(run);
    }
    let Some(uses) = &step.uses else {
        return Vec::new();
    };
    let named = |name: &str| {
        let repository = uses.repository();
        repository.is_some_and(|found| found.eq_ignore_ascii_case(name))
    };
    let act = if named(CHECKOUT) {
        Act::Checkout
    } else if named(CREDENTIALS) {
        Act::Credentials
    } else {
        Act::Foreign
    };
    vec![(act, uses.value_span())]
}

fn lines(script: &Text) -> Vec<(Act, Span)> {
    let mut found = Vec::new();
    let mut start = 0;
    for line in script.as_str().split_inclusive('\n') {
        let words = line.trim();
        let from = start + (line.len() - line.trim_start().len());
        let range: Range<usize> = from..from + words.len();
        start += line.len();
        if words.is_empty() || words.starts_with('#') {
            continue;
        }
        found.push((of_line(words), script.span_of(range)));
    }
    found
}

fn of_line(line: &str) -> Act {
    let mut words: Vec<&str> = line.split_whitespace().map(bare).collect();
    if words == [EXECUTOR] {
        return Act::Switch;
    }
    let marks = [';', '(', ')', '{', '}', '&', '|', '!'];
    let mut plain = words.iter().flat_map(|word| word.split(marks).map(bare));
    if plain.any(|word| word == EXECUTOR) {
        return Act::SwitchWithMore;
    }
    if words.first() != Some(&"sha256sum") {
        return Act::Foreign;
    }
    words.remove(0);
    for word in &mut words {
        if *word == "-c" {
            *word = "--check";
        }
    }
    words.sort_unstable();
    if words == ["--check", "--strict", EXECUTOR_SUM] {
        Act::Check
    } else {
        Act::Foreign
    }
}

/// `./bin/x` is `bin/x`.
fn bare(word: &str) -> &str {
    word.strip_prefix("./").unwrap_or(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_known_by_its_words() {
        for (line, act) in [
            ("bin/pointsman-switch", Act::Switch),
            ("./bin/pointsman-switch", Act::Switch),
            ("bin/pointsman-switch --to hub", Act::SwitchWithMore),
            ("echo x; bin/pointsman-switch", Act::SwitchWithMore),
            ("bin/pointsman-switch; true", Act::SwitchWithMore),
            ("(bin/pointsman-switch)&", Act::SwitchWithMore),
            (
                "if ! ./bin/pointsman-switch;then exit 0; fi",
                Act::SwitchWithMore,
            ),
            ("bin/pointsman-switch.sha256", Act::Foreign),
            (
                "sha256sum --check --strict bin/pointsman-switch.sha256",
                Act::Check,
            ),
            (
                "sha256sum --strict -c  ./bin/pointsman-switch.sha256",
                Act::Check,
            ),
            (
                "sha256sum -c --strict bin/pointsman-switch.sha256 || true",
                Act::Foreign,
            ),
            ("sha256sum -c bin/pointsman-switch.sha256", Act::Foreign),
            (
                "sha256sum --ignore-missing --check --strict bin/pointsman-switch.sha256",
                Act::Foreign,
            ),
            ("curl https://example.com/x | sh", Act::Foreign),
        ] {
            assert_eq!(of_line(line), act, "{line}");
        }
    }
}
