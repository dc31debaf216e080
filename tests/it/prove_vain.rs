//! What was once proved, or told, and is not so.

use serde_json::{Value, json};

use crate::binary::Folder;

fn policy(statements: &Value) -> String {
    json!({ "Version": "2012-10-17", "Statement": statements }).to_string()
}

/// The status of `prove` with these arguments, and what it said.
fn told(folder: &Folder, arguments: &[&str]) -> (i32, String) {
    let ran = folder.run(&[&["prove"], arguments].concat());
    (ran.status(), format!("{}{}", ran.stdout(), ran.stderr()))
}

#[test]
fn a_variable_in_one_statement_does_not_hide_what_another_asks_of_its_key() {
    let folder = Folder::empty();
    let beside = |condition: Value| {
        policy(&json!([
            { "Effect": "Allow", "Action": "s3:GetObject", "Resource": "arn:aws:s3:::home/${aws:username}/*" },
            { "Effect": "Allow", "Action": "ec2:TerminateInstances", "Resource": "*", "Condition": condition },
        ]))
    };
    for condition in [
        json!({ "StringEquals": { "aws:username": "bob" } }),
        json!({ "Null": { "aws:username": "true" } }),
    ] {
        folder.write("p.json", beside(condition.clone()));
        let (status, text) = told(
            &folder,
            &["access-not-granted", "p.json", "--action", "ec2:*"],
        );
        assert_eq!(status, 1, "{condition}: {text}");
    }
    let one = json!([{ "Effect": "Allow", "Action": "s3:GetObject", "Resource": "arn:aws:s3:::home/${aws:username}/*" }]);
    folder.write("one.json", policy(&one));
    let home = [
        "access-not-granted",
        "one.json",
        "--action",
        "s3:GetObject",
        "--resource",
        "arn:aws:s3:::home/bob/*",
    ];
    let (status, text) = told(&folder, &home);
    assert_eq!(status, 1, "{text}");
    assert!(text.contains("aws:username = `bob`"), "{text}");
    // What is written alike means something else without variables.
    folder.write("old.json", json!({ "Statement": one }).to_string());
    let (status, text) = told(&folder, &["equivalent", "one.json", "old.json"]);
    assert_eq!(status, 1, "{text}");
}

#[test]
fn what_holds_whatever_variables_stand_for_is_proved() {
    let folder = Folder::empty();
    let home = "arn:aws:s3:::home/${aws:username}/*";
    let of = |action: Value, resource: &str, condition: Value| {
        policy(
            &json!([{ "Effect": "Allow", "Action": action, "Resource": resource, "Condition": condition }]),
        )
    };
    let team = |operator: &str| json!({ operator: { "aws:ResourceTag/team": "${aws:PrincipalTag/team}" } });
    let (get, all) = (
        json!("s3:GetObject"),
        json!(["s3:GetObject", "s3:PutObject"]),
    );
    folder.write("old.json", of(all.clone(), home, team("StringEquals")));
    for (new, expected) in [
        (of(get.clone(), home, team("StringEquals")), 0),
        (of(all.clone(), home, json!({})), 1),
        (
            of(all.clone(), "arn:aws:s3:::home/*", team("StringEquals")),
            1,
        ),
        (
            of(
                all,
                "arn:aws:s3:::home/${aws:userid}/*",
                team("StringEquals"),
            ),
            1,
        ),
        (of(get, home, team("StringNotEquals")), 1),
    ] {
        folder.write("new.json", new.clone());
        let (status, text) = told(&folder, &["no-new-access", "old.json", "new.json"]);
        assert_eq!(status, expected, "{new}: {text}");
    }
}

