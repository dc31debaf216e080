//! The ledger against the whole reference deployment: its age to the day, and each artefact that is another one.

use std::collections::BTreeMap;

use pointsman::app::validate::{self, Request};
use pointsman::app::{Exit, SpecChoice, rehearsals};
use pointsman::diag::Severity;
use pointsman::model::calendar::Day;
use pointsman::model::rehearsal::{Evidence, Kind};
use pointsman::ports::{Files as _, MemoryFiles};
use pointsman::report::Format;
use serde_json::Value;

use crate::binary::Folder;

const DAY: u64 = 86_400_000;
/// 2026-11-30T18:00:00Z.
const NOW: u64 = 1_796_061_600_000;
const TODAY: &str = "2026-11-30";

fn deployment() -> MemoryFiles {
    let folder = Folder::of_the_reference_deployment();
    let files = MemoryFiles::new([]);
    for (path, bytes) in folder.all() {
        let path = path.strip_prefix(folder.path()).unwrap();
        files.put(&path.to_string_lossy(), bytes);
    }
    files
}

fn sums(files: &MemoryFiles) -> BTreeMap<String, String> {
    rehearsals::sums(&SpecChoice::Usual, "/", files)
        .unwrap()
        .unwrap()
}

fn evidence(finished_millis: u64, artefacts: BTreeMap<String, String>) -> Evidence {
    Evidence {
        but: Vec::new(),
        kind: Kind::Drill,
        started_millis: finished_millis,
        finished_millis,
        failed: None,
        phases: vec![("switch".to_owned(), 9_000)],
        artefacts,
    }
}

fn validated(files: &MemoryFiles, today: Option<&str>) -> (Exit, Value) {
    let request = Request {
        paths: Vec::new(),
        here: "/".to_owned(),
        subject: None,
        policy_kind: None,
        spec: SpecChoice::Usual,
        repository: None,
        fail_on: Severity::Warning,
        strict: true,
        today: today.and_then(Day::parse),
        format: Format::Json,
    };
    let mut out = Vec::new();
    let exit = validate::run(&request, files, &mut out).unwrap();
    (exit, serde_json::from_slice(&out).unwrap())
}

fn told(files: &MemoryFiles, today: &str) -> Vec<(String, String)> {
    let (_, report) = validated(files, Some(today));
    let findings = report["findings"].as_array().unwrap().iter();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    findings
        .map(|it| (text(&it["rule"]), text(&it["message"])))
        .collect()
}

#[test]
fn a_fresh_rehearsal_of_these_very_files_is_clean() {
    let files = deployment();
    let evidence = evidence(NOW, sums(&files));
    let path = rehearsals::write(&evidence, "", &files).unwrap();
    assert_eq!(path, "rehearsals/2026-11-30-drill.json");
    let (exit, report) = validated(&files, Some(TODAY));
    assert_eq!(exit, Exit::Clean, "{report:#}");
    assert_eq!(report["summary"]["files"], 16);
    // The next of the same day does not write over it.
    let next = rehearsals::write(&evidence, "", &files).unwrap();
    assert_eq!(next, "rehearsals/2026-11-30-drill-2.json");
    assert_eq!(told(&files, TODAY), []);
}

#[test]
fn a_rehearsal_counts_for_as_many_days_as_the_spec_says() {
    let files = deployment();
    let spec = files.text("pointsman.toml").unwrap();
    for (limit, days, stale) in [
        ("", 90, false),
        ("", 91, true),
        ("7", 7, false),
        ("7", 8, true),
    ] {
        let section = format!("{spec}\n[rehearsals]\nlimit_days = {limit}\n");
        let text = if limit.is_empty() { &spec } else { &section };
        files.put("pointsman.toml", text.as_bytes());
        let evidence = evidence(NOW - days * DAY, sums(&files));
        files.put("rehearsals/a.json", evidence.text());
        let rules: Vec<String> = told(&files, TODAY).into_iter().map(|it| it.0).collect();
        let expected: &[&str] = if stale { &["rehearsal-stale"] } else { &[] };
        assert_eq!(rules, expected, "{limit}, {days}");
    }
}

