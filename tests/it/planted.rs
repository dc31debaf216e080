//! For each rule, a copy of the reference deployment with that one fault planted: the program finds it at the right file,
//! line and column, nothing else anywhere, and ends with status 1, or 2 where the spec itself is wrong, the same in every
//! format. The faults stand in `data/planted.toml`.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};

use pointsman::rules;
use serde::Deserialize;
use serde_json::Value;

use crate::binary::Folder;
use crate::places::{each_place_is_its_text, number, position};

#[derive(Deserialize)]
struct Planted {
    plant: Vec<Plant>,
    /// Rules whose fault cannot stand alone in the reference deployment, and why.
    #[serde(default)]
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
    /// With the spec every fault of an artefact is an error; what is none of that says what it is.
    #[serde(default = "error")]
    severity: String,
    /// Rules that rightly speak as well, since there are two faults.
    #[serde(default)]
    also: Vec<String>,
}

fn error() -> String {
    "error".to_owned()
}

#[derive(Deserialize)]
struct Elsewhere {
    rule: String,
    why: String,
}

fn planted() -> Planted {
    toml::from_str(include_str!("data/planted.toml")).unwrap()
}

/// The file with the fault in it, and where it is pointed at.
fn planted_text(folder: &Folder, plant: &Plant) -> Result<(String, usize, usize), String> {
    let marked = match &plant.from {
        Some(from) => {
            let text = folder.read(&plant.path);
            let places = text.matches(from.as_str()).count();
            if places != 1 {
                return Err(format!("`{from}` stands {places} times in {}", plant.path));
            }
            text.replacen(from.as_str(), &plant.to, 1)
        }
        None => plant.to.clone(),
    };
    let (Some(start), Some(end)) = (marked.find('«'), marked.find('»')) else {
        return Err("no place is marked".to_owned());
    };
    let text = marked.replace(['«', '»'], "");
    Ok((text, start, end - '«'.len_utf8()))
}

fn place_of(finding: &Value, end: &str) -> (usize, usize) {
    let of = |name: &str| number(&finding["span"][end][name]).unwrap();
    (of("line"), of("column"))
}

/// The folder with the fault in it, and the place at which it is expected.
fn folder_with(plant: &Plant) -> Result<(Folder, [(usize, usize); 2]), String> {
    let folder = Folder::of_the_reference_deployment();
    let (text, start, end) = planted_text(&folder, plant)?;
    folder.write(&plant.path, &text);
    if let Some(path) = &plant.remove {
        folder.remove(path);
    }
    Ok((folder, [position(&text, start), position(&text, end)]))
}

/// What is wrong with how the program finds this fault.
fn fault_of(plant: &Plant, in_each_format: bool) -> Result<(), String> {
    let (folder, [start, end]) = folder_with(plant)?;
    let run = |format| folder.run(&["validate", "--format", format, "--fail-on", &plant.severity]);
    let ran = run("json");
    let report = ran.json();
    let all = report["findings"].as_array().unwrap();
    let fail = |what: String| Err(format!("{what}\n{}", run("human").stdout()));
    let (also, findings): (Vec<&Value>, Vec<&Value>) = all.iter().partition(|finding| {
        let rule = finding["rule"].as_str().unwrap();
        rule != plant.rule && plant.also.iter().any(|name| name == rule)
    });
    if also.len() != plant.also.len() {
        return fail(format!("{} of `also` {:?}", also.len(), plant.also));
    }
    let [finding] = findings.as_slice() else {
        return fail(format!("{} findings", findings.len()));
    };
    if finding["rule"] != plant.rule.as_str() || finding["path"] != plant.path.as_str() {
        return fail("another finding".to_owned());
    }
    let found = [place_of(finding, "start"), place_of(finding, "end")];
    if found != [start, end] {
        return fail(format!("found at {found:?}, planted at {:?}", [start, end]));
    }
    if finding["severity"] != plant.severity.as_str() {
        return fail(format!("is no {}", plant.severity));
    }
    for count in ["undecided", "unread"] {
        if report["summary"][count] != 0 {
            return fail(format!("something is {count}"));
        }
    }
    each_place_is_its_text(&folder, &report)?;
    let status = status_of(&plant.rule);
    if ran.status() != status {
        return fail(format!("ends with {}", ran.status()));
    }
    if !in_each_format {
        return Ok(());
    }
    let (human, github) = (run("human"), run("github"));
    for (format, ran) in [("human", &human), ("github", &github)] {
        if ran.status() != status {
            return fail(format!("ends with {} in `{format}`", ran.status()));
        }
    }
    if places_in_human(&human.stdout()) != places_in(all) {
        return fail("other places in `human`".to_owned());
    }
    if places_in_github(&github.stdout()) != places_in(all) {
        return fail(format!("other places in `github`:\n{}", github.stdout()));
    }
    Ok(())
}

