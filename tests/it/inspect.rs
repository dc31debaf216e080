//! `pointsman inspect policy`: the normalised document, and each statement in words.

use serde_json::json;

use crate::binary::Folder;

#[test]
fn a_policy_is_shown_in_words() {
    let folder = Folder::of_the_reference_deployment();
    let ran = folder.run(&["inspect", "policy", "policies/change-records.json"]);
    assert_eq!(ran.status(), 0);
    crate::snapshot::assert("inspect__change_records", &ran.stdout());
}

#[test]
fn what_is_not_read_of_a_workflow_is_told_in_the_same_words_by_the_lint() {
    for (path, text) in [
        (
            "two.yml",
            "on: push\njobs: {a: {runs-on: x, steps: [{run: x}]}}\n---\non: push\njobs: {}\n",
        ),
        (
            "again.yml",
            "on: push\njobs:\n  a:\n    runs-on: x\n    steps:\n      - &a\n        run: x\n        env: *a\n",
        ),
        (
            "action.yml",
            "name: a\nruns: {using: composite, steps: []}\n---\nname: b\n",
        ),
    ] {
        let folder = Folder::of_the_reference_deployment();
        folder.write(path, text);
        let reasons = |command: &str| {
            let ran = folder.run(&[command, "workflow", path, "--format", "json"]);
            assert_eq!(ran.status(), 4, "{command} {path}");
            let told: serde_json::Value = serde_json::from_str(&ran.stdout()).unwrap();
            let unread = told
                .get("unread")
                .and_then(serde_json::Value::as_array)
                .unwrap();
            let reasons = unread.iter().map(|one| one.get("reason").unwrap().clone());
            reasons.collect::<Vec<_>>()
        };
        assert_eq!(reasons("inspect"), reasons("validate"), "{path}");
    }
}

#[test]
fn the_same_policy_written_otherwise_is_the_same_document() {
    let short = r#"{"Statement":{"Action":"s3:GetObject","Effect":"Allow","Resource":"*","Condition":{"Bool":{"aws:SecureTransport":true}}},"Version":"2012-10-17"}"#;
    let long = r#"{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":["s3:GetObject"],"Resource":["*"],"Condition":{"Bool":{"aws:SecureTransport":["true"]}}}]}"#;
    let folder = Folder::empty();
    folder.write("short.json", short);
    folder.write("long.json", long);
    let shown = |path| {
        folder
            .run(&["inspect", "policy", path, "--format", "json"])
            .json()
    };
    let (short, long) = (shown("short.json"), shown("long.json"));
    assert_eq!(
        short["policies"][0]["document"],
        long["policies"][0]["document"]
    );
    assert_eq!(
        short["policies"][0]["document"]["Statement"][0]["Action"],
        json!(["s3:GetObject"])
    );
    assert_eq!(
        short["policies"][0]["statements"][0]["says"]["if"],
        json!(["`aws:SecureTransport` is `true`"])
    );
}

#[test]
fn what_is_not_known_or_not_right_is_told() {
    let folder = Folder::empty();
    folder.write(
        "main.tf",
        "variable \"zone\" {}\nresource \"aws_iam_role_policy\" \"p\" {\n  role   = \"r\"\n  policy = jsonencode({ Version = \"2012-10-17\", Statement = [{ Effect = \"Allow\", Action = \"route53:GetHostedZone\", Resource = var.zone }] })\n}\n",
    );
    let ran = folder.run(&["inspect", "policy", "main.tf", "--format", "json"]);
    let shown = ran.json();
    assert_eq!(
        shown["policies"][0]["address"], "aws_iam_role_policy.p.policy",
        "{shown:#}"
    );
    assert_eq!(
        shown["policies"][0]["document"]["Statement"][0]["Resource"],
        json!([null])
    );
    assert_eq!(shown["undecided"][0]["missing"], json!(["var.zone"]));
    let wrong = folder.run_with_input(
        &["inspect", "policy", "-"],
        r#"{"Version":"2012-10-17","Statement":[{"Effect":"allow","Action":"*","Resource":"*"}]}"#,
    );
    assert!(
        wrong.stdout().contains("<stdin>:1:1") && wrong.stdout().contains("`allow` is no effect"),
        "{}",
        wrong.stdout()
    );
    assert_eq!(folder.run(&["inspect", "policy", "none.json"]).status(), 3);
    folder.write("x.json", "[]");
    assert_eq!(folder.run(&["inspect", "policy", "x.json"]).status(), 4);
}

#[test]
fn a_null_that_asks_nothing_and_a_list_of_nothing_are_said_as_they_are() {
    let folder = Folder::empty();
    let policy = r#"{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":5,"Resource":[],
        "Condition":{"Null":{"aws:TagKeys":["true","false"]}}}]}"#;
    folder.write("p.json", policy);
    let shown = folder
        .run(&["inspect", "policy", "p.json", "--format", "json"])
        .json();
    let statement = &shown["policies"][0]["document"]["Statement"][0];
    assert_eq!(statement["Action"], json!([]));
    assert_eq!(statement["Resource"], json!([]));
    let says = shown["policies"][0]["statements"][0]["says"]["if"][0]
        .as_str()
        .unwrap();
    assert!(says.ends_with("this holds for every request"), "{says}");
}

#[test]
fn completions_and_the_manual_go_to_standard_output() {
    let folder = Folder::empty();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let ran = folder.run(&["completions", shell]);
        assert_eq!(ran.status(), 0);
        assert!(ran.stdout().contains("policy-type"), "{shell}");
    }
    let manual = folder.run(&["man"]);
    assert!(
        manual.stdout().contains(".TH") && manual.stdout().contains("fail\\-on"),
        "{}",
        manual.stdout()
    );
    assert_eq!(manual.stderr(), "");
    assert!(folder.all().is_empty());
}

#[test]
fn a_page_is_short_unless_all_of_it_is_asked_for() {
    let folder = Folder::empty();
    let short = folder.run(&["explain", "r53-type-invalid"]).stdout();
    let full = folder
        .run(&["explain", "r53-type-invalid", "--full"])
        .stdout();
    for heading in ["## What it finds", "## Bad", "## Good", "## How to mend"] {
        assert!(
            short.contains(heading) && full.contains(heading),
            "{heading}"
        );
    }
    assert!(!short.contains("## Sources") && full.contains("## Sources"));
    assert_eq!(short.matches("```").count(), 4);
}

#[test]
fn what_an_expression_decides_about_the_token_in_the_checkout_is_open() {
    let folder = Folder::of_the_reference_deployment();
    let path = ".github/workflows/dns-failover.yml";
    let text = folder.read(path);
    let keeps = "persist-credentials: false";
    assert!(text.contains(keeps));
    folder.write(
        path,
        text.replace(keeps, "persist-credentials: ${{ vars.KEEP }}"),
    );
    let ran = folder.run(&["validate", "workflow", "--format", "json"]);
    let told = ran.json();
    let what = told.pointer("/undecided/0/what").and_then(|it| it.as_str());
    assert_eq!(what, Some("whether the job's token stays in the checkout"));
    assert_eq!(ran.status(), 4);
}
