//! `pointsman prove` through the program.
#![expect(
    clippy::disallowed_methods,
    reason = "reads a corpus that may lie beside the clone"
)]

use std::fs;
use std::path::Path;

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
    // A name that a policy writes is tried; of a pattern only its parts are.
    for (resource, status, part) in [
        ("arn:aws:s3:::alice/*", 1, "aws:username = `alice`"),
        ("arn:aws:s3:::?lice/*", 4, "`${aws:username}`"),
    ] {
        let ran = folder.run(&[
            "prove",
            "access-not-granted",
            "open.json",
            "--action",
            "s3:GetObject",
            "--resource",
            resource,
        ]);
        assert_eq!(ran.status(), status, "{}", ran.stdout());
        assert!(ran.stdout().contains(part), "{}", ran.stdout());
    }
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
    // Whoever names an environment chooses how its subject ends.
    let own = "\"repo:acme@100001/dns-failover@200002:ref:refs/heads/main\"";
    let with = text.replace(own, &format!("[{own}, \"repo:*:environment:*/\"]"));
    folder.write(
        "environment.json",
        with.replace("StringEquals", "StringLike"),
    );
    let ran = folder.run(&["prove", "trust", "environment.json"]);
    assert_eq!(ran.status(), 1, "{}", ran.stdout());
}

/// One statement as a whole policy.
fn policy_of(statement: &Value) -> String {
    json!({ "Version": "2012-10-17", "Statement": [statement] }).to_string()
}

#[test]
fn what_a_policy_allows_is_told_in_closed_form() {
    let folder = Folder::of_the_reference_deployment();
    let broad = json!({
        "Effect": "Allow",
        "Action": ["route53:ChangeResourceRecordSets", "route53:ListResourceRecordSets"],
        "Resource": "arn:aws:route53:::hostedzone/*",
        "Condition": {
            "ForAnyValue:StringLike": {
                "route53:ChangeResourceRecordSetsNormalizedRecordNames": ["_acme-challenge.*"],
            },
            "ForAllValues:StringNotEquals": {
                "route53:ChangeResourceRecordSetsRecordTypes": ["NS", "SOA"],
            },
            "StringEquals": { "aws:PrincipalTag/team": "edge" },
        },
    });
    folder.write("broad.json", policy_of(&broad));
    let plain = json!({
        "Effect": "Allow",
        "Action": "route53:*",
        "Resource": "arn:aws:route53:::hostedzone/Z1",
        "Condition": { "StringEquals": { "route53:ChangeResourceRecordSetsRecordTypes": "TXT" } },
    });
    folder.write("plain.json", policy_of(&plain));
    let ran = folder.run(&[
        "prove",
        "allows",
        "policies/change-records.json",
        "policies/read-zone.json",
        "broad.json",
        "plain.json",
    ]);
    assert_eq!(ran.status(), 0, "{}{}", ran.stdout(), ran.stderr());
    crate::snapshot::assert("prove__allows", &ran.stdout());
    let ran = folder.run(&[
        "prove",
        "allows",
        "policies/change-records.json",
        "--format",
        "json",
    ]);
    let right = &ran.json()["rights"][0];
    let calls = &right["calls"][0];
    assert_eq!(right["undecided"], json!([]));
    assert_eq!(
        calls["names"][0]["values"],
        json!(["example.com", "\\052.example.com"])
    );
    assert_eq!(
        calls["types"][0],
        json!({ "of": "each", "all_but": false, "patterns": false, "any_case": false, "values": ["A"] })
    );
    assert_eq!(calls["changes"][0]["values"], json!(["UPSERT"]));
}

#[test]
fn every_real_policy_has_its_closed_form_or_says_what_is_not_known() {
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus/route53_real_policies.jsonl");
    let Ok(text) = fs::read_to_string(&path) else {
        println!("skipped: {} is not there", path.display());
        return;
    };
    let folder = Folder::empty();
    for line in text.lines() {
        let entry: Value = serde_json::from_str(line).unwrap();
        folder.write("policy.json", policy_of(&entry["statement"]));
        let ran = folder.run(&["prove", "allows", "policy.json", "--format", "json"]);
        let rights = ran.json()["rights"].as_array().unwrap().clone();
        assert!(!rights.is_empty(), "{line}");
        for right in &rights {
            let open = right["undecided"].as_array().unwrap();
            assert_eq!(ran.status(), if open.is_empty() { 0 } else { 4 }, "{line}");
            let calls = right["calls"].as_array().unwrap();
            assert!(!calls.is_empty(), "{line}");
            for one in calls {
                assert!(
                    !one["actions"]["values"].as_array().unwrap().is_empty(),
                    "{line}"
                );
                let changes = one["actions"]["values"][0] == "route53:ChangeResourceRecordSets";
                assert_eq!(one.get("names").is_some(), changes, "{line}");
            }
        }
        let human = folder.run(&["prove", "allows", "policy.json"]);
        assert!(human.stdout().contains("calls"), "{}", human.stdout());
    }
}

