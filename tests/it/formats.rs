//! Every form of the output over every bad case of every rule's page: the text at the place that is told is the text that
//! was marked. SARIF against the schema of OASIS, as the npm package `@microsoft/jest-sarif` carries it (installed by
//! `scripts/install-judges`; the test says when it is not there); JUnit read back by an XML reader.
#![expect(
    clippy::disallowed_methods,
    clippy::print_stderr,
    reason = "these tests read a schema that may not be there, and say so"
)]

use std::collections::BTreeSet;
use std::path::Path;

use pointsman::check::Options;
use pointsman::diag::{Outcome, Severity};
use pointsman::report::{Format, render};
use pointsman::text::{SourceMap, Span};
use serde_json::{Value, json};

use crate::binary::Folder;
use crate::deployment::{Ran, run};

/// The runs of all bad cases, and one whose columns are hard to count.
fn runs() -> Vec<Ran> {
    let mut all = crate::rules::every_bad_case();
    // Columns count characters, not bytes or UTF-16 units.
    let wide = "{\"Version\":\"2012-10-17\",\"Statement\":[{\"Sid\":\"a\u{1f600}\",\"Effect\":\"allow\",\t\"Action\":\"*\",\"Resource\":\"é\"}]}";
    all.push(run(&[("wide.json", wide)], Options::default()));
    assert!(
        all.iter()
            .map(|ran| ran.checked.outcome.findings.len())
            .sum::<usize>()
            > 200
    );
    all
}

/// Findings alone.
fn findings(ran: &Ran) -> Outcome {
    Outcome {
        unread: Vec::new(),
        undecided: Vec::new(),
        suppressed: Vec::new(),
        ..ran.checked.outcome.clone()
    }
}

