//! Whom the module's policies are given to, and which of its roles is the spec's: each way to get it wrong is told.

use crate::binary::Folder;

const CHANGE: &str = "resource \"aws_iam_role_policy\" \"change_records\" {
  name = \"change-records\"
  role = aws_iam_role.failover.name
";

const ANOTHER_ROLE: &str = "
resource \"aws_iam_role\" \"lambda\" {
  name = \"lambda\"
  assume_role_policy = jsonencode({
    Version = \"2012-10-17\"
    Statement = [{
      Effect    = \"Allow\"
      Principal = { Service = \"lambda.amazonaws.com\" }
      Action    = \"sts:AssumeRole\"
    }]
  })
}
";

/// The rules that speak when `from` is `to` in the module's roles, with `more` behind them.
fn told(from: &str, to: &str, more: &str) -> Vec<(String, String)> {
    let folder = Folder::of_the_reference_deployment();
    let text = folder.read("terraform/iam.tf");
    assert_eq!(text.matches(from).count(), 1, "{from}");
    folder.write("terraform/iam.tf", text.replace(from, to) + more);
    let report = folder.run(&["validate", "--format", "json"]).json();
    let word = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
    let findings = report["findings"].as_array().unwrap().iter();
    findings
        .map(|finding| (word(&finding["rule"]), word(&finding["message"])))
        .collect()
}

#[test]
fn a_policy_that_the_role_does_not_get_is_missing() {
    let name = "  name = \"change-records\"\n";
    let elsewhere = CHANGE.replace("aws_iam_role.failover.name", "\"somebody-else\"");
    let nobody = format!("resource \"aws_iam_role_policy\" \"change_records\" {{\n{name}");
    let managed = format!("resource \"aws_iam_policy\" \"change_records\" {{\n{name}");
    for to in [elsewhere, nobody, managed] {
        let told = told(CHANGE, &to, "");
        let [(rule, message)] = told.as_slice() else {
            panic!("{to}: {told:?}");
        };
        assert_eq!(rule, "artefact-missing", "{to}");
        assert!(message.contains("not given to the role"), "{to}: {message}");
    }
}

#[test]
fn a_role_for_something_else_does_not_hide_the_spec_s() {
    let name = "  name = \"dns-failover\"";
    assert_eq!(told(name, name, ANOTHER_ROLE), []);
    let told = told(name, "  name = \"dns-fail-over\"", ANOTHER_ROLE);
    let [(rule, message)] = told.as_slice() else {
        panic!("{told:?}");
    };
    assert_eq!(rule, "role-name-differs");
    assert!(message.contains("`aws_iam_role.failover`"), "{message}");
}
