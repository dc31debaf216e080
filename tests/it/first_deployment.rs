//! What goes wrong in a first deployment, through the program: each slip is told at its place, with what may be meant.
#![expect(
    clippy::disallowed_methods,
    reason = "these tests make a repository with git"
)]

use std::process::Command;

use pointsman::generate;

use crate::binary::{Folder, Ran};

const WORKFLOW: &str = ".github/workflows/dns-failover.yml";

fn with_program(bytes: &[u8]) -> Folder {
    let folder = Folder::of_the_reference_deployment();
    // The reference deployment allows itself to have no program.
    let spec = folder.read("pointsman.toml");
    let allowed = spec.find("[[allow]]").unwrap_or(spec.len());
    folder.write("pointsman.toml", spec.get(..allowed).unwrap_or_default());
    folder.write("bin/pointsman-switch", bytes);
    let sum = generate::sha256(bytes);
    folder.write(
        "bin/pointsman-switch.sha256",
        format!("{sum}  bin/pointsman-switch\n"),
    );
    folder
}

fn git(folder: &Folder, arguments: &[&str]) -> bool {
    let mut command = Command::new("git");
    command.args(arguments).current_dir(folder.path());
    command
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env_remove("GIT_DIR");
    command.output().is_ok_and(|ran| ran.status.success())
}

/// What is said of the program.
fn told(ran: &Ran) -> Vec<String> {
    let report = ran.json();
    let findings = report["findings"].as_array().cloned().unwrap_or_default();
    let of_rule = findings
        .iter()
        .filter(|one| one["rule"] == "executor-not-committed");
    of_rule
        .map(|one| format!("{}: {}", one["severity"], one["message"]))
        .collect()
}

#[test]
fn a_program_that_git_has_not_or_has_without_its_bit_is_told() {
    let folder = with_program(b"\x7fELF and more");
    let validated = || folder.run(&["validate", "--format", "json"]);
    assert_eq!(
        told(&validated()),
        Vec::<String>::new(),
        "there is no repository"
    );
    if !git(&folder, &["init", "-q"]) {
        eprintln!("git is not here; its index is not looked at");
        return;
    }
    let found = told(&validated()).join("\n");
    assert!(
        found.contains("warning") && found.contains("is not in git's index"),
        "{found}"
    );
    assert!(git(&folder, &["add", "-f", "."]));
    assert!(git(
        &folder,
        &["update-index", "--chmod=-x", "bin/pointsman-switch"]
    ));
    let found = told(&validated()).join("\n");
    assert!(
        found.contains("error") && found.contains("permission denied"),
        "{found}"
    );
    for version in ["2", "4"] {
        assert!(git(&folder, &["update-index", "--index-version", version]));
        assert!(git(
            &folder,
            &["update-index", "--chmod=+x", "bin/pointsman-switch"]
        ));
        assert_eq!(
            told(&validated()),
            Vec::<String>::new(),
            "version {version}"
        );
    }
    folder.write(".git/index", "no index");
    let report = validated().json();
    let why = report["undecided"][0]["why"].to_string();
    assert!(why.contains("git's index cannot be read"), "{report:#}");
}

#[test]
fn a_text_in_place_of_the_program_is_told_although_its_sum_is_right() {
    let folder = with_program(b"hi\n");
    let found = told(&folder.run(&["validate", "--format", "json"])).join("\n");
    assert!(found.contains("is no program"), "{found}");
}

#[test]
fn a_kind_that_autokuma_does_not_read_and_an_empty_file_are_told() {
    let folder = Folder::of_the_reference_deployment();
    let notice = folder.read("monitors/edge-notice.yaml");
    folder.write(
        "monitors/edge-notice.yaml",
        notice.replace("KumaEntity", "KumaEntitty"),
    );
    folder.write("monitors/edge-watch.yaml", "");
    let out = folder.run(&["validate"]).stdout();
    assert!(
        out.contains(
            "`kind: KumaEntitty` is nothing that AutoKuma reads; did you mean `KumaEntity`?"
        ),
        "{out}"
    );
    assert!(
        out.contains(
            "the file is empty; a monitor or a notification, `kind: KumaEntity`, is expected"
        ),
        "{out}"
    );
}

