//! The policy rules against the project's own lint cases: each document gives exactly its set of findings.
//!
//! A case names findings by code, which is the rule's id in upper case with underscores.

use std::collections::{BTreeMap, BTreeSet};

use pointsman::check::Options;
use pointsman::model::policy::PolicyKind;
use pointsman::rules;
use serde::Deserialize;
use serde_json::Value;

use crate::deployment::run;

#[derive(Deserialize)]
struct Case {
    id: String,
    policy_kind: String,
    document: Value,
    expected: Expected,
}

#[derive(Deserialize)]
struct Expected {
    codes: BTreeSet<String>,
}

impl Case {
    fn all() -> Result<Vec<Self>, serde_json::Error> {
        serde_json::from_str(include_str!("data/iam_lint_own.json"))
    }

    fn text(&self) -> String {
        self.document
            .as_str()
            .map_or_else(|| self.document.to_string(), str::to_owned)
    }

    fn found(&self) -> BTreeSet<String> {
        let kind = PolicyKind::WORDS
            .iter()
            .find(|(word, _)| *word == self.policy_kind)
            .map(|(_, kind)| *kind);
        let options = Options {
            policy_kind: kind,
            ..Options::default()
        };
        let ran = run(&[("policy.json", &self.text())], options);
        ran.findings()
            .map(|(finding, ..)| code(finding.rule))
            .collect()
    }
}

fn code(rule: &str) -> String {
    rule.to_ascii_uppercase().replace('-', "_")
}

#[test]
fn every_document_gives_exactly_its_codes() {
    let mut wrong = Vec::new();
    for case in Case::all().unwrap() {
        let found = case.found();
        if found != case.expected.codes {
            wrong.push((case.id, found, case.expected.codes));
        }
    }
    assert!(wrong.is_empty(), "(case, found, expected): {wrong:#?}");
}

#[test]
fn every_rule_has_the_severity_of_the_table() {
    let table: BTreeMap<String, String> =
        serde_json::from_str(include_str!("data/iam_severities.json")).unwrap();
    for (code, words) in &table {
        let rule = rules::find(code).unwrap_or_else(|| panic!("no rule for {code}"));
        let first = words.split(';').next();
        assert_eq!(Some(rule.severity.word()), first, "{code}");
    }
}
