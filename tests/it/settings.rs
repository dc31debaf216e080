//! A `pointsman.toml` of `[[allow]]` alone: the lint without a deployment.

use serde_json::json;

use crate::binary::Folder;

const POLICY: &str = r#"{"Statement":[{"Sid":"A","Effect":"Allow","Action":"s3:GetObject","Resource":"arn:aws:s3:::example/*"}]}"#;

fn allow(extra: &str) -> String {
    format!(
        "[[allow]]\nrule = \"missing-version\"\npath = \"policies/p.json\"\nreason = \"written in 2009, works\"\n{extra}"
    )
}

#[test]
fn suppressions_need_no_deployment() {
    let folder = Folder::empty();
    folder.write("policies/p.json", POLICY);
    assert_eq!(
        folder.run(&["validate", "--format", "json"]).json()["summary"]["warnings"],
        1
    );
    folder.write("pointsman.toml", allow(""));
    for words in [
        &["validate"][..],
        &["validate", "policies"],
        &["validate", "policy", "policies/p.json"],
    ] {
        let ran = folder.run(&[words, &["--format", "json", "--fail-on", "note"]].concat());
        assert_eq!(
            (ran.status(), &ran.json()["findings"]),
            (0, &json!([])),
            "{}",
            ran.stdout()
        );
    }
    let elsewhere = folder.run(&["validate", "--spec", "pointsman.toml", "--format", "sarif"]);
    let suppressed = &elsewhere.json()["runs"][0]["results"][0]["suppressions"][0];
    assert_eq!(suppressed["justification"], "written in 2009, works");
    assert_eq!(suppressed["kind"], "external");
}

#[test]
fn what_is_wrong_with_a_suppression_is_told_at_its_place() {
    let folder = Folder::empty();
    folder.write(
        "policies/p.json",
        POLICY.replacen('{', r#"{"Version":"2012-10-17","#, 1),
    );
    folder.write("pointsman.toml", allow(""));
    let unused = folder.run(&["validate", "--format", "json"]).json();
    assert_eq!(
        unused["findings"][0]["rule"], "suppression-unused",
        "{unused:#}"
    );
    assert_eq!(unused["findings"][0]["span"]["start"]["line"], 2);
    folder.write("pointsman.toml", allow("pth = \"x\"\n"));
    let wrong = folder.run(&["validate", "--format", "json"]);
    assert_eq!(
        (wrong.status(), &wrong.json()["findings"][0]["rule"]),
        (2, &json!("spec-unknown-key"))
    );
}

#[test]
fn a_deployment_cannot_be_generated_from_suppressions() {
    let folder = Folder::empty();
    folder.write("pointsman.toml", allow(""));
    let ran = folder.run(&["generate", "--check"]);
    assert_eq!(ran.status(), 2);
    assert!(ran.stderr().contains("no deployment"), "{}", ran.stderr());
}

#[test]
fn a_path_of_a_suppression_is_read_as_a_path_and_one_that_is_not_there_is_told() {
    let folder = Folder::empty();
    folder.write("policies/p.json", POLICY);
    for path in [
        "./policies/p.json",
        "terraform/../policies//p.json",
        "policies",
        "policies/",
        ".",
    ] {
        let entry = allow("").replace("policies/p.json", path);
        folder.write("pointsman.toml", entry);
        for words in [&["validate"][..], &["validate", "./policies"]] {
            let ran = folder.run(&[words, &["--format", "json", "--fail-on", "note"]].concat());
            assert_eq!(ran.status(), 0, "{path}: {}", ran.stdout());
        }
    }
    let entry = allow("").replace("policies/p.json", "policies/q.json");
    folder.write("pointsman.toml", entry);
    let report = folder.run(&["validate", "--format", "json"]).json();
    let told = report["findings"].to_string();
    assert!(
        told.contains("there is no file `policies/q.json` in this run"),
        "{told}"
    );
}
