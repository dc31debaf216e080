//! One fault, one finding; and never a fault behind another one.

use crate::binary::Folder;

fn rules(folder: &Folder) -> (i32, Vec<String>) {
    let ran = folder.run(&["validate", "--format", "json"]);
    let report = ran.json();
    let findings = report["findings"].as_array().unwrap().iter();
    let rules = findings.map(|finding| finding["rule"].as_str().unwrap().to_owned());
    (ran.status(), rules.collect())
}

#[test]
fn a_note_hides_no_error_beside_it() {
    let folder = Folder::of_the_reference_deployment();
    let spec = folder.read("pointsman.toml");
    folder.write(
        "pointsman.toml",
        spec.replace("\"immutable\"", "\"classic\""),
    );
    assert_eq!(folder.run(&["generate"]).status(), 0);
    let trust = folder.read("policies/trust.json");
    folder.write(
        "policies/trust.json",
        trust.replace(
            "\"sts:AssumeRoleWithWebIdentity\"",
            "[\"sts:AssumeRoleWithWebIdentity\", \"sts:TagSession\"]",
        ),
    );
    let (status, rules) = rules(&folder);
    assert!(
        status == 1 && rules.contains(&"policy-allows-more-than-the-spec".to_owned()),
        "{rules:?}"
    );
}

#[test]
fn what_is_suppressed_hides_nothing_else() {
    let folder = Folder::of_the_reference_deployment();
    let spec = folder.read("pointsman.toml");
    let allow = "[[allow]]\nrule = \"r53-type-sensitive\"\npath = \"policies/change-records.json\"\nreason = \"meant\"\n";
    folder.write("pointsman.toml", format!("{spec}\n{allow}"));
    let policy = folder.read("policies/change-records.json");
    let types = policy.replace(
        "            \"A\"\n",
        "            \"A\",\n            \"NS\"\n",
    );
    let never =
        "\"DateLessThan\": {\"aws:CurrentTime\": \"2020-01-01T00:00:00Z\"},\n        \"Null\": {";
    folder.write(
        "policies/change-records.json",
        types.replace("\"Null\": {", never),
    );
    let (status, rules) = rules(&folder);
    assert_eq!(status, 1);
    assert!(
        rules.contains(&"policy-differs-from-spec".to_owned()),
        "{rules:?}"
    );
    assert!(
        rules.contains(&"policy-types-differ".to_owned()),
        "{rules:?}"
    );
    assert!(
        !rules.contains(&"r53-type-sensitive".to_owned()),
        "{rules:?}"
    );
}
