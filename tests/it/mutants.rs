//! Each line of the generated workflow and monitors taken away, one at a time: none is lost in silence. Comments, names
//! and blank lines say nothing; the other lines that may be missing stand in `SILENT`, each with its reason.

use std::collections::BTreeSet;

use pointsman::check::Options;
use pointsman::diag::Severity;
use pointsman::generate::{self, Artefact};
use pointsman::model::spec::Spec;
use pointsman::text::SourceMap;

use crate::deployment::{REFERENCE_SPEC, run};

/// Lines without which the same happens: the file, the line, and why.
const SILENT: &[(&str, &str, &str)] = &[
    (
        ".github/workflows/dns-failover.yml",
        "cancel-in-progress: false",
        "GitHub cancels no run that has begun unless it is told to",
    ),
    (
        ".github/workflows/dns-failover.yml",
        "permissions: {}",
        "the only job has permissions of its own, which replace these",
    ),
    (
        ".github/workflows/dns-failover.yml",
        "role-duration-seconds: 3600",
        "the action asks for an hour when nothing is said",
    ),
    (
        "monitors/dispatch.yaml",
        "active: true",
        "a notification is active when nothing is said",
    ),
    (
        "monitors/dispatch.yaml",
        "httpMethod: post",
        "a webhook posts when nothing is said",
    ),
    (
        "monitors/dispatch.yaml",
        "is_default: false",
        "a notification is no default when nothing is said",
    ),
    (
        "monitors/edge-notice.yaml",
        "expiry_notification: false",
        "false when nothing is said; on the watch that starts the workflow it is asked for",
    ),
    (
        "monitors/edge-notice.yaml",
        "method: GET",
        "a check gets when nothing is said",
    ),
    (
        "monitors/edge-watch.yaml",
        "method: GET",
        "a check gets when nothing is said",
    ),
    (
        "monitors/failback-retry.yaml",
        "method: GET",
        "a check gets when nothing is said",
    ),
    (
        "monitors/token-check.yaml",
        "method: GET",
        "a check gets when nothing is said",
    ),
    (
        "monitors/failback-retry.yaml",
        "- \"200-299\"",
        "what is accepted when nothing is said",
    ),
    (
        "monitors/failback-retry.yaml",
        "headers: '{\"Accept\":\"application/dns-json\"}'",
        "this resolver answers in JSON in any case",
    ),
    (
        "monitors/failback-retry.yaml",
        "json_path_operator: \"==\"",
        "how it is compared when nothing is said",
    ),
    (
        "monitors/token-check.yaml",
        "expiry_notification: false",
        "false when nothing is said, and people alone are told",
    ),
    (
        "monitors/transition-notice.yaml",
        "andOr: and",
        "of the first condition it says nothing",
    ),
    (
        "monitors/transition-notice.yaml",
        "dns_resolve_type: A",
        "what is asked for when nothing is said",
    ),
    (
        "monitors/transition-notice.yaml",
        "port: 53",
        "the port of DNS when nothing is said",
    ),
];

/// Comments and blank lines say nothing, and names are for people; the name of an entity is its identity, and the first
/// two levels hold it.
fn says_nothing(line: &str) -> bool {
    let words = line.trim().trim_start_matches("- ");
    let is_name =
        words.starts_with("name: ") && (line.starts_with("    ") || line.starts_with("name"));
    words.is_empty() || words.starts_with('#') || is_name
}

fn artefacts() -> Vec<Artefact> {
    let mut sources = SourceMap::default();
    let file = sources.add("pointsman.toml", REFERENCE_SPEC);
    let spec = Spec::read(&sources.text(file).unwrap()).unwrap();
    generate::all(&spec).unwrap()
}

/// Whether anything at all is told of the deployment in which the file at `index` has this text.
fn is_told(artefacts: &[Artefact], index: usize, text: &str) -> bool {
    let mut files = vec![("pointsman.toml", REFERENCE_SPEC)];
    for (at, artefact) in artefacts.iter().enumerate() {
        // A table of cases is no artefact that is linted.
        if artefact.path.ends_with(".toml") {
            continue;
        }
        let text = if at == index { text } else { &artefact.text };
        files.push((&artefact.path, text));
    }
    let options = Options {
        whole: true,
        ..Options::default()
    };
    let outcome = run(&files, options).checked.outcome;
    let mut findings = outcome.findings.iter();
    findings.any(|finding| finding.severity == Severity::Error)
        || !outcome.undecided.is_empty()
        || !outcome.unread.is_empty()
}

#[test]
fn no_line_of_the_workflow_or_the_monitors_is_lost_in_silence() {
    let artefacts = artefacts();
    let mut silent = BTreeSet::new();
    let mut mutants = 0;
    for (index, artefact) in artefacts.iter().enumerate() {
        if !artefact.path.ends_with(".yml") && !artefact.path.ends_with(".yaml") {
            continue;
        }
        assert!(
            !is_told(&artefacts, index, &artefact.text),
            "the whole is clean"
        );
        let lines: Vec<&str> = artefact.text.split_inclusive('\n').collect();
        for (number, line) in lines.iter().enumerate() {
            if says_nothing(line) {
                continue;
            }
            mutants += 1;
            let mut rest = lines.clone();
            rest.remove(number);
            if !is_told(&artefacts, index, &rest.concat()) {
                silent.insert((artefact.path.clone(), line.trim().to_owned()));
            }
        }
    }
    assert!(mutants > 100, "{mutants} mutants");
    let excused: BTreeSet<(String, String)> = SILENT
        .iter()
        .map(|(path, line, why)| {
            assert!(why.len() > 10, "{path}: {line}: why?");
            ((*path).to_owned(), (*line).to_owned())
        })
        .collect();
    assert_eq!(silent, excused, "lines that are lost in silence");
}
