//! What `validate` looks at: named files, folders, subjects, and nothing that git ignores.

use crate::binary::Folder;

#[test]
fn a_named_file_is_judged_with_its_module_beside_it() {
    let folder = Folder::of_the_reference_deployment();
    for path in [
        "terraform/iam.tf",
        "terraform/records.tf",
        "monitors/edge-watch.yaml",
    ] {
        let ran = folder.run(&["validate", "--strict", "--fail-on", "note", path]);
        assert_eq!(ran.status(), 0, "{path}\n{}", ran.stdout());
    }
    let records = folder.read("terraform/records.tf");
    folder.write(
        "terraform/records.tf",
        records.replace("ignore_changes = [records]", "ignore_changes = [ttl]"),
    );
    assert_eq!(
        folder.run(&["validate", "terraform/iam.tf"]).status(),
        0,
        "the fault is in a file that was not named"
    );
    assert_eq!(
        folder.run(&["validate", "terraform/records.tf"]).status(),
        1
    );
}

#[test]
fn a_local_in_a_file_beside_it_is_known() {
    let folder = Folder::empty();
    folder.write("m/locals.tf", "locals {\n  name = \"*.example.com\"\n}\n");
    let policy = r#"resource "aws_iam_role_policy" "x" {
  role = "x"
  policy = jsonencode({
    Version = "2012-10-17"
    Statement = [{
      Effect   = "Allow"
      Action   = "route53:ChangeResourceRecordSets"
      Resource = "arn:aws:route53:::hostedzone/Z0123456789EXAMPLE"
      Condition = {
        "ForAllValues:StringEquals" = { "route53:ChangeResourceRecordSetsNormalizedRecordNames" = [local.name] }
        Null = { "route53:ChangeResourceRecordSetsNormalizedRecordNames" = "false" }
      }
    }]
  })
}
"#;
    folder.write("m/policy.tf", policy);
    let report = folder.run(&["validate", "--format", "json", "m"]).json();
    let rules: Vec<&str> = report["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|f| f["rule"].as_str().unwrap())
        .collect();
    assert!(rules.contains(&"r53-name-unescaped-wildcard"), "{rules:?}");
    let named = folder
        .run(&["validate", "--format", "json", "m/policy.tf"])
        .json();
    assert_eq!(named["undecided"].as_array().unwrap().len(), 0, "{named}");
}

#[test]
fn a_subject_looks_at_nothing_else_and_a_named_file_must_be_one() {
    let folder = Folder::of_the_reference_deployment();
    folder.write("policies/trust.json", "{");
    assert_eq!(folder.run(&["validate", "workflow"]).status(), 0);
    assert_eq!(folder.run(&["validate", "trust"]).status(), 4);
    let ran = folder.run(&[
        "validate",
        "--format",
        "json",
        "policy",
        "monitors/edge-watch.yaml",
    ]);
    assert_eq!(ran.status(), 4, "{}", ran.stdout());
    assert_eq!(ran.json()["summary"]["unread"], 1);
}

#[test]
fn each_subject_passes_over_the_artefacts_of_other_kinds() {
    let subjects = ["policy", "trust", "terraform", "workflow", "monitors"];
    for subject in subjects {
        for path in [None, Some(".")] {
            let folder = Folder::of_the_reference_deployment();
            let run = |flags: &[&str]| {
                let mut words = vec!["validate", subject];
                words.extend(path);
                words.extend(flags);
                folder.run(&words)
            };
            let ran = run(&["--strict", "--fail-on", "note"]);
            assert_eq!(ran.status(), 0, "{subject} {path:?}\n{}", ran.stdout());
            let own = match subject {
                "policy" => "policies/read-zone.json",
                "trust" => "policies/trust.json",
                "terraform" => "terraform/iam.tf",
                "workflow" => ".github/workflows/dns-failover.yml",
                _ => "monitors/edge-watch.yaml",
            };
            // A fault in a file of the kind is seen, one in a file of any other kind is not.
            folder.write(own, "{ \"");
            assert_eq!(run(&[]).status(), 4, "{subject} {path:?}");
        }
    }
    let folder = Folder::of_the_reference_deployment();
    folder.write("policies/read-zone.json", "{");
    assert_eq!(folder.run(&["validate", "trust"]).status(), 0);
    let workflow = folder.run(&["validate", "workflow", "monitors/edge-watch.yaml"]);
    assert_eq!(workflow.status(), 4, "a named file must be one");
}

