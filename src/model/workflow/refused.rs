//! What GitHub refuses beyond the shape of single values: names, expressions, and how jobs hang together.
//!
//! Sources: GitHub Docs, "Workflow syntax for GitHub Actions", "Events that trigger workflows", "Evaluate expressions in
//! workflows and actions".

use std::collections::BTreeSet;

use crate::syntax::{Entry, Node, yaml};
use crate::text::{Text, nearest};

use super::reader::Reader;
use super::{Expression, Job, Malformed, embedded};

/// The events that start workflows.
const EVENTS: [&str; 38] = [
    "branch_protection_rule",
    "check_run",
    "check_suite",
    "create",
    "delete",
    "deployment",
    "deployment_status",
    "discussion",
    "discussion_comment",
    "fork",
    "gollum",
    "image_version",
    "issue_comment",
    "issues",
    "label",
    "merge_group",
    "milestone",
    "page_build",
    "project",
    "project_card",
    "project_column",
    "public",
    "pull_request",
    "pull_request_comment",
    "pull_request_review",
    "pull_request_review_comment",
    "pull_request_target",
    "push",
    "registry_package",
    "release",
    "repository_dispatch",
    "repository_ruleset",
    "schedule",
    "status",
    "watch",
    "workflow_call",
    "workflow_dispatch",
    "workflow_run",
];

const FUNCTIONS: [&str; 13] = [
    "always",
    "cancelled",
    "case",
    "contains",
    "endswith",
    "failure",
    "format",
    "fromjson",
    "hashfiles",
    "join",
    "startswith",
    "success",
    "tojson",
];

const CONTEXTS: [&str; 12] = [
    "env", "github", "inputs", "job", "jobs", "matrix", "needs", "runner", "secrets", "steps",
    "strategy", "vars",
];

impl Reader<'_> {
    fn refuse(&mut self, text: &Text, reason: String) {
        self.malformed.push(Malformed {
            at: text.span(),
            reason,
        });
    }

    /// An event that there is not.
    pub(super) fn event(&mut self, name: &Text) {
        let written = name.as_str();
        if EVENTS.contains(&written) || written.contains("${{") {
            return;
        }
        let meant = nearest(written, EVENTS.iter().copied()).map_or_else(
            || "events are for example `push`, `pull_request` and `workflow_dispatch`".to_owned(),
            |meant| format!("it may be meant as `{meant}`"),
        );
        self.refuse(
            name,
            format!("`{written}` is no event that starts a workflow; {meant}"),
        );
    }

    /// An id that cannot be one.
    pub(super) fn id(&mut self, id: &Text, whose: &str) {
        let written = id.as_str();
        let mut letters = written.chars();
        let begins = letters
            .next()
            .is_some_and(|first| first.is_ascii_alphabetic() || first == '_');
        let goes_on = letters.all(|one| one.is_ascii_alphanumeric() || matches!(one, '_' | '-'));
        if !(begins && goes_on) && written != "<<" {
            self.refuse(
                id,
                format!(
                    "`{written}` is no id of a {whose}, which begins with a letter or `_` and goes on with letters, digits, `-` or `_`"
                ),
            );
        }
    }

    /// Ids that are there twice; they know no case.
    pub(super) fn ids<'t>(&mut self, ids: impl Iterator<Item = &'t Text>, whose: &str) {
        let mut seen: BTreeSet<String> = BTreeSet::new();
        for id in ids {
            self.id(id, whose);
            if !seen.insert(id.as_str().to_ascii_lowercase()) {
                let reason = format!(
                    "the id `{}` is there twice: ids of a {whose} know no case",
                    id.as_str()
                );
                self.refuse(id, reason);
            }
        }
    }

    /// `timeout-minutes` that is neither a number nor an expression.
    pub(super) fn minutes(&mut self, value: &Node) -> Option<Text> {
        let text = self.string(value, "`timeout-minutes`")?;
        let written = text.as_str().trim();
        let is_number = written.parse::<f64>().is_ok_and(|number| number > 0.0);
        if !is_number && !written.contains("${{") {
            let reason = format!("`timeout-minutes` is `{written}`, but must be a number above 0");
            self.refuse(&text, reason);
        }
        Some(text)
    }

    /// Jobs that wait for themselves, by way of others or at once.
    pub(super) fn cycles(&mut self, jobs: &[Job]) {
        let named = |name: &Text| {
            let is_it = |job: &&Job| job.id.as_str().eq_ignore_ascii_case(name.as_str());
            jobs.iter().find(is_it)
        };
        for job in jobs {
            let mut seen = BTreeSet::new();
            let mut open: Vec<&Job> = job.needs.iter().filter_map(named).collect();
            while let Some(next) = open.pop() {
                if next.id.span() == job.id.span() {
                    let reason = format!(
                        "`{}` waits for itself: what it needs needs it, so that none of them ever starts",
                        job.id.as_str()
                    );
                    if let Some(needed) = job.needs.first() {
                        self.refuse(needed, reason);
                    }
                    break;
                }
                if seen.insert(next.id.span()) {
                    open.extend(next.needs.iter().filter_map(named));
                }
            }
        }
    }

    /// Expressions that GitHub cannot read, in every text at or below `node`.
    pub(super) fn expressions(&mut self, node: &Node) {
        let mut open = vec![node];
        while let Some(next) = open.pop() {
            if let Some(text) = next.as_text() {
                self.embedded(text);
            }
            open.extend(next.as_list().unwrap_or_default().iter().rev());
            let entries = next.as_map().unwrap_or_default().iter().rev();
            open.extend(entries.map(|entry| &entry.value));
        }
    }

    /// The same in those parts of a workflow in which GitHub looks for expressions.
    pub(super) fn expressions_of_workflow(&mut self, entries: &[Entry]) {
        for entry in entries {
            match entry.key.as_str() {
                "run-name" | "env" | "concurrency" | "defaults" | "jobs" => {
                    self.expressions(&entry.value);
                }
                _ => {}
            }
        }
    }

    fn embedded(&mut self, text: &Text) {
        let written = text.as_str();
        if !written.contains("${{") {
            return;
        }
        for part in embedded(written) {
            let inner = written.get(part.inner.clone()).unwrap_or_default();
            let reason = if part.closed {
                fault(inner)
            } else {
                Some(format!(
                    "`${{{{` opens an expression that no `}}}}` ends: `{}`",
                    short(inner)
                ))
            };
            self.malformed.extend(reason.map(|reason| Malformed {
                at: text.span_of(part.whole.clone()),
                reason,
            }));
        }
    }

    /// A condition, which is an expression without its marks too.
    pub(super) fn condition(&mut self, value: &Node) -> Option<Text> {
        let text = self.string(value, "`if`")?;
        let written = text.as_str();
        if !written.contains("${{")
            && yaml::as_written(value).is_some()
            && let Some(reason) = fault(written)
        {
            self.refuse(&text, reason);
        }
        Some(text)
    }
}

