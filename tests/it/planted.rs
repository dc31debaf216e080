//! For each rule, a copy of the reference deployment with that one fault planted: the program finds it at the right file,
//! line and column, nothing else anywhere, and ends with status 1, or 2 where the spec itself is wrong. The faults stand in
//! `data/planted*.toml`.

use std::collections::BTreeSet;

use pointsman::rules;
use pointsman::text::LineIndex;
use serde::Deserialize;
use serde_json::Value;

use crate::binary::Folder;

#[derive(Default, Deserialize)]
struct Planted {
    plant: Vec<Plant>,
    /// Rules whose fault cannot stand alone in the reference deployment, and why.
    elsewhere: Vec<Elsewhere>,
}

#[derive(Deserialize)]
struct Plant {
    rule: String,
    path: String,
    /// Text that stands once in the file; absent: the file is new.
    from: Option<String>,
    /// What replaces it, with `«…»` around the bytes that are pointed at.
    to: String,
    /// A file that is taken away.
    remove: Option<String>,
    /// Rules that rightly speak as well.
    #[serde(default)]
    also: Vec<String>,
}

#[derive(Deserialize)]
struct Elsewhere {
    rule: String,
    why: String,
}

fn planted() -> Planted {
    let tables = [
        include_str!("data/planted.toml"),
        include_str!("data/planted_workflow_and_monitors.toml"),
    ];
    let mut all = Planted::default();
    for table in tables {
        let planted: Planted = toml::from_str(table).unwrap();
        all.plant.extend(planted.plant);
        all.elsewhere.extend(planted.elsewhere);
    }
    all
}

/// The file with the fault in it, and where it is pointed at.
fn planted_text(folder: &Folder, plant: &Plant) -> (String, usize, usize) {
    let marked = match &plant.from {
        Some(from) => {
            let text = folder.read(&plant.path);
            let places = text.matches(from.as_str()).count();
            assert_eq!(
                places, 1,
                "`{}`: `{from}` stands {places} times in {}",
                plant.rule, plant.path
            );
            text.replacen(from.as_str(), &plant.to, 1)
        }
        None => plant.to.clone(),
    };
    let start = marked
        .find('«')
        .unwrap_or_else(|| panic!("`{}` marks no place", plant.rule));
    let end = marked.find('»').unwrap() - '«'.len_utf8();
    (marked.replace(['«', '»'], ""), start, end)
}

fn place(text: &str, offset: usize) -> (u64, u64) {
    let place = LineIndex::new(text).position(text, offset);
    (place.line as u64, place.column as u64)
}

fn place_of(finding: &Value, end: &str) -> (u64, u64) {
    let place = &finding["span"][end];
    (
        place["line"].as_u64().unwrap(),
        place["column"].as_u64().unwrap(),
    )
}

/// A wrong spec is wrong usage (2); a fault of an artefact is a finding (1).
fn status_of(rule: &str) -> i32 {
    let of_the_spec = rules::spec::RULES.iter().any(|it| it.id == rule);
    if of_the_spec { 2 } else { 1 }
}

#[test]
fn each_planted_fault_is_found_at_its_place_and_nothing_else() {
    for plant in planted().plant {
        let folder = Folder::of_the_reference_deployment();
        let (text, start, end) = planted_text(&folder, &plant);
        folder.write(&plant.path, &text);
        if let Some(path) = &plant.remove {
            folder.remove(path);
        }
        let ran = folder.run(&["validate", "--format", "json", "--fail-on", "note"]);
        let shown = || folder.run(&["validate"]).stdout();
        let report = ran.json();
        let all = report["findings"].as_array().unwrap();
        let also = |finding: &&Value| {
            !plant
                .also
                .iter()
                .any(|rule| finding["rule"] == rule.as_str())
        };
        let findings: Vec<&Value> = all.iter().filter(also).collect();
        assert_eq!(
            findings.len(),
            1,
            "`{}` in {}\n{}",
            plant.rule,
            plant.path,
            shown()
        );
        let finding = findings[0];
        assert_eq!(finding["rule"], plant.rule.as_str(), "{}", shown());
        assert_eq!(finding["path"], plant.path.as_str(), "{}", shown());
        assert_eq!(
            place_of(finding, "start"),
            place(&text, start),
            "`{}`\n{}",
            plant.rule,
            shown()
        );
        assert_eq!(
            place_of(finding, "end"),
            place(&text, end),
            "`{}`\n{}",
            plant.rule,
            shown()
        );
        assert_eq!(ran.status(), status_of(&plant.rule), "`{}`", plant.rule);
    }
}

#[test]
fn each_rule_is_planted_or_it_is_said_why_not() {
    let Planted { plant, elsewhere } = planted();
    let planted: BTreeSet<&str> = plant.iter().map(|plant| plant.rule.as_str()).collect();
    for Elsewhere { rule, why } in &elsewhere {
        assert!(
            !planted.contains(rule.as_str()),
            "`{rule}` is planted, so it is not elsewhere"
        );
        assert!(rules::find(rule).is_some(), "`{rule}` is no rule");
        assert!(why.len() > 10, "`{rule}`: why?");
    }
    let excused: BTreeSet<&str> = elsewhere.iter().map(|it| it.rule.as_str()).collect();
    let missing: Vec<&str> = rules::all()
        .map(|rule| rule.id)
        .filter(|id| !planted.contains(id) && !excused.contains(id))
        .collect();
    assert!(
        missing.is_empty(),
        "neither planted nor excused: {missing:?}"
    );
}

#[test]
fn the_reference_deployment_itself_is_clean() {
    let folder = Folder::of_the_reference_deployment();
    let ran = folder.run(&["validate", "--strict", "--fail-on", "note"]);
    assert_eq!(ran.status(), 0, "{}", ran.stdout());
    assert_eq!(ran.stderr(), "");
}