#[test]
fn without_a_spec_everything_that_git_does_not_ignore_is_looked_at() {
    let folder = Folder::empty();
    let bad =
        r#"{"Version":"2012-10-17","Statement":[{"Effect":"allow","Action":"*","Resource":"*"}]}"#;
    folder.write(".gitignore", "out/\n");
    folder.write("out/p.json", bad);
    folder.write("package.json", r#"{"name": "x"}"#);
    folder.write("notes.txt", "nothing");
    assert_eq!(folder.run(&["validate"]).status(), 0);
    folder.write("deep/er/p.json", bad);
    let ran = folder.run(&["validate", "--format", "json"]);
    assert_eq!(ran.status(), 1);
    assert_eq!(ran.json()["findings"][0]["path"], "deep/er/p.json");
}

#[test]
fn a_path_that_is_not_there_is_work_that_could_not_be_done() {
    let ran = Folder::empty().run(&["validate", "nowhere.json"]);
    assert_eq!((ran.status(), ran.stdout().as_str()), (3, ""));
    assert!(
        ran.stderr()
            .contains("`nowhere.json`: there is no such file or folder"),
        "{}",
        ran.stderr()
    );
}

#[test]
fn in_a_job_of_github_actions_findings_are_annotations() {
    let folder = Folder::empty();
    folder.write("p.json", r#"{"Version":"2012-10-17","Statement":[{"Effect":"allow","Action":"s3:Get","Resource":"*"}]}"#);
    let ran = folder.run_in_job(&["validate", "p.json"]);
    assert!(
        ran.stdout()
            .starts_with("::error file=p.json,line=1,endLine=1,col="),
        "{}",
        ran.stdout()
    );
    assert_eq!(ran.status(), 1);
}

#[test]
fn a_path_is_the_same_file_however_it_is_written() {
    let folder = Folder::of_the_reference_deployment();
    let policy = folder.read("policies/change-records.json");
    let other = policy.replace("\"example.com\"", "\"evil.example.com\"");
    folder.write("policies/change-records.json", other);
    let here = folder.path().canonicalize().unwrap();
    let name = here.file_name().unwrap().to_string_lossy().into_owned();
    let absolute = here.join("policies/change-records.json");
    let up = format!("../{name}/policies/change-records.json");
    let paths = [
        "policies/change-records.json",
        "./policies/../policies/change-records.json",
        &up,
    ];
    for path in paths.into_iter().chain([&*absolute.to_string_lossy()]) {
        let ran = folder.run(&["validate", path]);
        assert_eq!(ran.status(), 1, "{path}\n{}", ran.stdout());
        assert!(
            ran.stdout().contains("--> policies/change-records.json:"),
            "{}",
            ran.stdout()
        );
    }
}

#[test]
fn what_is_there_is_checked_though_another_path_is_not() {
    let folder = Folder::empty();
    let bad = r#"{"Version":"2012-10-17","Statement":[{"Effect":"allow","Action":"s3:Get","Resource":"*"}]}"#;
    folder.write("p.json", bad);
    let ran = folder.run(&["validate", "p.json", "nope.json"]);
    assert_eq!(ran.status(), 3);
    assert!(
        ran.stdout().contains("malformed-policy"),
        "{}",
        ran.stdout()
    );
    assert!(ran.stderr().contains("nope.json"), "{}", ran.stderr());
}

#[test]
fn a_run_that_was_asked_for_something_and_found_nothing_is_not_clean() {
    let folder = Folder::empty();
    let ran = folder.run(&["validate"]);
    assert!(
        ran.status() == 0 && ran.stdout().contains("nothing here is a policy"),
        "{}",
        ran.stdout()
    );
    assert_eq!(folder.run(&["validate", "policy"]).status(), 4);
    assert_eq!(folder.run(&["validate", "--strict"]).status(), 4);
    let deployment = Folder::of_the_reference_deployment();
    assert_eq!(
        deployment
            .run(&["validate", "workflow", "policies"])
            .status(),
        4
    );
    assert_eq!(
        deployment
            .run(&["validate", "pointsman.toml", "pointsman.lock"])
            .status(),
        0
    );
    deployment.write("other/pointsman.toml", "");
    assert_eq!(
        deployment
            .run(&["validate", "other/pointsman.toml"])
            .status(),
        4,
        "another spec is not this one"
    );
}

#[test]
fn the_folders_of_the_spec_are_read_whatever_git_ignores() {
    let folder = Folder::of_the_reference_deployment();
    folder.write(".gitignore", "policies/\n*.tf\n");
    let ran = folder.run(&["validate"]);
    assert!(
        ran.status() == 0 && ran.stdout().starts_with("15 files"),
        "{}",
        ran.stdout()
    );
}

#[test]
fn each_subject_alone_says_what_is_missing_of_it() {
    let folder = Folder::of_the_reference_deployment();
    folder.remove("policies/trust.json");
    assert_eq!(folder.run(&["validate", "trust"]).status(), 1);
    assert_eq!(folder.run(&["validate", "workflow"]).status(), 0);
}
