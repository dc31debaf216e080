//! The rules against reports of real faults with Route 53 policies and with simulations of them, when the cases stand beside the repository.

#![expect(
    clippy::disallowed_methods,
    reason = "a test of the integration binary reads its own data"
)]

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use pointsman::check::Options;
use serde::Deserialize;

use crate::deployment::{Ran, run};

#[derive(Deserialize)]
struct Report {
    id: String,
    area: String,
    input_dir: String,
    files: Vec<String>,
    expect: Expect,
}

#[derive(Deserialize)]
struct Expect {
    verdict: String,
    findings: Vec<Required>,
    must_not: Vec<String>,
}

#[derive(Deserialize)]
struct Required {
    file: String,
    line: usize,
    kind: String,
    severity: String,
}

fn folder() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/cases/reports");
    folder.is_dir().then_some(folder)
}

/// Which rule says what a report calls by this word.
fn rule_of(kind: &str, file_text: &str) -> Option<&'static str> {
    Some(match kind {
        "missing-null-guard" => "forallvalues-allow-without-null-guard",
        "actions-unrestricted" => "r53-actions-unrestricted",
        "types-unrestricted" => "r53-types-unrestricted",
        "names-unrestricted" => "r53-names-unrestricted",
        "zone-wildcard" => "r53-zone-unrestricted",
        "unknown-condition-key" => "invalid-service-condition-key",
        "resource-level-unsupported" => "resource-mismatch",
        "iam-wildcard-broad" => "r53-name-like-broad",
        "duplicate-json-key" => "duplicate-json-key",
        "missing-permission" => "r53-records-not-readable",
        "context-key-not-supplied" => "context-key-not-supplied",
        "allow-by-absence" => "request-allowed-by-absence",
        "name-not-normalized" if file_text.contains("\"records\"") => "record-name-invalid",
        "name-not-normalized" if file_text.contains(".com.\"") => "r53-name-trailing-dot",
        "name-not-normalized" => "r53-name-uppercase",
        _ => return None,
    })
}

fn rank(severity: &str) -> Option<usize> {
    ["clean", "note", "warning", "error"]
        .iter()
        .position(|word| *word == severity)
}

/// Rule, path, line and severity of each finding.
fn found(ran: &Ran) -> Vec<(String, String, usize, &'static str)> {
    let sources = &ran.checked.sources;
    let line = |at| sources.positions(at).map_or(0, |(start, _)| start.line);
    ran.findings()
        .map(|(finding, path, _)| {
            let line = line(finding.primary.at);
            let severity = finding.severity.word();
            (finding.rule.to_owned(), path.to_owned(), line, severity)
        })
        .collect()
}

/// What is missing or too much in what was found.
fn judge(report: &Report, files: &[(&str, &str)]) -> Result<Vec<String>> {
    let found = found(&run(files, Options::default()));
    let mut wrong = Vec::new();
    for required in &report.expect.findings {
        let text = files.iter().find(|(path, _)| *path == required.file);
        let rule = rule_of(&required.kind, text.map_or("", |(_, text)| *text));
        let fits = found.iter().any(|(found, path, line, severity)| {
            Some(found.as_str()) == rule
                && *path == required.file
                && *line == required.line
                && rank(severity) >= rank(&required.severity)
        });
        if !fits {
            wrong.push(format!(
                "no {} at {}:{}",
                required.kind, required.file, required.line
            ));
        }
    }
    let verdict = rank(&report.expect.verdict).context("a known verdict")?;
    let worst = found.iter().filter_map(|(.., severity)| rank(severity));
    let worst = worst.max().unwrap_or(0);
    if worst < verdict || (verdict == 0 && worst > 0) {
        wrong.push(format!("verdict {worst}, not {verdict}: {found:?}"));
    }
    let says_octal = |rule: &str| rule == "r53-name-unescaped-wildcard";
    for unwanted in &report.expect.must_not {
        let forbidden = unwanted.contains("must be written \\052");
        if forbidden && found.iter().any(|(rule, ..)| says_octal(rule)) {
            wrong.push(unwanted.clone());
        }
    }
    Ok(wrong)
}

#[test]
fn reports_on_policies_get_what_they_require() -> Result<()> {
    let Some(folder) = folder() else {
        eprintln!("skipped: no cases beside the repository");
        return Ok(());
    };
    let text = std::fs::read_to_string(folder.join("reports.json"))?;
    let reports: Vec<Report> = serde_json::from_str(&text)?;
    let mut wrong = Vec::new();
    let about_policies = |report: &&Report| ["r53", "sim"].contains(&report.area.as_str());
    for report in reports.iter().filter(about_policies) {
        let mut texts = Vec::new();
        for name in &report.files {
            let path = folder.join(&report.input_dir).join(name);
            texts.push((name.as_str(), std::fs::read_to_string(path)?));
        }
        let files: Vec<(&str, &str)> = texts.iter().map(|(n, t)| (*n, t.as_str())).collect();
        let faults = judge(report, &files)?;
        if !faults.is_empty() {
            wrong.push((report.id.as_str(), faults));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    Ok(())
}
