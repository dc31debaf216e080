//! The table of Access Analyzer's checks: each stands in it once, and says which rules speak of it, or why none can.

#![expect(
    clippy::disallowed_methods,
    reason = "a test of the integration binary reads its own data"
)]

use std::collections::BTreeSet;
use std::path::Path;

use pointsman::rules;
use serde::Deserialize;

#[derive(Deserialize)]
struct Table {
    check: Vec<Check>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Check {
    code: String,
    kind: String,
    #[serde(default)]
    rules: Vec<String>,
    why: Option<String>,
    note: Option<String>,
}

#[derive(Deserialize)]
struct Reference {
    checks: Vec<Title>,
}

#[derive(Deserialize)]
struct Title {
    code_guess: String,
}

fn table() -> Vec<Check> {
    let table: Result<Table, _> = toml::from_str(include_str!("../../docs/access-analyzer.toml"));
    table.map_or_else(|_| Vec::new(), |table| table.check)
}

#[test]
fn each_check_has_rules_that_exist_or_a_reason() {
    let mut seen = BTreeSet::new();
    for check in table() {
        let code = &check.code;
        assert!(seen.insert(code.clone()), "{code} stands twice");
        assert_eq!(check.rules.is_empty(), check.why.is_some(), "{code}");
        assert!(check.note.is_none() || !check.rules.is_empty(), "{code}");
        let kinds = ["error", "warning", "security warning", "suggestion"];
        assert!(kinds.contains(&check.kind.as_str()), "{code}");
        for rule in &check.rules {
            assert!(
                rules::find(rule).is_some(),
                "{code} names `{rule}`, which is no rule"
            );
        }
    }
    assert_eq!(seen.len(), 135);
}

#[test]
fn each_check_of_the_reference_stands_in_the_table() {
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/facts/access_analyzer_checks.json");
    let Ok(text) = std::fs::read_to_string(path) else {
        eprintln!("skipped: no list of checks beside the repository");
        return;
    };
    let reference: Reference = serde_json::from_str(&text).unwrap();
    assert_eq!(reference.checks.len(), 138);
    let wanted: BTreeSet<String> = reference
        .checks
        .into_iter()
        .map(|title| title.code_guess)
        .collect();
    let told: BTreeSet<String> = table().into_iter().map(|check| check.code).collect();
    assert_eq!(told, wanted);
}