fn rendered(format: Format, outcome: &Outcome, sources: &SourceMap) -> String {
    let mut out = Vec::new();
    render(format, outcome, sources, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

/// Byte offset of a line and column, both from 1, columns in characters: counted anew, without the program's own index.
fn offset(text: &str, line: usize, column: usize) -> usize {
    let before: usize = text
        .split_inclusive('\n')
        .take(line - 1)
        .map(str::len)
        .sum();
    let rest = text.get(before..).unwrap();
    before
        + rest
            .chars()
            .take(column - 1)
            .map(char::len_utf8)
            .sum::<usize>()
}

fn number(value: &Value) -> usize {
    usize::try_from(value.as_u64().unwrap()).unwrap()
}

/// The text of the file from one place to another.
fn between(sources: &SourceMap, at: Span, start: (usize, usize), end: (usize, usize)) -> &str {
    let text = sources.get(at.file).unwrap().text();
    text.get(offset(text, start.0, start.1)..offset(text, end.0, end.1))
        .unwrap()
}

#[test]
fn json_tells_the_marked_bytes() {
    for ran in runs() {
        let (outcome, sources) = (findings(&ran), &ran.checked.sources);
        let report: Value =
            serde_json::from_str(&rendered(Format::Json, &outcome, sources)).unwrap();
        for (finding, shown) in outcome
            .findings
            .iter()
            .zip(report["findings"].as_array().unwrap())
        {
            let at = finding.primary.at;
            let marked = sources.slice(at);
            let point = |end: &str| {
                (
                    number(&shown["span"][end]["line"]),
                    number(&shown["span"][end]["column"]),
                )
            };
            assert_eq!(between(sources, at, point("start"), point("end")), marked);
            let text = sources.get(at.file).unwrap().text();
            let byte = |end: &str| number(&shown["span"][end]["offset"]);
            assert_eq!(text.get(byte("start")..byte("end")), Some(marked));
        }
    }
}

#[test]
fn sarif_tells_the_marked_characters() {
    for ran in runs() {
        let (outcome, sources) = (findings(&ran), &ran.checked.sources);
        let log: Value = serde_json::from_str(&rendered(Format::Sarif, &outcome, sources)).unwrap();
        assert_eq!(log["runs"][0]["columnKind"], "unicodeCodePoints");
        let results = log["runs"][0]["results"].as_array().unwrap();
        assert_eq!(results.len(), outcome.findings.len());
        for (finding, result) in outcome.findings.iter().zip(results) {
            let region = &result["locations"][0]["physicalLocation"]["region"];
            let point = |which: &str| {
                (
                    number(&region[format!("{which}Line")]),
                    number(&region[format!("{which}Column")]),
                )
            };
            let at = finding.primary.at;
            let marked = sources.slice(at);
            assert_eq!(between(sources, at, point("start"), point("end")), marked);
            if let Some(snippet) = region["snippet"]["text"].as_str() {
                assert_eq!(snippet, marked);
            }
            let index = number(&result["ruleIndex"]);
            let rule = &log["runs"][0]["tool"]["driver"]["rules"][index];
            assert_eq!(rule["id"], finding.rule);
            assert!(
                rule["help"]["markdown"]
                    .as_str()
                    .unwrap()
                    .contains("## How to mend")
            );
        }
    }
}

#[test]
fn annotations_tell_the_marked_characters_where_they_are_on_one_line() {
    for ran in runs() {
        let (outcome, sources) = (findings(&ran), &ran.checked.sources);
        let shown = rendered(Format::GitHub, &outcome, sources);
        for (finding, line) in outcome.findings.iter().zip(shown.lines()) {
            let property = |name: &str| {
                let (_, rest) = line.split_once(&format!("{name}="))?;
                rest.split([',', ':']).next()?.parse::<usize>().ok()
            };
            let at = finding.primary.at;
            let marked = sources.slice(at);
            let (first, last) = (property(",line").unwrap(), property("endLine").unwrap());
            match (property(",col"), property("endColumn")) {
                (Some(start), Some(end)) if !marked.is_empty() => {
                    assert_eq!(between(sources, at, (first, start), (last, end)), marked);
                }
                _ => assert!(marked.is_empty() || last > first, "{line}"),
            }
        }
    }
}

#[test]
fn people_are_told_where_the_marked_text_begins() {
    for ran in runs() {
        let (outcome, sources) = (findings(&ran), &ran.checked.sources);
        let shown = rendered(Format::Human { colour: false }, &outcome, sources);
        let places: Vec<&str> = shown
            .lines()
            .filter_map(|line| line.trim_start().strip_prefix("--> "))
            .collect();
        assert_eq!(places.len(), outcome.findings.len(), "{shown}");
        for (finding, place) in outcome.findings.iter().zip(places) {
            let mut parts = place.rsplitn(3, ':');
            let (column, line) = (
                parts.next().unwrap().parse().unwrap(),
                parts.next().unwrap().parse().unwrap(),
            );
            let at = finding.primary.at;
            assert_eq!(parts.next(), Some(sources.path(at.file)));
            let text = sources.get(at.file).unwrap().text();
            let begins = text.get(offset(text, line, column)..).unwrap();
            assert!(
                begins.starts_with(sources.slice(at)),
                "{place}: {}",
                sources.slice(at)
            );
        }
    }
}

#[test]
fn junit_is_read_back_with_the_places_and_the_failures() {
    for ran in runs() {
        let (outcome, sources) = (&ran.checked.outcome, &ran.checked.sources);
        for fail_on in [Severity::Error, Severity::Note] {
            let shown = rendered(Format::JUnit { fail_on }, outcome, sources);
            let document = roxmltree::Document::parse(&shown).unwrap();
            let root = document.root_element();
            let count = |name: &str| {
                document
                    .descendants()
                    .filter(|node| node.has_tag_name(name))
                    .count()
            };
            let told = |name: &str| root.attribute(name).unwrap().parse::<usize>().unwrap();
            assert_eq!(
                (told("tests"), told("failures")),
                (count("testcase"), count("failure"))
            );
            assert_eq!(
                (told("errors"), told("skipped")),
                (outcome.unread.len(), outcome.undecided.len())
            );
            let failing = outcome
                .findings
                .iter()
                .filter(|finding| finding.severity >= fail_on);
            assert_eq!(told("failures"), failing.count());
            let named = |name: &str| {
                document
                    .descendants()
                    .filter(|node| node.attribute("name") == Some(name))
                    .count()
            };
            for finding in &outcome.findings {
                let (start, _) = sources.positions(finding.primary.at).unwrap();
                assert!(
                    named(&format!(
                        "{} at {}:{}",
                        finding.rule, start.line, start.column
                    )) > 0,
                    "{shown}"
                );
            }
        }
    }
}

#[test]
fn junit_of_a_simulation_has_a_case_for_each_case() {
    let folder = Folder::of_the_reference_deployment();
    let cases = folder.run(&["simulate", "--format", "json"]).json();
    let shown = folder.run(&["simulate", "--format", "junit"]);
    assert_eq!(shown.status(), 0);
    let text = shown.stdout();
    let document = roxmltree::Document::parse(&text).unwrap();
    let tests = document.root_element().attribute("tests").unwrap();
    assert_eq!(tests, cases["summary"]["cases"].to_string());
    folder.write(
        "policies/change-records.json",
        folder
            .read("policies/change-records.json")
            .replace("UPSERT", "CREATE"),
    );
    let failing = folder.run(&["simulate", "--format", "junit"]);
    let text = failing.stdout();
    let document = roxmltree::Document::parse(&text).unwrap();
    let failed =
        folder.run(&["simulate", "--format", "json"]).json()["summary"]["failed"].to_string();
    assert_eq!(
        document.root_element().attribute("failures"),
        Some(failed.as_str())
    );
    assert_eq!(failing.status(), 1);
}

fn fingerprints(text: &str) -> BTreeSet<String> {
    let ran = run(&[("p.json", text)], Options::default());
    let log: Value = serde_json::from_str(&rendered(
        Format::Sarif,
        &findings(&ran),
        &ran.checked.sources,
    ))
    .unwrap();
    let results = log["runs"][0]["results"].as_array().unwrap();
    let prints: BTreeSet<String> = results
        .iter()
        .map(|result| {
            result["partialFingerprints"]["pointsmanFinding/v1"]
                .as_str()
                .unwrap()
                .to_owned()
        })
        .collect();
    assert_eq!(prints.len(), results.len());
    prints
}

#[test]
fn a_finding_keeps_its_fingerprint_when_lines_are_put_above_it() {
    let text = r#"{"Statement":[{"Effect":"allow","Action":["s3:GetObject","*"],"Resource":"*"},{"Effect":"allow","Action":"*","Resource":"*"}]}"#;
    assert_eq!(fingerprints(text), fingerprints(&format!("\n\n\n{text}")));
    assert_ne!(
        fingerprints(text),
        fingerprints(&text.replace("allow", "allowed"))
    );
}

/// The schema, if it is installed.
fn schema() -> Option<jsonschema::Validator> {
    let path =
        "target/judges/node_modules/@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json";
    let Ok(text) = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)) else {
        eprintln!("not judged: {path} is not installed; scripts/install-judges installs it");
        return None;
    };
    let mut schema: Value = serde_json::from_str(&text).unwrap();
    // A bracket too many: readers of its own draft refuse the pattern, and pointsman writes no language.
    for part in ["run", "toolComponent"] {
        let language = &mut schema["definitions"][part]["properties"]["language"];
        language.as_object_mut().unwrap().remove("pattern");
    }
    Some(jsonschema::validator_for(&schema).unwrap())
}