/// Rule, path and line of every finding.
type Places = BTreeSet<(String, String, usize)>;

fn places_in(findings: &[Value]) -> Places {
    let text = |finding: &Value, key: &str| finding[key].as_str().unwrap().to_owned();
    findings
        .iter()
        .map(|it| (text(it, "rule"), text(it, "path"), place_of(it, "start").0))
        .collect()
}

fn places_in_human(shown: &str) -> Places {
    let mut places = Places::new();
    let mut rule = None;
    for line in shown.lines() {
        let named = ["error[", "warning[", "note["]
            .iter()
            .find_map(|start| line.strip_prefix(start)?.split_once(']'));
        if let Some((name, _)) = named {
            rule = Some(name.to_owned());
        } else if let Some(place) = line.trim_start().strip_prefix("--> ") {
            let mut parts = place.rsplitn(3, ':').skip(1);
            let line = parts.next().unwrap().parse().unwrap();
            let path = parts.next().unwrap().to_owned();
            places.extend(rule.take().map(|rule| (rule, path, line)));
        }
    }
    places
}

fn places_in_github(shown: &str) -> Places {
    let mut places = Places::new();
    for command in shown.lines().filter_map(|line| line.strip_prefix("::")) {
        let (head, _) = command.split_once("::").unwrap();
        let (_, properties) = head.split_once(' ').unwrap();
        let property = |name: &str| {
            let mut all = properties.split(',');
            all.find_map(|it| it.strip_prefix(name)?.strip_prefix('='))
                .unwrap()
        };
        let line = property("line").parse().unwrap();
        places.insert((
            property("title").to_owned(),
            property("file").to_owned(),
            line,
        ));
    }
    places
}

/// A wrong spec is wrong usage (2); a fault of an artefact is a finding (1).
fn status_of(rule: &str) -> i32 {
    let of_the_spec = rules::spec::RULES.iter().any(|it| it.id == rule);
    if of_the_spec { 2 } else { 1 }
}

#[test]
fn each_planted_fault_is_found_at_its_place_and_nothing_else() {
    let plants = planted().plant;
    let next = AtomicUsize::new(0);
    let work = || {
        let mut faults = Vec::new();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(plant) = plants.get(at) else {
                break;
            };
            // Every rule in every format; further faults of the same rule in one.
            let first = plants[..at].iter().all(|other| other.rule != plant.rule);
            if let Err(fault) = fault_of(plant, first) {
                faults.push(format!("`{}` in {}: {fault}", plant.rule, plant.path));
            }
        }
        faults
    };
    let threads = std::thread::available_parallelism().map_or(2, usize::from);
    let faults: Vec<String> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        workers
            .into_iter()
            .flat_map(|worker| worker.join().unwrap())
            .collect()
    });
    let count = faults.len();
    assert!(
        faults.is_empty(),
        "{count} of {}:\n\n{}",
        plants.len(),
        faults.join("\n\n")
    );
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
