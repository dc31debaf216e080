//! The policy rules over statements that people have published, when the corpus stands beside the repository: each line holds
//! one with no policy around it. Every kind of finding is counted with its reason, and there are no others.

#![expect(
    clippy::disallowed_methods,
    reason = "a test of the integration binary reads its own data"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use pointsman::check::Options;
use serde::Deserialize;

use crate::deployment::run;

#[derive(Deserialize)]
struct Known {
    kind: Vec<Kind>,
}

#[derive(Deserialize)]
struct Kind {
    rule: String,
    severity: String,
    findings: usize,
    statements: usize,
    why: String,
}

#[test]
fn over_published_statements_every_finding_is_a_known_and_true_one() {
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus/route53_real_policies.jsonl");
    let Ok(text) = std::fs::read_to_string(path) else {
        eprintln!("skipped: no corpus beside the repository");
        return;
    };
    let names: Vec<String> = (0..text.lines().count())
        .map(|line| format!("{line}.json"))
        .collect();
    let files: Vec<(&str, &str)> = names.iter().map(String::as_str).zip(text.lines()).collect();
    let ran = run(&files, Options::default());
    let outcome = &ran.checked.outcome;
    assert_eq!((outcome.unread.len(), outcome.undecided.len()), (0, 0));
    let mut counted: BTreeMap<(&str, &str), (usize, BTreeSet<&str>)> = BTreeMap::new();
    for (finding, path, _) in ran.findings() {
        let kind = (finding.rule, finding.severity.word());
        let entry = counted.entry(kind).or_default();
        entry.0 += 1;
        entry.1.insert(path);
        let pointer = finding.pointer.as_deref().unwrap_or_default();
        assert!(pointer.starts_with("/statement"), "{kind:?} {pointer}");
    }
    let counted: BTreeMap<(&str, &str), (usize, usize)> = counted
        .into_iter()
        .map(|(kind, (findings, statements))| (kind, (findings, statements.len())))
        .collect();
    let known: Known = toml::from_str(include_str!("data/real_statements.toml")).unwrap();
    let named: BTreeMap<(&str, &str), (usize, usize)> = known
        .kind
        .iter()
        .map(|kind| {
            let name = (kind.rule.as_str(), kind.severity.as_str());
            (name, (kind.findings, kind.statements))
        })
        .collect();
    assert_eq!(counted, named, "(findings, statements) of each kind");
    assert!(known.kind.iter().all(|kind| kind.why.len() > 20));
}
