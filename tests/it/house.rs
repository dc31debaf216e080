//! The laws of the house, read from the sources: which floor may import which, what every file has, what no file has.
#![expect(
    clippy::disallowed_methods,
    reason = "the house inspector reads the sources"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use pointsman::rules;

/// The floor of each module; a file may use modules of its own or a lower floor, and on its own floor only those that
/// stand in [`BESIDE`].
const FLOORS: &[(&str, u32)] = &[
    ("text", 0),
    ("diag", 0),
    ("parts", 0),
    ("syntax", 1),
    ("model", 2),
    ("iam", 3),
    ("generate", 3),
    ("terraform", 3),
    ("failover", 3),
    ("forecast", 3),
    ("propagation", 3),
    ("ports", 4),
    ("rules", 4),
    ("check", 4),
    ("chain", 4),
    ("report", 5),
    ("execution", 5),
    ("adapters", 5),
    ("app", 6),
    ("drill", 6),
    ("switch", 7),
    ("cli", 7),
];

/// What may be used on the same floor. `report` draws what `app` gives it and knows no rule.
const BESIDE: &[(&str, &str)] = &[
    ("diag", "text"),
    ("check", "rules"),
    ("chain", "rules"),
    ("chain", "check"),
    ("terraform", "iam"),
    ("app", "drill"),
    ("cli", "switch"),
];

