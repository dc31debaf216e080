//! A `pointsman.toml` without a deployment: `[[allow]]` tables alone, for those who only use the lint.

use crate::diag::Finding;
use crate::syntax::{Node, pointer, toml};
use crate::text::{Span, Text};

use super::Allow;
use super::amend;
use super::ids;
use super::read::{json, place};

/// The settings of the lint.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Findings that are meant as they are.
    pub allow: Vec<Allow>,
    root: Node,
}

impl Settings {
    /// Reads the settings; `None` for a file that has any other table, or cannot be read: that is a spec, right or wrong.
    #[must_use]
    pub fn read(text: &Text) -> Option<Result<Self, Vec<Finding>>> {
        let parsed = toml::read(text);
        let root = parsed.documents.into_iter().next()?;
        let entries = root.as_map().filter(|_| parsed.faults.is_empty())?;
        let only_allow = entries.iter().all(|entry| entry.key.as_str() == ALLOW);
        if entries.is_empty() || !only_allow {
            return None;
        }
        let mut findings = Vec::new();
        let amended = amend::validate(&root, json(&root), &mut findings);
        // No deployment is given, so none of its keys is missing.
        let of_the_deployment = |finding: &Finding| {
            finding.rule == ids::MISSING_KEY && finding.pointer.as_deref() == Some("")
        };
        findings.retain(|finding| !of_the_deployment(finding));
        if !findings.is_empty() {
            return Some(Err(findings));
        }
        let list = amended.value.get(ALLOW).cloned().unwrap_or_default();
        let allow = serde_json::from_value(list).unwrap_or_default();
        Some(Ok(Self { allow, root }))
    }

    /// The same settings, read from another folder than the working directory.
    #[must_use]
    pub fn in_folder(mut self, folder: &str) -> Self {
        for allow in &mut self.allow {
            allow.path = format!("{folder}{}", allow.path);
        }
        self
    }

    /// The bytes of the value that `pointer` leads to.
    #[must_use]
    pub fn at(&self, pointer: &str) -> Span {
        place(&self.root, pointer)
    }

    /// The bytes of the rule of the entry `index`.
    #[must_use]
    pub fn at_entry(&self, index: usize) -> Span {
        let entry = pointer::join(&pointer::join("", ALLOW), index);
        self.at(&pointer::join(&entry, "rule"))
    }
}

const ALLOW: &str = "allow";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::SourceMap;

    fn read(input: &str) -> Option<Result<Settings, Vec<Finding>>> {
        let mut sources = SourceMap::default();
        let file = sources.add("pointsman.toml", input);
        Settings::read(&sources.text(file)?)
    }

    #[test]
    fn a_file_of_suppressions_alone_needs_no_deployment() {
        let settings = read("[[allow]]\nrule = \"a\"\npath = \"b\"\nreason = \"c\"\n");
        assert_eq!(settings.unwrap().unwrap().allow.len(), 1);
    }

    #[test]
    fn what_is_wrong_with_an_entry_is_told_and_nothing_else() {
        let findings = read("[[allow]]\nrule = \"a\"\npath = \"b\"\nraeson = \"c\"\n")
            .unwrap()
            .unwrap_err();
        let rules: Vec<&str> = findings.iter().map(|finding| finding.rule).collect();
        assert_eq!(rules, ["spec-unknown-key"]);
    }

    #[test]
    fn a_file_with_another_table_is_a_spec() {
        assert!(read("[zone]\nid = \"Z1\"\n").is_none());
        assert!(read("").is_none());
        assert!(read("[[allow").is_none());
    }
}