#[test]
fn the_newest_that_passed_counts_whatever_the_names_of_the_files() {
    let files = deployment();
    let old = evidence(NOW - 100 * DAY, sums(&files));
    let failed = Evidence {
        failed: Some("the switch was not confirmed".to_owned()),
        ..evidence(NOW - DAY, sums(&files))
    };
    files.put("rehearsals/z.json", old.text());
    files.put("rehearsals/a.json", failed.text());
    let all = told(&files, TODAY);
    let [(rule, message)] = all.as_slice() else {
        panic!("{all:?}");
    };
    assert_eq!(rule, "rehearsal-stale");
    assert!(message.contains("100 days old"), "{message}");
    files.put("rehearsals/b.json", evidence(NOW, sums(&files)).text());
    assert_eq!(told(&files, TODAY), []);
}

#[test]
fn a_rehearsal_of_the_future_proves_nothing_yet() {
    let files = deployment();
    files.put("rehearsals/a.json", evidence(NOW, sums(&files)).text());
    assert_eq!(told(&files, "2026-11-29"), []);
    let all = told(&files, "2026-11-28");
    let [(_, message)] = all.as_slice() else {
        panic!("{all:?}");
    };
    assert!(message.contains("lies ahead of `2026-11-28`"), "{message}");
}

#[test]
fn each_artefact_that_is_another_one_is_named() {
    let files = deployment();
    let sums = sums(&files);
    files.put("rehearsals/a.json", evidence(NOW, sums.clone()).text());
    assert!(sums.len() > 10, "{sums:?}");
    for path in sums.keys() {
        let text = files.text(path).unwrap();
        files.put(path, format!("{text}\n"));
        let all = told(&files, TODAY);
        let of_ledger: Vec<_> = all
            .iter()
            .filter(|it| it.0 == "rehearsal-other-artefacts")
            .collect();
        let [(_, message)] = of_ledger.as_slice() else {
            panic!("{path}: {all:?}");
        };
        assert!(
            message.contains(&format!("`{path}` has changed")),
            "{message}"
        );
        files.put(path, text);
    }
    files.put("terraform/more.tf", "locals {\n  more = 1\n}\n");
    let all = told(&files, TODAY);
    assert!(all[0].1.contains("`terraform/more.tf` has come"), "{all:?}");
}

#[test]
fn what_is_no_file_of_the_ledger_is_unread_and_the_day_is_not_guessed() {
    let files = deployment();
    files.put("rehearsals/a.json", "{\"version\": 1}");
    files.put("rehearsals/notes.md", "# by hand");
    let (exit, report) = validated(&files, Some(TODAY));
    assert_eq!(exit, Exit::Unread, "{report:#}");
    assert_eq!(report["unread"][0]["path"], "rehearsals/a.json");
    assert!(report["unread"].as_array().unwrap().len() > 3);
    files.put("rehearsals/a.json", evidence(NOW, sums(&files)).text());
    let (exit, report) = validated(&files, None);
    assert_eq!(exit, Exit::Unread, "{report:#}");
    assert_eq!(report["summary"]["undecided"], 1);
    assert!(files.read("rehearsals/a.json").is_ok());
}

#[cfg(feature = "drill")]
#[test]
fn a_drill_leaves_evidence_that_validate_takes() {
    let folder = Folder::of_the_reference_deployment();
    let ran = folder.run(&["drill", "--quiet", "--ledger"]);
    assert_eq!(ran.status(), 0, "{}", ran.stdout());
    let told = ran.stdout();
    assert!(told.contains("the evidence is in rehearsals/"), "{told}");
    let all = folder.all();
    let mut evidence = all
        .iter()
        .filter(|(path, _)| path.to_string_lossy().ends_with("-drill.json"));
    let evidence: Value = serde_json::from_slice(evidence.next().unwrap().1).unwrap();
    assert_eq!(evidence["outcome"], "passed");
    let phases = evidence["phases"].as_object().unwrap();
    assert!(
        phases.keys().any(|name| name.starts_with("switch_")),
        "{phases:?}"
    );
    assert!(
        phases.keys().any(|name| name.starts_with("return_")),
        "{phases:?}"
    );
    let ran = folder.run(&["validate", "--strict", "--fail-on", "warning"]);
    assert_eq!(ran.status(), 0, "{}", ran.stdout());
}
