//! The policy rules over AWS's own managed policies, when the corpus stands beside the repository: every error is named
//! with its reason, every kind of warning and note is counted with its reason, and there are no others.

#![expect(
    clippy::disallowed_methods,
    reason = "a test of the integration binary reads its own data"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use pointsman::check::Options;
use pointsman::diag::Severity;
use serde::Deserialize;
use serde_json::Value;

use crate::deployment::run;

#[derive(Deserialize)]
struct Managed {
    name: String,
    document: Value,
}

#[derive(Deserialize)]
struct Errors {
    error: Vec<KnownError>,
}

#[derive(Deserialize)]
struct KnownError {
    policy: String,
    rule: String,
    why: String,
}

#[derive(Deserialize)]
struct Warnings {
    kind: Vec<KnownWarning>,
}

#[derive(Deserialize)]
struct KnownWarning {
    rule: String,
    severity: String,
    findings: usize,
    policies: usize,
    why: String,
}

/// Every finding of the corpus: rule, severity, policy.
fn findings() -> Option<Vec<(String, Severity, String)>> {
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus/managed_policies.jsonl");
    let text = std::fs::read_to_string(path).ok()?;
    let policies: Result<Vec<Managed>, _> = text.lines().map(serde_json::from_str).collect();
    let texts: Vec<(String, String)> = policies
        .ok()?
        .into_iter()
        .map(|policy| (format!("{}.json", policy.name), policy.document.to_string()))
        .collect();
    let files: Vec<(&str, &str)> = texts
        .iter()
        .map(|(n, t)| (n.as_str(), t.as_str()))
        .collect();
    let ran = run(&files, Options::default());
    let outcome = &ran.checked.outcome;
    (outcome.unread.is_empty() && outcome.undecided.is_empty()).then_some(())?;
    let told = ran.findings().map(|(finding, path, _)| {
        let name = path.trim_end_matches(".json").to_owned();
        (finding.rule.to_owned(), finding.severity, name)
    });
    Some(told.collect())
}

#[test]
fn over_the_managed_policies_every_finding_is_a_known_and_true_one() {
    let Some(found) = findings() else {
        eprintln!("skipped: no corpus beside the repository");
        return;
    };
    let known: Errors = toml::from_str(include_str!("data/managed_errors.toml")).unwrap();
    let told: BTreeSet<(&str, &str)> = found
        .iter()
        .filter(|(_, severity, _)| *severity == Severity::Error)
        .map(|(rule, _, policy)| (policy.as_str(), rule.as_str()))
        .collect();
    let named: BTreeSet<(&str, &str)> = known
        .error
        .iter()
        .map(|error| (error.policy.as_str(), error.rule.as_str()))
        .collect();
    assert_eq!(told, named, "errors");
    assert!(known.error.iter().all(|error| error.why.len() > 20));

    let known: Warnings = toml::from_str(include_str!("data/managed_warnings.toml")).unwrap();
    let mut counted: BTreeMap<(&str, &str), (usize, BTreeSet<&str>)> = BTreeMap::new();
    for (rule, severity, policy) in &found {
        if *severity != Severity::Error {
            let entry = counted.entry((rule, severity.word())).or_default();
            entry.0 += 1;
            entry.1.insert(policy);
        }
    }
    let counted: BTreeMap<(&str, &str), (usize, usize)> = counted
        .into_iter()
        .map(|(kind, (findings, policies))| (kind, (findings, policies.len())))
        .collect();
    let named: BTreeMap<(&str, &str), (usize, usize)> = known
        .kind
        .iter()
        .map(|kind| {
            (
                (kind.rule.as_str(), kind.severity.as_str()),
                (kind.findings, kind.policies),
            )
        })
        .collect();
    assert_eq!(counted, named, "(findings, policies) of each kind");
    assert!(known.kind.iter().all(|kind| kind.why.len() > 20));
}
