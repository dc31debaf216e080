//! Generated Terraform before an outside judge: `terraform fmt`, where it is installed.
#![expect(
    clippy::disallowed_methods,
    reason = "the judge is a program of its own and reads files"
)]

use std::fs;
use std::process::Command;

use pointsman::generate;
use pointsman::model::spec::Spec;
use pointsman::text::SourceMap;

use crate::deployment::REFERENCE_SPEC;

fn made(spec: &str) -> Vec<generate::Artefact> {
    let mut sources = SourceMap::default();
    let file = sources.add("pointsman.toml", spec);
    let spec = Spec::read(&sources.text(file).unwrap()).unwrap();
    generate::all(&spec).unwrap()
}

/// Specs whose modules have every form that the writer knows: long and short lists, two families, odd names, a session
/// that is longer than usual.
fn specs() -> Vec<String> {
    let many: Vec<String> = (0..12)
        .map(|n| format!("\"host-{n}.example.com\""))
        .collect();
    let both = REFERENCE_SPEC
        .replacen("types = [\"A\"]", "types = [\"A\", \"AAAA\"]", 1)
        .replacen(
            "ipv4 = \"198.51.100.10\"",
            "ipv4 = \"198.51.100.10\"\nipv6 = \"2001:db8::10\"",
            1,
        )
        .replacen(
            "ipv4 = \"203.0.113.20\"",
            "ipv4 = \"203.0.113.20\"\nipv6 = \"2001:db8::20\"",
            1,
        );
    vec![
        REFERENCE_SPEC.to_owned(),
        REFERENCE_SPEC.replacen("names = [", &format!("names = [{}, ", many.join(", ")), 1),
        both,
        REFERENCE_SPEC
            .replacen("names = [", "names = ['a\\044\\173b\\175.example.com', ", 1)
            .replacen("role = ", "session_seconds = 7200\nrole = ", 1)
            .replacen(
                "branch = ",
                "environment = \"prod: \\\"east\\\" \\\\ %{x}\"\nbranch = ",
                1,
            ),
    ]
}

#[test]
fn terraform_fmt_has_nothing_to_change() {
    if Command::new("terraform").arg("version").output().is_err() {
        println!("not checked: terraform is not installed");
        return;
    }
    for spec in specs() {
        let folder = tempfile::tempdir().unwrap();
        for artefact in made(&spec) {
            if let Some(name) = artefact.path.strip_prefix("terraform/") {
                fs::write(folder.path().join(name), artefact.text).unwrap();
            }
        }
        let judged = Command::new("terraform")
            .args(["fmt", "-check", "-diff"])
            .current_dir(folder.path())
            .output()
            .unwrap();
        assert!(
            judged.status.success(),
            "{}{}",
            String::from_utf8_lossy(&judged.stdout),
            String::from_utf8_lossy(&judged.stderr)
        );
    }
}
