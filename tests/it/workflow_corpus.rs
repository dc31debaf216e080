//! The workflow model against public workflow files, when the corpus stands beside the repository.

#![expect(
    clippy::disallowed_methods,
    reason = "a test of the integration binary reads its own data"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::{Context as _, Result};
use pointsman::adapters::DiskFiles;
use pointsman::app::Exit;
use pointsman::app::inspect::workflow::{Request, run};
use pointsman::check::{self, Input, Options, Standing};
use pointsman::report::Format;
use pointsman::rules::Subject;
use pointsman::text::SourceMap;
use serde_json::Value;

/// Files in which the list and the reader differ, and by which rule:
///
/// * 035 and 231: a path from the root, and a letter that only looks like an `a`, are no `owner/name`, so that their class
///   is `invalid` (GitHub's names are ASCII; "Workflow syntax", `uses`);
/// * 194: of two `uses` in one map the last counts (YAML 1.2.2, 3.2.1.1: keys are unique; the repetition is told);
/// * 229: aliases that stand for billions of values are not followed, and the file is `unread`.
const DIFFERENT: [&str; 4] = ["035.yml", "194.yml", "229.yml", "231.yml"];

/// The class in the words of the list, which knows no self-repository form.
fn class(word: &str) -> &str {
    match word {
        "self-repository" => "invalid",
        other => other,
    }
}

fn inspected(folder: &Path, name: &str) -> Result<(Exit, Value)> {
    let files = DiskFiles::new(folder);
    let request = Request {
        path: name.to_owned(),
        format: Format::Json,
    };
    let mut out = Vec::new();
    let exit = run(&request, &files, &mut out)?;
    Ok((exit, serde_json::from_slice(&out)?))
}

/// Line, column, class, value and comment of each, in order.
fn lines(list: &Value) -> Result<Vec<String>> {
    let mut found = Vec::new();
    for uses in list.as_array().context("a list of uses")? {
        let class = class(uses["class"].as_str().context("a class")?);
        let (line, column) = (&uses["line"], uses.get("column").or(uses.get("col")));
        let column = column.context("a column")?;
        let (value, comment) = (&uses["value"], &uses["comment"]);
        found.push(format!("{line}:{column} {class} {value} {comment}"));
    }
    found.sort();
    Ok(found)
}

fn image_lines(list: &Value) -> Vec<String> {
    let images = list.as_array().into_iter().flatten();
    let mut found: Vec<String> = images
        .map(|image| format!("{} {}", image["line"], image["value"]))
        .collect();
    found.sort();
    found
}

#[test]
fn every_uses_of_the_corpus_is_seen_as_an_independent_reader_sees_it() -> Result<()> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus/workflows");
    if !folder.is_dir() {
        eprintln!("skipped: no corpus beside the repository");
        return Ok(());
    }
    let facts = std::fs::read_to_string(folder.join("expected_uses.json"))?;
    let facts: Value = serde_json::from_str(&facts)?;
    for (name, facts) in facts.as_object().context("a map")? {
        let (exit, seen) = inspected(&folder, name)?;
        let unread = seen["unread"].as_array().context("what is unread")?;
        let readable = facts["parse"] == "ok";
        assert!(
            readable || !unread.is_empty(),
            "{name} is dropped without a word"
        );
        assert_eq!(exit == Exit::Clean, unread.is_empty(), "{name}");
        if !readable || DIFFERENT.contains(&name.as_str()) {
            continue;
        }
        assert_eq!(seen["kind"], facts["kind"], "{name}");
        assert_eq!(lines(&seen["uses"])?, lines(&facts["uses"])?, "{name}");
        // The list has the images of actions and containers, none of services.
        let images = image_lines(&seen["images"]);
        for image in image_lines(&facts["images"]) {
            assert!(images.contains(&image), "{name}: {image} of {images:?}");
        }
    }
    Ok(())
}

#[derive(serde::Deserialize)]
struct Counts {
    rule: Vec<Count>,
}

/// How often a rule speaks of the corpus, and why that is no false alarm.
#[derive(serde::Deserialize)]
struct Count {
    id: String,
    count: usize,
    why: String,
}

/// The corpus as one repository: workflows in their folder, actions each in one of their own.
fn corpus(folder: &Path, facts: &Value) -> Result<Vec<Input>> {
    let mut inputs = Vec::new();
    for (name, facts) in facts.as_object().context("a map")? {
        let path = if facts["kind"] == "action" {
            format!("{name}/action.yml")
        } else {
            format!(".github/workflows/{name}")
        };
        inputs.push(Input {
            path,
            bytes: Ok(std::fs::read(folder.join(name))?),
            standing: Standing::Found,
        });
    }
    Ok(inputs)
}

