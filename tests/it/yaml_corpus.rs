//! The YAML reader against public workflow files, when the corpus stands beside the repository.

#![expect(
    clippy::disallowed_methods,
    reason = "a test of the integration binary reads its own data"
)]

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use pointsman::syntax::{Kind, Node, Parsed, yaml};
use pointsman::text::{Position, SourceMap, Text};

/// The corpus folder, if it is there.
fn corpus() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus/workflows");
    folder.is_dir().then_some(folder)
}

/// One `uses:` of the corpus: file, line, column and value.
fn expected(folder: &Path) -> Result<Vec<(String, u64, u64, String)>> {
    let text = std::fs::read_to_string(folder.join("expected_uses.json"))?;
    let files: serde_json::Value = serde_json::from_str(&text)?;
    let mut found = Vec::new();
    for (file, facts) in files.as_object().context("a map of files")? {
        for uses in facts["uses"].as_array().context("a list of uses")? {
            let number = |key: &str| uses[key].as_u64().context("a number");
            let value = uses["value"].as_str().context("a string")?.to_owned();
            found.push((file.clone(), number("line")?, number("col")?, value));
        }
    }
    Ok(found)
}

fn texts(parsed: &Parsed) -> Vec<&Text> {
    let mut found = Vec::new();
    let mut open: Vec<&Node> = parsed.documents.iter().collect();
    while let Some(node) = open.pop() {
        match &node.kind {
            Kind::Text(text) => found.push(text),
            Kind::List(items) => open.extend(items),
            Kind::Map(entries) => open.extend(entries.iter().map(|entry| &entry.value)),
            Kind::Null | Kind::Bool(_) | Kind::Number(_) | Kind::Unknown(_) => {}
        }
    }
    found
}

#[test]
fn every_file_of_the_corpus_is_read_or_says_why_not() -> Result<()> {
    let Some(folder) = corpus() else {
        eprintln!("skipped: no corpus beside the repository");
        return Ok(());
    };
    let expected = expected(&folder)?;
    let mut missing = Vec::new();
    let mut faulty = Vec::new();
    for entry in std::fs::read_dir(&folder)? {
        let path = entry?.path();
        let name = path
            .file_name()
            .context("a name")?
            .to_string_lossy()
            .into_owned();
        let Ok(text) = String::from_utf8(std::fs::read(&path)?) else {
            continue;
        };
        if !name.ends_with(".yml") {
            continue;
        }
        let mut sources = SourceMap::default();
        let file = sources.add(name.clone(), text);
        let parsed = yaml::read(&sources.text(file).context("the file")?);
        let found = texts(&parsed);
        for (_, line, column, value) in expected.iter().filter(|(file, ..)| *file == name) {
            // The list counts an anchor or a tag before the value to its place, and an empty `uses:` as an empty string.
            let is_there = found.iter().any(|text| {
                let start = sources.positions(text.span()).map(|(start, _)| start);
                let fits = |at: Position| at.line as u64 == *line && at.column as u64 >= *column;
                text.as_str() == value && start.is_some_and(fits)
            });
            if !is_there && !value.is_empty() {
                missing.push(format!("{name}:{line}:{column} {value}"));
            }
        }
        faulty.extend((!parsed.faults.is_empty()).then_some(name));
    }
    assert!(missing.is_empty(), "{missing:#?}");
    faulty.sort();
    // An alias inside its own anchor, a tab, a laugh of a billion.
    assert_eq!(faulty, ["101.yml", "175.yml", "229.yml"]);
    Ok(())
}
