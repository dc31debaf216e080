//! Reports of real faults with pins, concurrency, schedules and OIDC trust: each gets what it requires and no worse verdict,
//! when the cases stand beside the repository.
#![expect(
    clippy::disallowed_methods,
    reason = "a test of the integration binary reads its own data"
)]

use std::path::Path;

use anyhow::{Context as _, Result};
use pointsman::check::{self, Checked, Input, Options, Standing};
use pointsman::text::SourceMap;
use serde::Deserialize;

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
}

#[derive(Deserialize)]
struct Required {
    file: String,
    line: usize,
    severity: String,
}

fn rank(severity: &str) -> Option<usize> {
    ["clean", "note", "warning", "error"]
        .iter()
        .position(|word| *word == severity)
}

fn checked(folder: &Path, files: &[String]) -> Result<Checked> {
    let mut inputs = Vec::new();
    for path in files {
        inputs.push(Input {
            path: path.clone(),
            bytes: Ok(std::fs::read(folder.join(path))?),
            standing: Standing::Found,
        });
    }
    let options = Options {
        whole: true,
        ..Options::default()
    };
    let loaded = check::load(SourceMap::default(), None, inputs, options);
    Ok(check::run(loaded))
}

/// What is missing, or too much.
fn wrong(report: &Report, checked: &Checked) -> Option<String> {
    let sources = &checked.sources;
    let seen: Vec<(&str, usize, usize, Option<usize>, &str)> = checked
        .outcome
        .findings
        .iter()
        .filter_map(|finding| {
            let (start, end) = sources.positions(finding.primary.at)?;
            let severity = rank(finding.severity.word());
            let path = sources.path(finding.primary.at.file);
            Some((path, start.line, end.line, severity, finding.rule))
        })
        .collect();
    for wanted in &report.expect.findings {
        let found = seen.iter().any(|(path, first, last, severity, _)| {
            *path == wanted.file
                && (*first..=*last).contains(&wanted.line)
                && *severity >= rank(&wanted.severity)
        });
        if !found {
            let Required { file, line, .. } = wanted;
            return Some(format!("{}: nothing at {file}:{line}; {seen:?}", report.id));
        }
    }
    let worst = seen
        .iter()
        .filter_map(|(_, _, _, severity, _)| *severity)
        .max();
    let verdict = rank(&report.expect.verdict);
    let same = worst.or(Some(0)) == verdict && checked.outcome.unread.is_empty();
    (!same).then(|| format!("{}: not {}; {seen:?}", report.id, report.expect.verdict))
}

#[test]
fn each_report_gets_what_it_requires_and_no_worse_verdict() -> Result<()> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/cases/reports");
    if !folder.is_dir() {
        eprintln!("skipped: no reports beside the repository");
        return Ok(());
    }
    let reports = std::fs::read_to_string(folder.join("reports.json"))?;
    let reports: Vec<Report> = serde_json::from_str(&reports)?;
    let of_areas =
        |report: &&Report| ["pin", "conc", "sched", "oidc"].contains(&report.area.as_str());
    let mut faults = Vec::new();
    for report in reports.iter().filter(of_areas) {
        let checked = checked(&folder.join(&report.input_dir), &report.files)
            .with_context(|| report.id.clone())?;
        faults.extend(wrong(report, &checked));
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    Ok(())
}