#[test]
fn each_rule_speaks_of_the_corpus_as_often_as_was_looked_at_by_eye() -> Result<()> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus/workflows");
    if !folder.is_dir() {
        eprintln!("skipped: no corpus beside the repository");
        return Ok(());
    }
    let facts = std::fs::read_to_string(folder.join("expected_uses.json"))?;
    let inputs = corpus(&folder, &serde_json::from_str(&facts)?)?;
    let all = inputs.len();
    let loaded = check::load(SourceMap::default(), None, inputs, Options::default());
    let outcome = check::run(loaded).outcome;
    assert_eq!(outcome.files, all);
    let counts: Counts = toml::from_str(include_str!("data/workflow_counts.toml"))?;
    let mut wanted = BTreeMap::new();
    for count in &counts.rule {
        assert!(count.why.len() > 20, "`{}` says no reason", count.id);
        wanted.insert(count.id.as_str(), count.count);
    }
    let mut seen = BTreeMap::new();
    for finding in &outcome.findings {
        *seen.entry(finding.rule).or_insert(0) += 1;
    }
    assert_eq!(seen, wanted);
    Ok(())
}

#[test]
fn no_file_of_a_named_folder_is_dropped_without_a_word() -> Result<()> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus/workflows");
    if !folder.is_dir() {
        eprintln!("skipped: no corpus beside the repository");
        return Ok(());
    }
    let mut inputs = Vec::new();
    for entry in std::fs::read_dir(&folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.ends_with(".yml") {
            inputs.push(Input {
                path: format!("corpus/{name}"),
                bytes: Ok(std::fs::read(entry.path())?),
                standing: Standing::Found,
            });
        }
    }
    let paths: BTreeSet<String> = inputs.iter().map(|input| input.path.clone()).collect();
    let options = Options {
        subject: Some(Subject::Workflow),
        ..Options::default()
    };
    let loaded = check::load(SourceMap::default(), None, inputs, options);
    let read = loaded.workspace.step_files();
    let read: BTreeSet<String> = read.map(|file| file.path().to_owned()).collect();
    let unread = loaded.unread.iter().map(|unread| unread.path.clone());
    let unread: BTreeSet<String> = unread.collect();
    assert!(read.is_disjoint(&unread));
    assert_eq!(&read | &unread, paths);
    assert_eq!(read.len() + unread.len(), 306);
    Ok(())
}

#[test]
fn what_is_asked_for_by_its_subject_is_read_or_told() -> Result<()> {
    let cases = [
        ("a/jobs.yml", "jobs: {a: {steps: [{run: x}]}}\n", true, None),
        ("a/empty.yml", "", true, Some("the file is empty")),
        ("a/other.yml", "kind: x\n", true, Some("it has no `jobs`")),
        (
            "a/two.yml",
            "on: push\n---\njobs: {}\n",
            false,
            Some("a second one begins here"),
        ),
        (
            "a/tab.yml",
            "on: push\njobs:\n\ta:\n",
            false,
            Some("a tab is not allowed"),
        ),
        (
            "a/steps.yml",
            "a: [\n  - uses: a/b@v1\n",
            false,
            Some("no valid YAML"),
        ),
    ];
    for (path, text, only_asked, reason) in cases {
        for subject in [Some(Subject::Workflow), None] {
            let input = Input {
                path: path.to_owned(),
                bytes: Ok(text.as_bytes().to_vec()),
                standing: Standing::Found,
            };
            let options = Options {
                subject,
                ..Options::default()
            };
            let loaded = check::load(SourceMap::default(), None, vec![input], options);
            let told = loaded.unread.first().map(|unread| unread.reason.as_str());
            if subject.is_none() && only_asked {
                assert_eq!(told, None, "{path}");
                continue;
            }
            match (reason, told) {
                (Some(reason), Some(told)) => assert!(told.contains(reason), "{path}: {told}"),
                (reason, told) => assert_eq!(told, reason, "{path}"),
            }
            assert_eq!(loaded.files, 1, "{path}");
        }
    }
    Ok(())
}

#[test]
fn what_is_beside_a_named_workflow_and_broken_is_not_charged_to_it() -> Result<()> {
    let own = "name: dns-failover\non: workflow_dispatch\nconcurrency: dns-failover\njobs: {}\n";
    let files = [
        ("broken.yml", "on: push\njobs:\n\ta:\n"),
        ("dns-failover.yml", own),
    ];
    let checked = |named: &str| {
        let input = |(name, text): (&str, &str)| Input {
            path: format!(".github/workflows/{name}"),
            bytes: Ok(text.as_bytes().to_vec()),
            standing: match name == named {
                true => Standing::Named,
                false => Standing::Context,
            },
        };
        let inputs = files.map(input).into_iter().collect();
        let options = Options {
            subject: Some(Subject::Workflow),
            ..Options::default()
        };
        let loaded = check::load(SourceMap::default(), None, inputs, options);
        check::run(loaded).outcome
    };
    let outcome = checked("dns-failover.yml");
    assert!(outcome.unread.is_empty());
    let open: Vec<&str> = outcome
        .undecided
        .iter()
        .map(|open| open.what.as_str())
        .collect();
    assert_eq!(
        open,
        ["whether `dns-failover` is the group of another workflow too"]
    );
    assert_eq!(checked("broken.yml").unread.len(), 1);
    Ok(())
}