#[test]
fn a_key_that_stays_with_the_session_is_not_ruled_out_for_another_service() {
    let folder = Folder::empty();
    for (operator, key, value) in [
        (
            "ArnLike",
            "codebuild:projectArn",
            "arn:aws:codebuild:us-east-1:123456789012:project/*",
        ),
        ("StringEquals", "saml:sub_type", "persistent"),
        ("StringEquals", "identitystore:UserId", "someone"),
        (
            "StringEquals",
            "cognito-identity.amazonaws.com:sub",
            "someone",
        ),
        ("StringEquals", "accounts.google.com:aud", "someone"),
        (
            "ArnLike",
            "lambda:SourceFunctionArn",
            "arn:aws:lambda:*:*:function:*",
        ),
        (
            "StringEquals",
            "glue:CredentialIssuingService",
            "glue.amazonaws.com",
        ),
    ] {
        let granted = json!([{ "Effect": "Allow", "Action": "s3:*", "Resource": "*",
            "Condition": { operator: { key: value } } }]);
        folder.write("p.json", policy(&granted));
        let (status, text) = told(
            &folder,
            &["access-not-granted", "p.json", "--action", "s3:*"],
        );
        assert_eq!(status, 1, "{key}: {text}");
    }
}

#[test]
fn letters_dates_and_truth_values_are_told_apart_as_the_evaluator_does() {
    let folder = Folder::empty();
    let with = |condition: Value| {
        policy(
            &json!([{ "Effect": "Allow", "Action": "ec2:RunInstances", "Resource": "*", "Condition": condition }]),
        )
    };
    let pairs = [
        (
            json!({ "StringEqualsIgnoreCase": { "aws:PrincipalTag/x": "k" } }),
            json!({ "StringEquals": { "aws:PrincipalTag/x": ["k", "K"] } }),
            1,
        ),
        (
            json!({ "DateGreaterThan": { "aws:CurrentTime": "2020-01-01T00:00:00Z" } }),
            json!({ "DateGreaterThanEquals": { "aws:CurrentTime": "2020-01-01T00:00:01Z" } }),
            1,
        ),
        (
            json!({}),
            json!({ "BoolIfExists": { "aws:SecureTransport": ["true", "false"] } }),
            0,
        ),
        (
            json!({}),
            json!({ "IpAddressIfExists": { "aws:SourceIp": ["0.0.0.0/0", "::/0"] } }),
            0,
        ),
        (
            json!({}),
            json!({ "IpAddressIfExists": { "aws:SourceIp": "0.0.0.0/0" } }),
            1,
        ),
    ];
    for (one, other, expected) in pairs {
        folder.write("one.json", with(one.clone()));
        folder.write("other.json", with(other.clone()));
        let (status, text) = told(&folder, &["equivalent", "one.json", "other.json"]);
        assert_eq!(status, expected, "{one} {other}: {text}");
    }
}

#[test]
fn a_question_about_nothing_is_no_proof() {
    let folder = Folder::empty();
    let all = json!([{ "Effect": "Allow", "Action": "*", "Resource": "*" }]);
    folder.write("p.json", policy(&all));
    for (action, resource, expected, part) in [
        ("s3:GetObjct", "*", 2, "did you mean `s3:GetObject`?"),
        ("nonsense", "*", 2, "`service:Name`"),
        ("", "*", 2, "no pattern of actions"),
        ("s3:GetObject,s3:PutObject", "*", 2, "no pattern of actions"),
        ("s3:Gett*", "*", 2, "AWS has no action"),
        ("s3:GetObject", "home/*", 2, "does not begin with `arn:`"),
        ("s3:GetObject", "", 2, "no pattern of resources"),
        ("s3:GetObject", "arn:aws:s3::b/x", 2, "fewer than six parts"),
        (
            "s3:GetObject",
            "arn:aws:s3:::b",
            2,
            "none of the actions is made on",
        ),
        ("s3:GetObject", "arn:aws:s3:::b/*", 1, "REFUTED"),
    ] {
        let (status, text) = told(
            &folder,
            &[
                "access-not-granted",
                "p.json",
                "--action",
                action,
                "--resource",
                resource,
            ],
        );
        assert_eq!(status, expected, "{action} {resource}: {text}");
        assert!(text.contains(part), "{action} {resource}: {text}");
    }
    folder.write(
        "none.json",
        policy(&json!([{ "Effect": "Allow", "Action": "s3:GetObject", "Resource": "*" }])),
    );
    let (status, text) = told(
        &folder,
        &["access-not-granted", "none.json", "--action", "nosuch:*"],
    );
    assert_eq!(status, 4, "{text}");
}

