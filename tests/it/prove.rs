//! `pointsman prove` through the program.

use serde_json::{Value, json};

use crate::binary::Folder;

#[test]
fn the_reference_deployment_allows_exactly_what_its_spec_needs() {
    let folder = Folder::of_the_reference_deployment();
    let ran = folder.run(&["prove"]);
    assert_eq!(ran.status(), 0, "{}", ran.stdout());
    assert_eq!(
        ran.stdout().matches("proved: ").count(),
        4,
        "{}",
        ran.stdout()
    );
    let policy = folder.read("policies/change-records.json");
    folder.write(
        "policies/change-records.json",
        policy.replace("\"UPSERT\"", "\"UPSERT\", \"DELETE\""),
    );
    let ran = folder.run(&["prove", "--format", "json", "--cases-out", "found.json"]);
    assert_eq!(ran.status(), 1);
    let claims = ran.json()["claims"].as_array().unwrap().clone();
    let verdicts: Vec<&str> = claims
        .iter()
        .filter_map(|claim| claim["verdict"].as_str())
        .collect();
    assert_eq!(verdicts, ["refuted", "proved", "proved", "proved"]);
    let found = claims[0]["witnesses"][0]["request"]["context"].to_string();
    assert!(found.contains("DELETE"), "{found}");
    let again = folder.run(&["simulate", "found.json"]);
    assert_eq!(again.status(), 0, "{}", again.stdout());
}

#[test]
fn each_theorem_is_proved_or_refuted_and_the_status_says_so() {
    let folder = Folder::empty();
    let policy = |action: &str, resource: &str| {
        json!({ "Version": "2012-10-17", "Statement": [
            { "Effect": "Allow", "Action": action, "Resource": resource },
        ]})
        .to_string()
    };
    folder.write("narrow.json", policy("s3:GetObject", "arn:aws:s3:::logs/*"));
    folder.write("wide.json", policy("s3:Get*", "arn:aws:s3:::*"));
    folder.write("none.json", "{}");
    let cases: [(&[&str], i32); 8] = [
        (&["prove", "no-new-access", "wide.json", "narrow.json"], 0),
        (&["prove", "no-new-access", "narrow.json", "wide.json"], 1),
        (&["prove", "equivalent", "wide.json", "wide.json"], 0),
        (&["prove", "equivalent", "wide.json", "narrow.json"], 1),
        (
            &[
                "prove",
                "access-not-granted",
                "narrow.json",
                "--action",
                "s3:Put*",
            ],
            0,
        ),
        (
            &[
                "prove",
                "access-not-granted",
                "narrow.json",
                "--action",
                "s3:*",
                "--resource",
                "arn:aws:s3:::logs/2026/*",
            ],
            1,
        ),
        (&["prove", "no-new-access", "none.json", "wide.json"], 2),
        (&["prove", "no-new-access", "absent.json", "wide.json"], 3),
    ];
    for (arguments, status) in cases {
        let ran = folder.run(arguments);
        assert_eq!(
            ran.status(),
            status,
            "{arguments:?}: {}{}",
            ran.stdout(),
            ran.stderr()
        );
    }
    let template = policy("s3:GetObject", "arn:aws:s3:::${aws:username}/*");
    folder.write("open.json", template);
    let ran = folder.run(&["prove", "no-new-access", "narrow.json", "narrow.json"]);
    assert_eq!(ran.status(), 0);
    let ran = folder.run(&[
        "prove",
        "access-not-granted",
        "open.json",
        "--action",
        "s3:GetObject",
        "--resource",
        "arn:aws:s3:::alice/*",
    ]);
    assert_eq!(ran.status(), 4, "{}", ran.stdout());
    assert!(
        ran.stdout().contains("`${aws:username}`"),
        "{}",
        ran.stdout()
    );
}

#[test]
fn a_trust_policy_lets_in_one_subject_or_the_proof_names_another() {
    let folder = Folder::of_the_reference_deployment();
    assert_eq!(
        folder
            .run(&["prove", "trust", "policies/trust.json"])
            .status(),
        0
    );
    let text = folder.read("policies/trust.json");
    folder.write(
        "broad.json",
        text.replace("StringEquals", "StringLike")
            .replace("refs/heads/main", "refs/heads/*"),
    );
    let ran = folder.run(&["prove", "trust", "broad.json"]);
    assert_eq!(ran.status(), 1, "{}", ran.stdout());
    assert!(
        ran.stdout()
            .contains("repo:acme@100001/dns-failover@200002:ref:refs/heads/"),
        "{}",
        ran.stdout()
    );
}