#[test]
fn counterexamples_are_cases_that_simulate_confirms_on_both_sides() {
    let folder = Folder::of_the_reference_deployment();
    let old = folder.read("policies/change-records.json");
    let weak = [
        ("\"UPSERT\"", "\"UPSERT\", \"CREATE\""),
        ("ForAllValues:StringEquals", "ForAnyValue:StringEquals"),
        ("\"Resource\"", "\"NotResource\""),
        ("\"Action\"", "\"NotAction\""),
        ("ForAllValues:StringEquals", "ForAllValues:StringNotEquals"),
    ];
    for (from, to) in weak {
        let new = old.replace(from, to);
        assert_ne!(new, old);
        folder.write("new.json", new);
        let ran = folder.run(&[
            "prove",
            "equivalent",
            "policies/change-records.json",
            "new.json",
            "--cases-out",
            "found.json",
        ]);
        assert_eq!(ran.status(), 1, "{to}: {}", ran.stdout());
        let cases: Value = serde_json::from_str(&folder.read("found.json")).unwrap();
        assert!(cases.as_array().unwrap().len() >= 2, "{cases}");
        let again = folder.run(&["simulate", "found.json"]);
        assert_eq!(again.status(), 0, "{to}: {}", again.stdout());
    }
}

#[test]
fn what_cannot_be_read_is_no_proof() {
    let folder = Folder::empty();
    folder.write(
        "good.json",
        policy_of(&json!({ "Effect": "Allow", "Action": "s3:*", "Resource": "*" })),
    );
    let cases = [
        ("empty.json", "", 2),
        ("list.json", "[]", 2),
        (
            "cut.json",
            "{\"Version\": \"2012-10-17\", \"Statement\": [",
            2,
        ),
        (
            "twice.json",
            "{\"Version\":\"2012-10-17\",\"Statement\":[],\"Statement\":[{\"Effect\":\"Allow\",\"Action\":\"s3:*\",\"Resource\":\"*\"}]}",
            4,
        ),
    ];
    for (path, text, status) in cases {
        folder.write(path, text);
        for pair in [[path, "good.json"], ["good.json", path]] {
            let ran = folder.run(&["prove", "no-new-access", pair[0], pair[1]]);
            let told = format!("{pair:?}: {}{}", ran.stdout(), ran.stderr());
            assert!(
                ran.status() == status || (status == 4 && ran.status() == 1),
                "{told}"
            );
            assert_ne!(ran.status(), 0, "{told}");
        }
    }
}

#[test]
fn a_trust_policy_that_lets_in_others_than_tokens_is_refuted() {
    let folder = Folder::of_the_reference_deployment();
    let trust: Value = serde_json::from_str(&folder.read("policies/trust.json")).unwrap();
    let others = [
        json!({ "Effect": "Allow", "Principal": { "AWS": "*" }, "Action": "sts:AssumeRole" }),
        json!({ "Effect": "Allow", "Principal": { "Federated": "accounts.google.com" }, "Action": "sts:AssumeRoleWithWebIdentity" }),
    ];
    for other in others {
        let mut open = trust.clone();
        open["Statement"].as_array_mut().unwrap().push(other);
        folder.write("open.json", open.to_string());
        let ran = folder.run(&["prove", "trust", "open.json", "--cases-out", "found.json"]);
        assert_eq!(ran.status(), 1, "{}", ran.stdout());
        let again = folder.run(&["simulate", "found.json"]);
        assert_eq!(again.status(), 0, "{}", again.stdout());
    }
}