/// One change of records on these conditions.
fn changes(conditions: &Value) -> String {
    policy(
        &json!([{ "Effect": "Allow", "Action": "route53:ChangeResourceRecordSets",
        "Resource": "arn:aws:route53:::hostedzone/Z1", "Condition": conditions }]),
    )
}

/// Conditions on changes of records, and whether some real change meets them.
fn conditions() -> Vec<(Value, bool)> {
    let (names, types) = (
        "route53:ChangeResourceRecordSetsNormalizedRecordNames",
        "route53:ChangeResourceRecordSetsRecordTypes",
    );
    vec![
        (
            json!({ "ForAllValues:StringEqualsIgnoreCase": { names: ["A.com"], types: ["a"] } }),
            true,
        ),
        (
            json!({ "ForAllValues:StringEquals": { names: "${aws:username}.a.com" } }),
            true,
        ),
        (
            json!({ "ForAllValues:StringLike": { names: ["*.a.com."] } }),
            false,
        ),
        (
            json!({ "ForAllValues:StringLike": { names: ["A.com"] } }),
            false,
        ),
        (
            json!({ "ForAllValues:StringLike": { types: ["Z*"] } }),
            false,
        ),
        (
            json!({ "ForAllValues:StringEquals": { types: ["ANY"] } }),
            false,
        ),
        (
            json!({ "ForAnyValue:StringEquals": { names: ["a.com."] } }),
            false,
        ),
        (
            json!({ "ForAnyValue:StringNotLike": { names: ["*"] } }),
            false,
        ),
        (json!({ "ForAnyValue:Null": { names: "false" } }), false),
        (
            json!({ "ForAllValues:StringEquals": { names: ["\\141.a.com"] } }),
            false,
        ),
        (
            json!({ "ForAllValues:StringEquals": { names: ["\\999.a.com", "\\a.com"] } }),
            false,
        ),
        (
            json!({ "ForAllValues:StringEquals": { names: ["\\052.a.com", "\\100.a.com"] } }),
            true,
        ),
        (
            json!({ "ForAllValues:StringEquals": { types: ["A"] }, "ForAnyValue:StringEquals": { types: ["TXT"] } }),
            false,
        ),
    ]
}

#[test]
fn the_closed_form_allows_what_some_request_gets_and_nothing_else() {
    let folder = Folder::empty();
    for (conditions, allowed) in conditions() {
        folder.write("p.json", changes(&conditions));
        let (_, text) = told(&folder, &["allows", "p.json"]);
        assert_eq!(
            text.contains("\n  allows ("),
            allowed,
            "{conditions}: {text}"
        );
        assert_eq!(
            text.matches("allows nothing (").count(),
            usize::from(!allowed),
            "{conditions}: {text}"
        );
        let granted = [
            "access-not-granted",
            "p.json",
            "--action",
            "route53:ChangeResourceRecordSets",
        ];
        let (status, text) = told(&folder, &granted);
        assert_eq!(status, i32::from(allowed), "{conditions}: {text}");
    }
}

/// The provider of github.com.
const PROVIDER: &str =
    "arn:aws:iam::123456789012:oidc-provider/token.actions.githubusercontent.com";

/// A trust policy for the job on `main`, that asks for more claims, and has one statement more.
fn trust(principal: &Value, more: &Value, also: Option<Value>) -> String {
    let key = |claim: &str| format!("token.actions.githubusercontent.com:{claim}");
    let subject = "repo:acme@100001/dns-failover@200002:ref:refs/heads/main";
    let mut equals = json!({ key("sub"): subject, key("aud"): "sts.amazonaws.com" });
    for (claim, value) in more.as_object().into_iter().flatten() {
        equals[key(claim)] = value.clone();
    }
    let own = json!({ "Effect": "Allow", "Principal": principal, "Action": "sts:AssumeRoleWithWebIdentity",
            "Condition": { "StringEquals": equals } });
    policy(&json!(
        [Some(own), also]
            .into_iter()
            .flatten()
            .collect::<Vec<Value>>()
    ))
}

