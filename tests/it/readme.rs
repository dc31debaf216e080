//! Transcripts in the README and in the pages for users are what the program prints, and the README's tables of cases and its spec
//! fragments can be read.

use pointsman::check::Options;
use serde::Deserialize;

use crate::binary::Folder;
use crate::deployment::{REFERENCE_SPEC, run};

const README: &str = include_str!("../../README.md");

/// Pages for users, with the number of their transcripts.
const PAGES: [(&str, usize); 3] = [
    (README, 2),
    (include_str!("../../docs/chain.md"), 3),
    (include_str!("../../docs/forecast.md"), 2),
];

/// Stands for lines that are left out.
const LEFT_OUT: &str = "[…]\n";

/// A block of the README: its language, its text, and the comment of the form `with PATH: A => B` above it.
struct Block {
    language: String,
    text: String,
    with: Option<String>,
}

fn blocks(page: &str) -> Vec<Block> {
    let mut found = Vec::new();
    let (mut open, mut with): (Option<Block>, Option<String>) = (None, None);
    for line in page.lines() {
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

/// The folder of a transcript, with what is said above it.
fn folder_for(block: &Block) -> Folder {
    let folder = Folder::of_the_reference_deployment();
    if let Some((path, change)) = block.with.as_deref().and_then(|with| with.split_once(": ")) {
        if let Some((from, to)) = change.split_once(" => ") {
            let text = folder.read(path);
            assert_eq!(text.matches(from).count(), 1, "{path}: {from}");
            folder.write(path, text.replace(from, to));
        } else {
            folder.write(path, change.replace("\\n", "\n"));
        }
    }
    folder
}

/// Whether `told` is `expected`, with lines left out where that says so.
fn is_told(told: &str, expected: &str) -> bool {
    let mut parts = expected.split(LEFT_OUT);
    let Some(mut rest) = told.strip_prefix(parts.next().unwrap_or_default()) else {
        return false;
    };
    for part in parts {
        let Some((_, after)) = rest.split_once(part) else {
            return false;
        };
        rest = after;
    }
    rest.is_empty() || expected.ends_with(LEFT_OUT)
}

#[test]
fn transcripts_are_what_the_program_prints() {
    for (page, wanted) in PAGES {
        let mut transcripts = 0;
        for block in blocks(page)
            .into_iter()
            .filter(|block| block.language == "console")
        {
            let folder = folder_for(&block);
            let (command, expected) = block.text.split_once('\n').unwrap();
            let words: Vec<&str> = command
                .strip_prefix("$ pointsman ")
                .unwrap()
                .split(' ')
                .collect();
            let told = folder.run(&words).stdout();
            if !is_told(&told, expected) {
                assert_eq!(told, expected, "{command}");
            }
            transcripts += 1;
        }
        assert_eq!(transcripts, wanted);
    }
}

#[derive(Deserialize)]
struct Table {
    cases: Vec<serde_json::Value>,
}

#[test]
fn the_table_of_cases_passes_and_the_suppression_is_read() {
    let toml: Vec<Block> = blocks(README)
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