#[test]
fn sarif_is_what_its_schema_asks_for() {
    let Some(schema) = schema() else { return };
    let judge = |log: &Value| {
        let faults: Vec<String> = schema
            .iter_errors(log)
            .map(|fault| format!("{}: {fault}", fault.instance_path()))
            .collect();
        assert!(faults.is_empty(), "{faults:#?}");
    };
    for ran in runs() {
        judge(
            &serde_json::from_str(&rendered(
                Format::Sarif,
                &ran.checked.outcome,
                &ran.checked.sources,
            ))
            .unwrap(),
        );
    }
    let folder = Folder::empty();
    folder.write("a b.json", r#"{"Version":"2012-10-17", "Statement": [}"#);
    folder.write("bin.json", b"{\"Statement\": \xff}");
    folder.write("m.tf", "variable \"z\" {}\nresource \"aws_iam_policy\" \"p\" {\n  # pointsman: allow[action-wildcard] a test\n  policy = jsonencode({ Version = \"2012-10-17\", Statement = [{ Effect = \"Allow\", Action = \"*\", Resource = var.z }] })\n}\n");
    let log = folder.run(&["validate", "--format", "sarif"]).json();
    judge(&log);
    let invocation = &log["runs"][0]["invocations"][0];
    assert_eq!(invocation["executionSuccessful"], false);
    let told: BTreeSet<&str> = invocation["toolExecutionNotifications"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|note| note["descriptor"]["id"].as_str())
        .collect();
    assert_eq!(told, BTreeSet::from(["undecided", "unread"]), "{log:#}");
    let empty = Folder::empty();
    let log = empty.run(&["validate", "--format", "sarif"]).json();
    judge(&log);
    assert_eq!(log["runs"][0]["results"], json!([]));
    assert!(schema.iter_errors(&json!({"version": "2.1.0"})).count() > 0);
}

#[test]
fn a_form_that_a_command_has_not_is_wrong_usage() {
    let folder = Folder::of_the_reference_deployment();
    for words in [
        &["failover", "replay", "x", "--format", "sarif"][..],
        &["failover", "scenarios", "x", "--format", "sarif"],
        &["inspect", "policy", "policies", "--format", "junit"],
        &["validate", "--format", "xml"],
    ] {
        let ran = folder.run(words);
        assert_eq!(ran.status(), 2, "{words:?}");
        assert!(
            ran.stderr().contains("possible values: human, json"),
            "{}",
            ran.stderr()
        );
    }
}