#[test]
fn a_trust_policy_must_let_its_own_job_in() {
    let folder = Folder::empty();
    let own = json!({ "Federated": PROVIDER });
    let shut = json!({ "Effect": "Deny", "Principal": "*", "Action": "*" });
    let cases = [
        (trust(&own, &json!({}), None), 0),
        (trust(&own, &json!({ "repository_id": "200002" }), None), 0),
        (trust(&own, &json!({ "repository_id": "200003" }), None), 1),
        (trust(&own, &json!({ "actor": "someone" }), None), 4),
        (trust(&own, &json!({}), Some(shut)), 1),
        (
            trust(
                &json!({ "Federated": format!("{PROVIDER}/other") }),
                &json!({}),
                None,
            ),
            1,
        ),
        (trust(&json!("*"), &json!({}), None), 1),
    ];
    for (text, expected) in cases {
        folder.write("trust.json", text.clone());
        let (status, said) = told(
            &folder,
            &[
                "trust",
                "trust.json",
                "--repo",
                "acme/dns-failover",
                "--owner-id",
                "100001",
                "--repo-id",
                "200002",
                "--cases-out",
                "found.json",
            ],
        );
        assert_eq!(status, expected, "{text}: {said}");
        if status == 1 {
            let again = folder.run(&["simulate", "found.json"]);
            assert_eq!(again.status(), 0, "{text}: {}", again.stdout());
        }
    }
}

#[test]
fn a_case_for_an_account_that_is_named_says_that_it_allows_it_itself() {
    let folder = Folder::empty();
    let bucket = |account: &str| {
        policy(
            &json!([{ "Effect": "Allow", "Principal": { "AWS": account }, "Action": "s3:GetObject",
            "Resource": "arn:aws:s3:::example-logs/*" }]),
        )
    };
    folder.write("old.json", bucket("210987654321"));
    folder.write("new.json", bucket("123456789012"));
    let (status, text) = told(
        &folder,
        &[
            "no-new-access",
            "old.json",
            "new.json",
            "--cases-out",
            "found.json",
        ],
    );
    assert_eq!(status, 1, "{text}");
    assert!(text.contains("if its own account allows it"), "{text}");
    let again = folder.run(&["simulate", "found.json"]);
    assert_eq!(again.status(), 0, "{}", again.stdout());
}

#[test]
fn without_a_counterexample_no_file_of_cases_is_written() {
    let folder = Folder::empty();
    folder.write(
        "p.json",
        policy(&json!([{ "Effect": "Allow", "Action": "s3:GetObject", "Resource": "*" }])),
    );
    let (status, text) = told(
        &folder,
        &[
            "equivalent",
            "p.json",
            "p.json",
            "--cases-out",
            "found.json",
        ],
    );
    assert_eq!(status, 0, "{text}");
    assert!(
        text.contains("no counterexample: `found.json` was not written"),
        "{text}"
    );
    assert!(!folder.path().join("found.json").exists());
    let (status, text) = told(
        &folder,
        &[
            "equivalent",
            "p.json",
            "p.json",
            "--cases-out",
            "new/found.json",
        ],
    );
    assert!(status > 1, "{text}");
    assert!(!folder.path().join("new").exists());
}

#[test]
fn what_aws_leaves_open_of_lists_is_told() {
    let folder = Folder::empty();
    let tags = json!([{ "Effect": "Allow", "Action": "ec2:CreateTags", "Resource": "*",
        "Condition": { "StringEquals": { "aws:TagKeys": "team" } } }]);
    folder.write("p.json", policy(&tags));
    let (_, text) = told(
        &folder,
        &["access-not-granted", "p.json", "--action", "ec2:*"],
    );
    assert!(
        text.contains("matches no key that comes with several values"),
        "{text}"
    );
}