/// What may not be used, though it lies lower.
const APART: &[(&str, &str, &str)] = &[
    (
        "report",
        "rules",
        "a renderer draws findings, whatever found them",
    ),
    ("report", "ports", "a renderer writes to what it is given"),
    ("rules", "ports", "a rule reads no files"),
    ("adapters", "rules", "an adapter knows the outside alone"),
    ("adapters", "check", "an adapter knows the outside alone"),
    ("execution", "iam", "a run of the executor checks nothing"),
    ("execution", "rules", "a run of the executor checks nothing"),
    ("execution", "check", "a run of the executor checks nothing"),
];

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn files_below(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else if path.to_string_lossy().ends_with(ending) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

fn sources() -> Vec<(String, String)> {
    let src = root().join("src");
    let named = |path: PathBuf| {
        let name = path
            .strip_prefix(&src)
            .unwrap()
            .to_string_lossy()
            .replace('\\', "/");
        (name, fs::read_to_string(&path).unwrap())
    };
    files_below(&src, ".rs").into_iter().map(named).collect()
}

/// The part of a file that is not its tests.
fn without_tests(text: &str) -> &str {
    text.split("#[cfg(test)]\nmod tests").next().unwrap_or(text)
}

fn module_of(name: &str) -> &str {
    name.split(['/', '.']).next().unwrap_or(name)
}

#[test]
fn imports_go_down_only() {
    let floors: BTreeMap<&str, u32> = FLOORS.iter().copied().collect();
    for (name, text) in sources() {
        let from = module_of(&name);
        if ["lib", "main", "bin"].contains(&from) {
            continue;
        }
        let floor = floors
            .get(from)
            .unwrap_or_else(|| panic!("src/{name}: `{from}` has no floor in this test"));
        for part in without_tests(&text).split("use crate::").skip(1) {
            let to = part
                .split(|c: char| !c.is_alphanumeric() && c != '_')
                .next()
                .unwrap_or_default();
            let other = floors
                .get(to)
                .unwrap_or_else(|| panic!("src/{name}: `{to}` has no floor in this test"));
            let beside = from == to || BESIDE.contains(&(from, to));
            assert!(
                other < floor || beside,
                "src/{name} (floor {floor}) uses `{to}` (floor {other})"
            );
            for (a, b, why) in APART {
                assert!(!(from == *a && to == *b), "src/{name} uses `{b}`: {why}");
            }
        }
    }
}

#[test]
fn crate_paths_stand_in_use_lines_alone() {
    for (name, text) in sources() {
        for (index, line) in without_tests(&text).lines().enumerate() {
            let code = line.split("//").next().unwrap_or_default();
            let import =
                code.trim_start().starts_with("use ") || code.trim_start().starts_with("pub use ");
            let restricted = code.replace("pub(in crate::", "");
            assert!(
                import || !restricted.contains("crate::"),
                "src/{name}:{}: import it above instead: {line}",
                index + 1
            );
        }
    }
}

#[test]
fn every_file_says_what_it_is() {
    for (name, text) in sources() {
        assert!(
            text.starts_with("//! ") || name == "lib.rs",
            "src/{name} does not begin with `//! `"
        );
    }
    for path in files_below(&root().join("tests"), ".rs") {
        assert!(
            fs::read_to_string(&path).unwrap().starts_with("//! "),
            "{} does not begin with `//! `",
            path.display()
        );
    }
}

#[test]
fn no_test_is_ignored_and_no_warning_silenced_without_end() {
    let tests = files_below(&root().join("tests"), ".rs");
    let all = tests
        .into_iter()
        .chain(files_below(&root().join("src"), ".rs"));
    for path in all.filter(|path| !path.ends_with("house.rs")) {
        let text = fs::read_to_string(&path).unwrap();
        for word in [
            "#[ignore",
            "#[should_panic",
            "#[allow(",
            "#![allow(",
            "todo!(",
            "unimplemented!(",
        ] {
            assert!(!text.contains(word), "{} has `{word}`", path.display());
        }
    }
}

#[test]
fn the_outside_is_known_to_adapters_and_rehearsals_alone() {
    for (name, text) in sources() {
        let module = module_of(&name);
        for word in [
            "std::fs",
            "std::net::Tcp",
            "std::net::Udp",
            "std::process::Command",
            "tokio::",
            "aws_sdk",
            "aws_config",
        ] {
            let known = module == "adapters" || module == "drill";
            assert!(
                known || !without_tests(&text).contains(word),
                "src/{name} knows `{word}`"
            );
        }
    }
}

/// Files that ask the environment, and the only variables that each asks for.
const ENVIRONMENT: &[(&str, &[&str])] = &[
    (
        "cli/mod.rs",
        // The token reads runs in an exercise.
        &["GITHUB_ACTIONS", "NO_COLOR", "GH_TOKEN", "GITHUB_TOKEN"],
    ),
    // Where `--online` says so.
    ("cli/pins.rs", &["GITHUB_API_URL", "GITHUB_TOKEN"]),
    // Its own list, [`pointsman::switch::VARIABLES`], and the pin's, which the spec names.
    ("switch/inputs.rs", &[]),
    // Builds for rehearsals alone.
    ("switch/detour.rs", &[]),
];

#[test]
fn the_environment_is_asked_in_few_places_for_few_variables() {
    for (name, text) in sources() {
        let text = without_tests(&text);
        let known = ENVIRONMENT.iter().find(|(file, _)| *file == name);
        for word in ["env::var", "env::vars", "option_env!"] {
            let Some((_, variables)) = known else {
                assert!(!text.contains(word), "src/{name} has `{word}`");
                continue;
            };
            for part in text.split("env::var(").skip(1) {
                let variable = part.split('"').nth(1).unwrap_or_default();
                assert!(
                    variables.contains(&variable),
                    "src/{name} asks for `{variable}`"
                );
            }
        }
    }
}

#[test]
fn the_program_of_the_executor_has_no_way_to_a_rehearsal() {
    let main = fs::read_to_string(root().join("src/bin/pointsman_switch.rs")).unwrap();
    assert!(main.contains("pointsman::switch::main()") && !main.contains("drill"));
    for (name, text) in sources() {
        let text = without_tests(&text);
        let known = [
            "switch/detour.rs",
            "switch/rehearsed.rs",
            "cli/executor.rs",
            "adapters/executor/world.rs",
        ];
        let asks = text.contains("on_loopback") || text.contains("switch::world");
        assert!(
            !asks || known.contains(&name.as_str()),
            "src/{name} takes another world"
        );
    }
}

#[cfg(feature = "switch")]
#[test]
fn every_variable_of_the_executor_is_for_credentials_or_reporting() {
    for variable in pointsman::switch::VARIABLES {
        let starts = [
            "GITHUB_",
            "RUNNER_TEMP",
            "ACTIONS_ID_TOKEN_REQUEST_",
            "AWS_",
        ];
        assert!(
            starts.iter().any(|start| variable.starts_with(start)),
            "{variable}"
        );
    }
    let (_, inputs) = sources()
        .into_iter()
        .find(|(name, _)| name == "switch/inputs.rs")
        .unwrap();
    // Whatever is asked for by name is in the list: the only other way in is the pin's.
    assert_eq!(without_tests(&inputs).matches("(self.read)(").count(), 2);
}

#[test]
fn every_rule_file_is_in_its_list_and_has_its_page() {
    let listed: BTreeSet<String> = rules::all().map(|rule| rule.id.replace('-', "_")).collect();
    let mut files = BTreeSet::new();
    for path in files_below(&root().join("src/rules"), ".md") {
        let stem = path.file_stem().unwrap().to_string_lossy().into_owned();
        assert!(
            path.with_extension("rs").exists(),
            "{} has no rule beside it",
            path.display()
        );
        files.insert(stem);
    }
    assert_eq!(
        files, listed,
        "pages beside rules, and rules in the lists, must be the same"
    );
}

#[test]
fn rule_ids_are_unique_and_their_list_is_reviewed() {
    let mut seen = BTreeSet::new();
    let mut list = String::new();
    for (family, rules) in rules::FAMILIES {
        assert!(
            rules.is_sorted_by_key(|rule| rule.id),
            "the rules of `{family}` are not in alphabetical order"
        );
        for rule in *rules {
            let names = rule.aliases.iter().copied().chain([rule.id]);
            for name in names {
                assert!(seen.insert(name), "`{name}` names two rules");
                let kebab = name
                    .chars()
                    .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-');
                assert!(kebab, "`{name}` is not in kebab case");
            }
            list.push_str(&format!(
                "{:8} {:7} {}\n",
                family,
                rule.severity.word(),
                rule.id
            ));
        }
    }
    crate::snapshot::assert("rule_ids", &list);
}

#[test]
fn every_test_file_is_declared() {
    let main = include_str!("main.rs");
    for path in files_below(&root().join("tests/it"), ".rs") {
        let stem = path.file_stem().unwrap().to_string_lossy().into_owned();
        assert!(
            stem == "main" || main.contains(&format!("mod {stem};")),
            "tests/it/{stem}.rs is not declared"
        );
    }
}