#[test]
fn values_that_route_53_never_sends_grant_nothing_unless_any_request_is_looked_at() {
    let folder = Folder::empty();
    let policy = |names: &[&str], types: &[&str]| {
        policy_of(&json!({
            "Effect": "Allow",
            "Action": "route53:ChangeResourceRecordSets",
            "Resource": "arn:aws:route53:::hostedzone/Z1",
            "Condition": { "ForAllValues:StringEquals": {
                "route53:ChangeResourceRecordSetsNormalizedRecordNames": names,
                "route53:ChangeResourceRecordSetsRecordTypes": types,
            } },
        }))
    };
    folder.write("old.json", policy(&["example.com"], &["A"]));
    folder.write(
        "new.json",
        policy(
            &["example.com", "Example.com.", "*.example.com", ".x"],
            &["A", "a", "B"],
        ),
    );
    folder.write("vain.json", policy(&["Example.com."], &["A"]));
    let none = ["access-not-granted", "vain.json", "--action", "route53:*"];
    let ran = folder.run(&[&["prove"], &none[..]].concat());
    assert_eq!(ran.status(), 0, "{}", ran.stdout());
    for (more, status) in [(None, 0), (Some("--any-request"), 1)] {
        let mut arguments = vec!["prove", "no-new-access", "old.json", "new.json"];
        arguments.extend(more);
        let ran = folder.run(&arguments);
        assert_eq!(ran.status(), status, "{more:?}: {}", ran.stdout());
    }
    folder.write(
        "real.json",
        policy(&["example.com", "\\052.example.com"], &["A"]),
    );
    let ran = folder.run(&["prove", "no-new-access", "old.json", "real.json"]);
    assert_eq!(ran.status(), 1, "{}", ran.stdout());
}

/// Statements as they stand in the wild: reads limited to the zone, and a pattern under an operator without patterns.
fn in_the_wild() -> String {
    json!({ "Version": "2012-10-17", "Statement": [
        {
            "Sid": "Zone",
            "Effect": "Allow",
            "Action": ["route53:GetChange", "route53:ListResourceRecordSets", "route53:ListHostedZonesByName",
                "route53:GetHostedZones"],
            "Resource": "arn:aws:route53:::hostedzone/*",
        },
        {
            "Sid": "Challenge",
            "Effect": "Allow",
            "Action": "route53:ChangeResourceRecordSets",
            "Resource": ["arn:aws:route53:::hostedzone/*", "arn:aws:route53:::change/*"],
            "Condition": { "ForAllValues:StringEquals": {
                "route53:ChangeResourceRecordSetsNormalizedRecordNames":
                    ["_acme-challenge.*.example.com", "_acme-challenge.example.com"],
                "route53:ChangeResourceRecordSetsRecordTypes": ["TXT"],
            } },
        },
    ]})
    .to_string()
}

#[test]
fn rights_that_no_real_request_matches_stand_apart_and_agree_with_access_not_granted() {
    let folder = Folder::empty();
    folder.write("p.json", in_the_wild());
    let told = folder.run(&["prove", "allows", "p.json"]).stdout();
    let (real, vain) = told
        .split_once("written, but no real request matches:")
        .unwrap();
    assert!(
        real.contains("calls     route53:ListResourceRecordSets\n"),
        "{real}"
    );
    for not_real in [
        "GetChange",
        "ListHostedZonesByName",
        "_acme-challenge.*",
        "change/*",
    ] {
        assert!(!real.contains(not_real), "{not_real}: {real}");
        assert!(vain.contains(not_real), "{not_real}: {vain}");
    }
    assert!(
        vain.contains("AWS asks for `route53:GetChange` on `arn:aws:route53:::change/*` alone"),
        "{vain}"
    );
    assert!(
        vain.contains("did you mean `route53:GetHostedZone`?"),
        "{vain}"
    );
    assert!(
        vain.contains(r"Route 53 sends `_acme-challenge.\052.example.com`"),
        "{vain}"
    );
    for (action, status) in [
        ("route53:GetChange", 0),
        ("route53:ListHostedZonesByName", 0),
        ("route53:ListResourceRecordSets", 1),
    ] {
        let ran = folder.run(&["prove", "access-not-granted", "p.json", "--action", action]);
        assert_eq!(ran.status(), status, "{action}: {}", ran.stdout());
    }
}