#[test]
fn a_type_that_there_is_not_has_one_finding_and_a_key_that_nearly_is_one_is_told() {
    let folder = Folder::of_the_reference_deployment();
    let watch = folder.read("monitors/edge-watch.yaml");
    folder.write(
        "monitors/edge-watch.yaml",
        watch.replace("type: http\n", "type: htttp\n"),
    );
    let workflow = folder.read(WORKFLOW);
    folder.write(
        WORKFLOW,
        workflow.replace("timeout-minutes:", "timeout-minute:"),
    );
    let out = folder.run(&["validate"]).stdout();
    assert!(out.contains("did you mean `http`?"), "{out}");
    assert!(!out.contains("resend-dropped-by-autokuma"), "{out}");
    assert!(out.contains("it is written `timeout-minutes`"), "{out}");
}

#[test]
fn a_tag_is_pinned_with_the_comment_of_the_spec_and_the_files_are_then_those_of_generate() {
    let folder = Folder::of_the_reference_deployment();
    let workflow = folder.read(WORKFLOW);
    let pin = "actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1 # v7.0.1";
    assert!(workflow.contains(pin));
    folder.write(WORKFLOW, workflow.replace(pin, "actions/checkout@v7"));
    folder.run(&["validate", "--fix"]);
    assert_eq!(folder.read(WORKFLOW), workflow);
    assert_eq!(folder.run(&["generate", "--check"]).status(), 0);
    for (quoted, fixed) in [
        (
            "\"actions/checkout@v7\"",
            "\"actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1\" # v7.0.1",
        ),
        ("actions/checkout@v7 # newest", pin),
    ] {
        folder.write(WORKFLOW, workflow.replace(pin, quoted));
        folder.run(&["validate", "--fix"]);
        assert_eq!(
            folder.read(WORKFLOW),
            workflow.replace(pin, fixed),
            "{quoted}"
        );
    }
}

#[test]
fn without_a_lock_pins_say_so_and_how_to_get_one() {
    let folder = Folder::of_the_reference_deployment();
    if folder.path().join("pins.lock").exists() {
        folder.remove("pins.lock");
    }
    for command in ["list", "verify"] {
        let out = folder.run(&["pins", command]).stdout();
        assert!(
            out.contains("note: there is no `pins.lock` here: `pointsman pins update --online`"),
            "{out}"
        );
    }
}

#[test]
fn a_forecast_takes_and_prints_the_names_of_the_spec_and_heads_its_columns() {
    let folder = Folder::of_the_reference_deployment();
    let out = folder
        .run(&[
            "forecast",
            "--outages",
            "1000",
            "--set",
            "monitors.edge_watch.retries=1",
            "--set",
            "monitor.edge.timeout=10",
        ])
        .stdout();
    assert!(
        out.contains("as it is") && out.contains("with that"),
        "{out}"
    );
    assert!(
        out.contains("monitors.edge_watch.retries") && !out.contains("  monitor.edge.retries"),
        "{out}"
    );
}

#[test]
fn every_empty_name_of_a_spec_is_told_in_the_first_round_and_a_number_with_a_unit_as_what_it_is() {
    let folder = Folder::empty();
    assert_eq!(folder.run(&["init"]).status(), 0);
    let ran = folder.run(&["generate"]);
    assert_eq!(ran.status(), 2);
    let names = ran.stdout().matches("a record name is empty").count();
    assert_eq!(names, 2, "{}", ran.stdout());
    folder.write("pointsman.toml", "[records]\nttl = 60 x\n");
    let out = folder.run(&["generate"]).stdout();
    assert!(
        out.contains("`60 x` begins as a number") && !out.contains("must be quoted"),
        "{out}"
    );
    folder.write("pointsman.toml", "[origin]\nname = 198.51.100.10\n");
    let out = folder.run(&["generate"]).stdout();
    assert!(out.contains("straight quotes"), "{out}");
}