/// Why GitHub cannot evaluate an expression, which is written without its marks.
fn fault(inner: &str) -> Option<String> {
    let Some(read) = Expression::read(inner) else {
        return Some(format!(
            "`{}` is no expression that GitHub could evaluate{}",
            short(inner),
            hint(inner)
        ));
    };
    let strange = read.calls().into_iter().find_map(|name| {
        let known = FUNCTIONS.contains(&name);
        (!known).then(|| format!("`{name}` is no function of GitHub's expressions"))
    });
    let unnamed = || {
        read.references().into_iter().find_map(|path| {
            let context = path.split('.').next().unwrap_or(path);
            let known = context.is_empty() || CONTEXTS.contains(&context);
            (!known).then(|| {
                format!("`{context}` is no context of GitHub's expressions; a text stands in single quotes")
            })
        })
    };
    strange.or_else(unnamed)
}

/// What is mostly meant.
fn hint(inner: &str) -> &'static str {
    let outside: String = inner.split('\'').step_by(2).collect();
    let single = |sign: char, partners: &str| {
        let letters: Vec<char> = outside.chars().collect();
        let at = |place: usize| letters.get(place).copied().unwrap_or(' ');
        (0..letters.len()).any(|place| {
            let before = place.checked_sub(1).map_or(' ', at);
            at(place) == sign && !partners.contains(before) && at(place + 1) != sign
        })
    };
    if inner.trim().is_empty() {
        ": it is empty"
    } else if outside.contains('"') {
        ": a text stands in single quotes"
    } else if single('=', "=!<>") {
        ": what is equal is compared with `==`"
    } else if single('&', "&") || single('|', "|") {
        ": conditions are joined by `&&` and `||`"
    } else {
        ""
    }
}

/// The beginning of a long text, on one line.
fn short(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut letters = line.chars();
    let start: String = letters.by_ref().take(MAX_SHOWN).collect();
    if letters.next().is_some() {
        format!("{start}…")
    } else {
        start
    }
}

/// How many characters of an expression are shown.
const MAX_SHOWN: usize = 80;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_expression_that_github_refuses_is_told_with_what_is_meant() {
        for (text, wanted) in [
            ("github.ref = 'x'", "`==`"),
            ("github.ref == \"x\"", "single quotes"),
            ("a & b", "`&&`"),
            ("", "empty"),
            ("github.ref ==", "no expression"),
            ("lower(github.ref)", "no function"),
            ("main == github.ref", "no context"),
        ] {
            assert!(fault(text).unwrap().contains(wanted), "{text}");
        }
        for text in [
            "github.ref == 'a = b'",
            "github.run_id >= 5 && !cancelled()",
            "fromJSON(toJSON(github)).ref != ''",
            "success() || failure()",
            "1 <= 2",
            "true",
        ] {
            assert_eq!(fault(text), None, "{text}");
        }
    }
}