#[test]
fn a_counterexample_looks_like_a_real_request_and_names_its_statement() {
    let folder = Folder::empty();
    folder.write("p.json", in_the_wild());
    let broad = in_the_wild()
        .replace("ForAllValues:StringEquals", "ForAllValues:StringLike")
        .replace(r#"["TXT"]"#, r#"["*"]"#)
        .replace("_acme-challenge.example.com", "*.example.com");
    folder.write("broad.json", broad);
    let ran = folder.run(&["prove", "no-new-access", "p.json", "broad.json"]);
    let told = ran.stdout();
    assert_eq!(ran.status(), 1, "{told}");
    for part in [
        "  resource  arn:aws:route53:::hostedzone/Z0123456789EXAMPLE\n",
        "  route53:ChangeResourceRecordSetsRecordTypes = `A`\n",
        "  route53:ChangeResourceRecordSetsNormalizedRecordNames = `",
        "  allowed by statement 1 (`Challenge`) of broad.json\n",
    ] {
        assert!(told.contains(part), "{part}: {told}");
    }
}

#[test]
fn who_calls_in_a_counterexample_has_the_arn_of_an_account() {
    let folder = Folder::empty();
    let of = |pattern: &str| {
        policy_of(&json!({
            "Effect": "Allow", "Action": "s3:GetObject", "Resource": "arn:aws:s3:::logs/*",
            "Condition": { "ArnLike": { "aws:PrincipalArn": pattern } },
        }))
    };
    folder.write("old.json", of("arn:aws:iam::123456789012:role/ops-*"));
    folder.write("new.json", of("arn:aws:iam::*:role/*"));
    let ran = folder.run(&["prove", "no-new-access", "old.json", "new.json"]);
    assert_eq!(ran.status(), 1);
    let told = ran.stdout();
    assert!(
        told.contains("aws:PrincipalArn = `arn:aws:iam::123456789012:role/example`"),
        "{told}"
    );
}

#[test]
fn counterexamples_are_written_in_the_form_that_the_name_of_the_file_says() {
    let folder = Folder::empty();
    folder.write("old.json", in_the_wild());
    folder.write("new.json", in_the_wild().replace("TXT", "A"));
    for file in ["found.toml", "found.json"] {
        let ran = folder.run(&[
            "prove",
            "no-new-access",
            "old.json",
            "new.json",
            "--cases-out",
            file,
        ]);
        assert_eq!(ran.status(), 1, "{}", ran.stdout());
        let ran = folder.run(&["simulate", file]);
        assert_eq!(ran.status(), 0, "{}", ran.stdout());
    }
    assert!(folder.read("found.toml").starts_with("[[cases]]\n"));
    let ran = folder.run(&[
        "prove",
        "equivalent",
        "old.json",
        "new.json",
        "--cases-out",
        "found",
    ]);
    assert_eq!(ran.status(), 2, "{}", ran.stderr());
    folder.write("json.toml", folder.read("found.json"));
    let ran = folder.run(&["simulate", "json.toml"]);
    assert_eq!(ran.status(), 4);
    assert_eq!(
        ran.stdout(),
        "unread json.toml: this looks like JSON, not TOML; name it .json\n0 cases: 0 passed, 0 failed, 0 undecided, 1 unread\n"
    );
}

#[test]
fn whom_any_trust_policy_lets_in_is_told_without_a_spec() {
    let folder = Folder::empty();
    let issuer = "oidc.eks.eu-central-1.amazonaws.com/id/0123456789ABCDEF0123456789ABCDEF";
    let provider = format!("arn:aws:iam::123456789012:oidc-provider/{issuer}");
    let trust = |condition: &Value| {
        policy_of(&json!({
            "Effect": "Allow",
            "Principal": { "Federated": provider },
            "Action": "sts:AssumeRoleWithWebIdentity",
            "Condition": { "StringEquals": condition },
        }))
    };
    let subject = format!("{issuer}:sub");
    let account = "system:serviceaccount:external-dns:external-dns";
    folder.write("one.json", trust(&json!({ (subject.clone()): account })));
    let ran = folder.run(&["prove", "trust", "one.json"]);
    let told = ran.stdout();
    assert_eq!(ran.status(), 0, "{told}{}", ran.stderr());
    assert!(
        told.contains(&format!("who       Federated {provider}\n")),
        "{told}"
    );
    assert!(
        told.contains(&format!("only if   {subject} StringEquals {account}\n")),
        "{told}"
    );
    assert!(!told.contains("subjects"), "{told}");
    folder.write(
        "any.json",
        trust(&json!({ (format!("{issuer}:aud")): "sts.amazonaws.com" })),
    );
    let told = folder.run(&["prove", "trust", "any.json"]).stdout();
    assert!(
        told.contains(&format!(
            "subjects  any of {issuer}: no condition on {subject}\n"
        )),
        "{told}"
    );
    // Where there is a spec, the question was whether its job alone gets in, and that is not proved.
    let deployment = Folder::of_the_reference_deployment();
    deployment.write("one.json", folder.read("one.json"));
    let ran = deployment.run(&["prove", "trust", "one.json"]);
    assert_eq!(ran.status(), 4, "{}", ran.stdout());
}
