//! The README's transcripts are what the program prints, and its tables of cases and its spec fragments can be read.

use pointsman::check::Options;
use serde::Deserialize;

use crate::binary::Folder;
use crate::deployment::{REFERENCE_SPEC, run};

const README: &str = include_str!("../../README.md");

/// A block of the README: its language, its text, and the comment of the form `with PATH: A => B` above it.
struct Block {
    language: String,
    text: String,
    with: Option<String>,
}

fn blocks() -> Vec<Block> {
    let mut found = Vec::new();
    let (mut open, mut with): (Option<Block>, Option<String>) = (None, None);
    for line in README.lines() {
        match (&mut open, line) {
            (Some(_), "```") => found.extend(open.take()),
            (Some(block), line) => block.text.push_str(&format!("{line}\n")),
            (None, line) => {
                if let Some(language) = line.strip_prefix("```") {
                    open = Some(Block {
                        language: language.to_owned(),
                        text: String::new(),
                        with: with.take(),
                    });
                } else if let Some(change) = line.strip_prefix("<!-- with ") {
                    with = Some(change.trim_end_matches(" -->").to_owned());
                }
            }
        }
    }
    found
}

#[test]
fn transcripts_are_what_the_program_prints() {
    let mut transcripts = 0;
    for block in blocks()
        .into_iter()
        .filter(|block| block.language == "console")
    {
        let folder = Folder::of_the_reference_deployment();
        if let Some((path, change)) = block.with.as_deref().and_then(|with| with.split_once(": ")) {
            let (from, to) = change.split_once(" => ").unwrap();
            let text = folder.read(path);
            assert_eq!(text.matches(from).count(), 1, "{path}: {from}");
            folder.write(path, text.replace(from, to));
        }
        let (command, expected) = block.text.split_once('\n').unwrap();
        let words: Vec<&str> = command
            .strip_prefix("$ pointsman ")
            .unwrap()
            .split(' ')
            .collect();
        assert_eq!(folder.run(&words).stdout(), expected, "{command}");
        transcripts += 1;
    }
    assert_eq!(transcripts, 2);
}

#[derive(Deserialize)]
struct Table {
    cases: Vec<serde_json::Value>,
}

#[test]
fn the_table_of_cases_passes_and_the_suppression_is_read() {
    let toml: Vec<Block> = blocks()
        .into_iter()
        .filter(|block| block.language == "toml")
        .collect();
    assert_eq!(toml.len(), 2);
    for block in toml {
        if block.text.starts_with("[[allow]]") {
            let spec = format!("{REFERENCE_SPEC}\n{}", block.text);
            let whole = Options {
                whole: true,
                ..Options::default()
            };
            let ran = run(&[("pointsman.toml", &spec)], whole);
            let found: Vec<&str> = ran.findings().map(|(finding, ..)| finding.rule).collect();
            assert!(
                found.contains(&"suppression-unused"),
                "the entry is read, and here it suppresses nothing"
            );
        } else {
            let table: Table = toml::from_str(&block.text).unwrap();
            assert_eq!(table.cases.len(), 1);
            let folder = Folder::of_the_reference_deployment();
            folder.write("cases.toml", &block.text);
            let ran = folder.run(&["simulate", "cases.toml"]);
            assert_eq!(ran.status(), 0, "{}{}", ran.stdout(), ran.stderr());
        }
    }
}

#[test]
fn every_rule_that_is_named_is_a_rule() {
    for part in README.split("allow[").skip(1) {
        let name = part.split(']').next().unwrap();
        assert!(
            name == "rule" || pointsman::rules::find(name).is_some(),
            "`{name}`"
        );
    }
}
