//! The policy rules against what others say of the same documents, when the cases stand beside the repository: the answers
//! of `CreatePolicy`, which judge the grammar, and the findings of parliament 1.6.4, of which some are opinions.

#![expect(
    clippy::disallowed_methods,
    reason = "a test of the integration binary reads its own data"
)]

use std::path::Path;

use pointsman::check::Options;
use pointsman::diag::{Finding, Severity};
use pointsman::model::policy::PolicyKind;
use serde::Deserialize;
use serde_json::Value;

use crate::deployment::run;

/// Rules about what a policy means or names; `CreatePolicy` takes what they find.
const NOT_GRAMMAR: [&str; 8] = [
    "allow-with-notaction",
    "invalid-condition-key-format",
    "invalid-service-condition-key",
    "r53-names-unrestricted",
    "r53-zone-unrestricted",
    "resource-mismatch",
    "unsupported-action-for-condition-key",
    "wildcard-without-like-operator",
];

#[derive(Deserialize)]
struct Case {
    id: String,
    group: String,
    policy_kind: String,
    document: Value,
    expected: Expected,
}

#[derive(Deserialize)]
struct Expected {
    valid: Option<bool>,
    #[serde(default)]
    parliament_ids: Vec<String>,
}

/// What is found in a document.
struct Found {
    findings: Vec<Finding>,
    unread: bool,
}

impl Found {
    fn has(&self, rule: &str) -> bool {
        rule == UNREAD && self.unread || self.findings.iter().any(|finding| finding.rule == rule)
    }
}

fn cases(group: &str) -> Option<Vec<Case>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/cases/iam/lint.json");
    let text = std::fs::read_to_string(path).ok()?;
    let all: Vec<Case> = serde_json::from_str(&text).ok()?;
    Some(all.into_iter().filter(|case| case.group == group).collect())
}

fn found(case: &Case) -> Found {
    let text = case
        .document
        .as_str()
        .map_or_else(|| case.document.to_string(), str::to_owned);
    let kind = PolicyKind::WORDS
        .iter()
        .find(|(word, _)| *word == case.policy_kind)
        .map(|(_, kind)| *kind);
    let options = Options {
        policy_kind: kind,
        ..Options::default()
    };
    let ran = run(&[("policies/policy.json", &text)], options);
    Found {
        findings: ran
            .findings()
            .map(|(finding, ..)| finding.clone())
            .collect(),
        unread: !ran.checked.outcome.unread.is_empty(),
    }
}

/// Whether it speaks of the grammar: an action of the right form that does not exist is none of its matters.
fn is_grammar(finding: &Finding) -> bool {
    let unknown = finding.rule == "invalid-action"
        && ["has no action", "matches no action"]
            .iter()
            .any(|words| finding.message.contains(words));
    finding.severity == Severity::Error && !NOT_GRAMMAR.contains(&finding.rule) && !unknown
}

#[test]
fn what_create_policy_refuses_is_an_error_and_what_it_takes_is_none() {
    let Some(cases) = cases("moto-create-policy") else {
        eprintln!("skipped: no cases beside the repository");
        return;
    };
    assert_eq!(cases.len(), 132);
    let mut wrong = Vec::new();
    for case in &cases {
        let found = found(case);
        let errors: Vec<&str> = found
            .findings
            .iter()
            .filter(|finding| is_grammar(finding))
            .map(|finding| finding.message.as_str())
            .collect();
        let valid = errors.is_empty() && !found.unread;
        if Some(valid) != case.expected.valid {
            wrong.push(format!("{}: {errors:?}", case.id));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// A document that could not be read.
const UNREAD: &str = "unread";

/// What parliament calls a finding, and which rules say it here; none for what is an opinion.
const PARLIAMENT: [(&str, &[&str]); 19] = [
    // An Allow of everything that a service has is what its author says it is.
    ("CREDENTIALS_EXPOSURE", &[]),
    ("PERMISSIONS_MANAGEMENT_ACTIONS", &[]),
    ("RESOURCE_EFFECTIVELY_STAR", &[]),
    ("RESOURCE_POLICY_PRIVILEGE_ESCALATION", &[]),
    ("RESOURCE_STAR", &[]),
    ("BAD_PATTERN_FOR_MFA", &[]),
    // Strings and ARNs compare alike.
    ("MISMATCHED_TYPE_BUT_USABLE", &[]),
    // A pattern of actions covers actions of several types; each resource is for some of them.
    ("RESOURCE_MISMATCH", &[]),
    ("DUPLICATE_SID", &["unique-sids-required"]),
    ("INVALID_ARN", &["invalid-arn", "malformed-policy"]),
    ("INVALID_SID", &["unsupported-sid"]),
    ("MALFORMED", &["malformed-policy", UNREAD]),
    ("MALFORMED_JSON", &[UNREAD]),
    (
        "MISMATCHED_TYPE",
        &[
            "operator-type-mismatch",
            "invalid-condition-value",
            "invalid-condition-operator",
        ],
    ),
    ("UNKNOWN_ACTION", &["invalid-action"]),
    (
        "UNKNOWN_CONDITION_FOR_ACTION",
        &[
            "invalid-condition-key-format",
            "invalid-service-condition-key",
            "unsupported-action-for-condition-key",
        ],
    ),
    ("UNKNOWN_OPERATOR", &["invalid-condition-operator"]),
    ("UNKNOWN_PREFIX", &["invalid-service-in-action"]),
    ("UNKNOWN_PRINCIPAL", &["invalid-principal"]),
];

/// Cases whose actions are patterns: what a single action of them does not carry is not told.
const OF_PATTERNS: [&str; 1] = ["parliament/formatting/test_condition_mismatch/0"];

/// Errors where parliament finds nothing, and are true: `*` is a plain character under `StringEquals`.
const PARLIAMENT_MISSES: [&str; 1] = ["wildcard-without-like-operator"];

#[test]
fn what_parliament_finds_is_found_unless_it_is_an_opinion() {
    let Some(cases) = cases("parliament") else {
        eprintln!("skipped: no cases beside the repository");
        return;
    };
    assert_eq!(cases.len(), 52);
    let mut wrong = Vec::new();
    for case in &cases {
        let found = found(case);
        let ids = &case.expected.parliament_ids;
        for id in ids {
            let rules = PARLIAMENT.iter().find(|(known, _)| known == id);
            let rules = rules.map_or(&["?"][..], |(_, rules)| *rules);
            let told = rules.is_empty() || rules.iter().any(|rule| found.has(rule));
            if !told && !OF_PATTERNS.contains(&case.id.as_str()) {
                wrong.push(format!("{}: no {id}", case.id));
            }
        }
        let quiet = ids.is_empty();
        let errors = found
            .findings
            .iter()
            .filter(|finding| finding.severity == Severity::Error);
        for finding in errors.filter(|finding| quiet && !PARLIAMENT_MISSES.contains(&finding.rule))
        {
            wrong.push(format!("{}: {} {}", case.id, finding.rule, finding.message));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
