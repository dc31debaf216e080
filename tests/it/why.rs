//! `simulate why`: the edit that is shown allows the request, stands in the file's own manner, and says what else it allows.

use pointsman::app::why::{self, Request, RequestSource};
use pointsman::app::{AppError, Exit};
use pointsman::ports::MemoryFiles;
use pointsman::report::Format;
use proptest::prelude::{ProptestConfig, proptest};
use serde_json::Value;

const CHANGE_RECORDS: &str = include_str!("../../policies/change-records.json");
const ZONE: &str = "arn:aws:route53:::hostedzone/Z0123456789EXAMPLE";

fn explain(policy: &str, request: &str, format: Format) -> Result<(Exit, String), AppError> {
    let files = MemoryFiles::new([("p.json", policy)]);
    let asked = Request {
        policy: "p.json".to_owned(),
        request: RequestSource::Input(request.as_bytes().to_vec()),
        case: None,
        format,
    };
    let mut out = Vec::new();
    let exit = why::run(&asked, &files, &mut out)?;
    Ok((exit, String::from_utf8_lossy(&out).into_owned()))
}

fn human(policy: &str, request: &str) -> String {
    explain(policy, request, Format::Human { colour: false })
        .unwrap()
        .1
}

fn json(policy: &str, request: &str) -> Value {
    let (_, text) = explain(policy, request, Format::Json).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// A request for one change in the reference zone.
fn change(name: &str, record_type: &str) -> String {
    format!(
        r#"{{"action": "route53:ChangeResourceRecordSets", "resource": "{ZONE}", "change_batch": {{"Changes": [
          {{"Action": "UPSERT", "ResourceRecordSet": {{"Name": "{name}", "Type": "{record_type}"}}}}]}}}}"#
    )
}

#[test]
fn a_name_that_is_not_listed_is_added_in_the_file_s_spelling() {
    let text = human(CHANGE_RECORDS, &change("*.x.example.com", "A"));
    crate::snapshot::assert("why__name", &text);
}

#[test]
fn two_missing_values_open_a_cross_product_and_a_statement_of_its_own_does_not() {
    let text = human(
        CHANGE_RECORDS,
        &change("_acme-challenge.x.example.com", "TXT"),
    );
    crate::snapshot::assert("why__name_and_type", &text);
}

#[test]
fn json_carries_the_edit_and_its_reach() {
    let told = json(CHANGE_RECORDS, &change("www.example.com", "TXT"));
    assert_eq!(told["decision"], "implicitDeny");
    let also = told["edit"]["also_allows"].as_array().unwrap();
    assert_eq!(also.len(), 3);
    assert_eq!(told["edit"]["complete"], true);
    assert_eq!(told["edit"]["also_in_any_combination"], true);
    assert_eq!(told["alone"]["also_allows"].as_array().unwrap().len(), 0);
}

#[test]
fn an_action_that_no_statement_covers_gets_a_statement() {
    let request = r#"{"action": "route53:GetChange", "resource": "arn:aws:route53:::change/C1"}"#;
    let text = human(CHANGE_RECORDS, request);
    assert!(text.contains("+      \"Action\": \"route53:GetChange\",\n+      \"Resource\": \"arn:aws:route53:::change/C1\"\n"), "{text}");
    let line =
        r#"{"Version":"2012-10-17","Statement":{"Effect":"Allow","Action":"a:B","Resource":"*"}}"#;
    let text = human(line, request);
    assert!(text.contains(r#"+{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":"a:B","Resource":"*"}, {"Effect":"Allow","Action":"route53:GetChange","#), "{text}");
}

#[test]
fn another_resource_is_added_and_what_else_it_opens_is_said() {
    let policy = r#"{"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": ["s3:GetObject", "s3:PutObject"], "Resource": "arn:aws:s3:::a/*"}]}"#;
    let told = json(
        policy,
        r#"{"action": "s3:GetObject", "resource": "arn:aws:s3:::b/k"}"#,
    );
    assert_eq!(
        told["edit"]["what"][0],
        "add `arn:aws:s3:::b/k` to the resources that statement 0 lists"
    );
    assert_eq!(told["edit"]["also_allows"][0]["action"], "s3:PutObject");
    assert!(
        told["edit"]["diff"]
            .as_str()
            .unwrap()
            .contains(r#""Resource": ["arn:aws:s3:::a/*", "arn:aws:s3:::b/k"]"#)
    );
    let inverted = policy
        .replace("\"Action\": [", "\"NotAction\": [")
        .replace("s3:GetObject", "iam:PassRole");
    let told = json(
        &inverted,
        r#"{"action": "s3:GetObject", "resource": "arn:aws:s3:::b/k"}"#,
    );
    let open = told["edit"]["also_open"].as_array().unwrap();
    assert_eq!(open[0], "every action that its `NotAction` does not list");
}

#[test]
fn a_request_that_is_wrong_itself_gets_no_edit() {
    let raw = r#"{"action": "route53:ChangeResourceRecordSets", "resource": "arn:aws:route53:::hostedzone/Z0123456789EXAMPLE",
        "context": {"route53:ChangeResourceRecordSetsNormalizedRecordNames": ["*.example.com"]}}"#;
    let told = json(CHANGE_RECORDS, raw);
    assert!(told["edit"].is_null());
    assert!(
        told["notes"][0]
            .as_str()
            .unwrap()
            .contains(r"Route 53 sends `\052.example.com`"),
        "{told}"
    );
    let without = r#"{"action": "route53:ChangeResourceRecordSets", "resource": "arn:aws:route53:::hostedzone/Z0123456789EXAMPLE"}"#;
    let told = json(CHANGE_RECORDS, without);
    assert!(told["edit"].is_null());
    assert!(
        told["notes"][0]
            .as_str()
            .unwrap()
            .contains("give it in the request"),
        "{told}"
    );
    // Even where no statement covers the action: a right to change records that nothing narrows is never offered.
    let other =
        r#"{"Version":"2012-10-17","Statement":{"Effect":"Allow","Action":"a:B","Resource":"*"}}"#;
    assert!(json(other, without)["edit"].is_null());
}

#[test]
fn a_denial_by_a_deny_names_it_and_gets_no_edit() {
    let policy = r#"{"Version": "2012-10-17", "Statement": [
        {"Effect": "Allow", "Action": "*", "Resource": "*"},
        {"Sid": "Never", "Effect": "Deny", "Action": "iam:*", "Resource": "*"}]}"#;
    let told = json(policy, r#"{"action": "iam:PassRole", "resource": "*"}"#);
    assert_eq!(told["decision"], "explicitDeny");
    assert!(told["edit"].is_null());
    assert!(
        told["notes"][0]
            .as_str()
            .unwrap()
            .contains("statement 1 (`Never`) of `p.json` denies it"),
        "{told}"
    );
}

#[test]
fn an_allow_says_which_statement_allows() {
    let text = human(CHANGE_RECORDS, &change("*.example.com", "A"));
    assert_eq!(
        text,
        format!(
            "allowed: `route53:ChangeResourceRecordSets` on `{ZONE}`\n  statement 0 (`ChangeFailoverRecords`) of `p.json` allows `route53:ChangeResourceRecordSets` on `{ZONE}`\n"
        )
    );
}

#[test]
fn what_cannot_be_known_is_undecided() {
    let policy = CHANGE_RECORDS.replace("Z0123456789EXAMPLE", "${var.zone}");
    let (exit, text) = explain(
        &policy,
        &change("example.com", "A"),
        Format::Human { colour: false },
    )
    .unwrap();
    assert_eq!(exit, Exit::Unread);
    assert!(text.starts_with("undecided: "), "{text}");
}

#[test]
fn requests_come_as_toml_too_and_what_is_no_request_is_told() {
    let toml = "action = \"route53:GetChange\"\nresource = \"arn:aws:route53:::change/C1\"\n";
    assert!(human(CHANGE_RECORDS, toml).starts_with("implicitDeny: `route53:GetChange`"));
    for (request, told) in [
        ("{", "`<stdin>` cannot be read: 1:2:"),
        ("{}", "<stdin>:1:1: the request of the file has no `action`"),
        (r#"{"action": "a"}"#, "`a` is no action"),
        ("[]", "`<stdin>` is a table of cases"),
        ("", "cannot be read"),
    ] {
        let error = explain(CHANGE_RECORDS, request, Format::Json).unwrap_err();
        assert_eq!(error.exit(), Exit::Usage, "{request}");
        assert!(error.to_string().contains(told), "{request}: {error}");
    }
    let error = explain("{}", toml, Format::Json).unwrap_err();
    assert!(
        error.to_string().contains("`p.json` is no policy"),
        "{error}"
    );
}

#[test]
fn every_case_of_the_table_that_is_denied_is_explained_and_its_edit_verified() {
    let table = include_str!("../../policies/cases.toml");
    let files = MemoryFiles::new([("p.json", CHANGE_RECORDS), ("cases.toml", table)]);
    let ids = table
        .lines()
        .filter_map(|line| line.strip_prefix("id = \""));
    let mut edits = 0;
    for id in ids.filter_map(|rest| rest.strip_suffix('"')) {
        let asked = Request {
            policy: "p.json".to_owned(),
            request: RequestSource::Path("cases.toml".to_owned()),
            case: Some(id.to_owned()),
            format: Format::Json,
        };
        let mut out = Vec::new();
        assert_eq!(
            why::run(&asked, &files, &mut out).unwrap(),
            Exit::Clean,
            "{id}"
        );
        let told: Value = serde_json::from_slice(&out).unwrap();
        let denied = told["decision"] != "allowed";
        let helped = !told["edit"].is_null() || !told["notes"].as_array().unwrap().is_empty();
        assert_eq!(denied, helped, "{id}: {told}");
        edits += usize::from(!told["edit"].is_null());
    }
    assert!(edits >= 8, "{edits}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn any_values_are_explained_and_any_text_is_refused_or_explained(
        name in ".{0,40}",
        value in "[a-z*?$ {}\\\\\"]{0,12}",
        text in ".{0,60}",
    ) {
        drop(explain(CHANGE_RECORDS, &text, Format::Json));
        let key = "route53:ChangeResourceRecordSetsNormalizedRecordNames";
        let request = serde_json::json!({
            "action": "route53:ChangeResourceRecordSets", "resource": ZONE,
            "context": {key: [name, value], "route53:ChangeResourceRecordSetsRecordTypes": ["A"],
                "route53:ChangeResourceRecordSetsActions": ["UPSERT"]},
        });
        let told = json(CHANGE_RECORDS, &request.to_string());
        let explained = told["decision"] == "allowed" || !told["edit"].is_null() || !told["notes"].as_array().unwrap().is_empty();
        assert!(explained, "{told}");
    }
}

#[test]
fn a_resource_that_is_no_arn_is_mended_in_the_request_and_not_in_the_policy() {
    let request = r#"{"action": "route53:GetChange", "resource": "/change/C1"}"#;
    let told = json(CHANGE_RECORDS, request);
    assert!(told["edit"].is_null());
    let notes = told["notes"].to_string();
    assert!(
        notes.contains("write `arn:aws:route53:::change/C1`"),
        "{notes}"
    );
}

#[test]
fn a_policy_in_what_the_aws_cli_prints_is_explained_and_edited_there() {
    let printed =
        format!(r#"{{"PolicyVersion": {{"Document": {CHANGE_RECORDS}, "VersionId": "v1"}}}}"#);
    let told = json(&printed, &change("www.example.com", "A"));
    assert_eq!(told["decision"], "implicitDeny");
    let diff = told["edit"]["diff"].as_str().unwrap_or_default();
    assert!(diff.contains("\"www.example.com\""), "{told}");
}

#[test]
fn a_policy_that_is_text_in_its_file_is_edited_in_that_notation() {
    let in_string = serde_json::to_string(CHANGE_RECORDS).unwrap();
    let encoded: String = CHANGE_RECORDS
        .bytes()
        .map(|byte| match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' => {
                char::from(byte).to_string()
            }
            _ => format!("%{byte:02X}"),
        })
        .collect();
    let added = [
        (in_string.clone(), "\\\"www.example.com\\\""),
        (
            serde_json::to_string(&in_string).unwrap(),
            "\\\\\\\"www.example.com\\\\\\\"",
        ),
        (
            format!(r#"{{"PolicyDocument": "{encoded}"}}"#),
            "%22www.example.com%22",
        ),
    ];
    for (policy, written) in added {
        let told = json(&policy, &change("www.example.com", "A"));
        assert_eq!(told["decision"], "implicitDeny");
        for edit in ["edit", "alone"] {
            let diff = told[edit]["diff"].as_str().unwrap_or_default();
            assert!(diff.contains(written), "{edit}: {told}");
        }
    }
}

/// A policy in the manner of what is found in the wild: reads limited to the zone.
fn reads(statement: &str) -> String {
    format!(r#"{{"Version": "2012-10-17", "Statement": [{statement}]}}"#)
}

#[test]
fn an_action_that_cannot_be_limited_gets_a_statement_on_everything() {
    let policy = reads(&format!(
        r#"{{"Effect": "Allow", "Action": ["route53:ListHostedZones", "route53:GetHostedZone"], "Resource": "{ZONE}"}}"#
    ));
    for action in ["ListHostedZones", "ListHostedZonesByName"] {
        let policy = policy.replace("ListHostedZones\"", &format!("{action}\""));
        let request = format!(r#"{{"action": "route53:{action}", "resource": "*"}}"#);
        let told = json(&policy, &request);
        let diff = told["edit"]["diff"].as_str().unwrap();
        assert!(
            diff.contains(&format!(
                r#"{{"Effect":"Allow","Action":"route53:{action}","Resource":"*"}}"#
            )),
            "{diff}"
        );
        let edit = &told["edit"];
        assert_eq!(edit["also_allows"].as_array().unwrap().len(), 0, "{edit}");
        assert_eq!(edit["also_open"].as_array().unwrap().len(), 0, "{edit}");
        let note = told["notes"][0].as_str().unwrap();
        assert!(note.contains("on `*` alone"), "{note}");
    }
}

#[test]
fn a_request_that_no_service_makes_is_mended_and_not_the_policy() {
    for (request, told) in [
        (
            format!(r#"{{"action": "route53:ListHostedZones", "resource": "{ZONE}"}}"#),
            "on `*` alone, never on `arn:aws:route53:::hostedzone/Z0123456789EXAMPLE`",
        ),
        (
            format!(r#"{{"action": "route53:GetChange", "resource": "{ZONE}"}}"#),
            "asks for `route53:GetChange` on `arn:aws:route53:::change/*`, never on",
        ),
        (
            r#"{"action": "route53:GetHostedZone", "resource": "*"}"#.to_owned(),
            "asks for `route53:GetHostedZone` on `arn:aws:route53:::hostedzone/*`, never on `*`",
        ),
    ] {
        let answer = json(CHANGE_RECORDS, &request);
        assert!(answer["edit"].is_null(), "{answer}");
        let note = answer["notes"][0].as_str().unwrap();
        assert!(note.contains(told), "{note}");
    }
}

#[test]
fn an_action_that_does_not_exist_is_a_wrong_request_with_the_nearest_name() {
    let request = change("example.com", "A").replace("RecordSets\", \"res", "RecordSet\", \"res");
    let error = explain(CHANGE_RECORDS, &request, Format::Json).unwrap_err();
    assert_eq!(error.exit(), Exit::Usage);
    assert_eq!(
        error.to_string(),
        "`route53:ChangeResourceRecordSet` is no action of `route53`"
    );
    // Of a service that is not known whole, it is said, and the decision is explained all the same.
    let told = json(
        CHANGE_RECORDS,
        r#"{"action": "rout53:ListHostedZones", "resource": "*"}"#,
    );
    let note = told["notes"][0].as_str().unwrap();
    assert!(
        note.ends_with("did you mean `route53:ListHostedZones`?"),
        "{note}"
    );
}

#[test]
fn what_else_an_edit_allows_are_requests_that_can_happen() {
    let policy = reads(
        r#"{"Effect": "Allow", "Action": ["route53:ChangeResourceRecordSets", "route53:ListResourceRecordSets", "route53:GetChange"],
        "Resource": ["arn:aws:route53:::hostedzone/Z9", "arn:aws:route53:us-east-1:123456789012:hostedzone/Z8"],
        "Condition": {"ForAllValues:StringEquals": {"route53:ChangeResourceRecordSetsRecordTypes": ["TXT", "A"]}}}"#,
    );
    let told = json(&policy, &change("example.com", "A"));
    let also: Vec<String> = told["edit"]["also_allows"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| {
            format!(
                "{} {} {}",
                one["action"].as_str().unwrap(),
                one["resource"].as_str().unwrap(),
                one["context"]
            )
        })
        .collect();
    assert_eq!(
        also,
        [
            format!(
                r#"route53:ChangeResourceRecordSets {ZONE} {{"route53:ChangeResourceRecordSetsRecordTypes":"TXT"}}"#
            ),
            format!("route53:ListResourceRecordSets {ZONE} {{}}"),
        ]
    );
}

#[test]
fn a_broken_value_is_replaced_and_keeps_no_good_one_beside_it() {
    let dotted = CHANGE_RECORDS.replace("\"example.com\"", "\"Example.com.\"");
    let told = json(&dotted, &change("example.com", "A"));
    assert_eq!(
        told["edit"]["what"][0]
            .as_str()
            .unwrap()
            .split(',')
            .next()
            .unwrap(),
        "write `example.com` instead of `Example.com.`"
    );
    let diff = told["edit"]["diff"].as_str().unwrap();
    assert!(diff.contains("-"), "{diff}");
    assert!(!diff.contains("+          \"Example.com.\""), "{diff}");
    let region = CHANGE_RECORDS.replace(
        "route53:::hostedzone",
        "route53:us-east-1:123456789012:hostedzone",
    );
    let told = json(&region, &change("example.com", "A"));
    let what = told["edit"]["what"][0].as_str().unwrap();
    assert!(
        what.starts_with(&format!(
            "write `{ZONE}` instead of `arn:aws:route53:us-east-1:"
        )),
        "{what}"
    );
}

#[test]
fn values_that_look_like_patterns_get_the_operator_for_patterns_as_another_edit() {
    let policy = CHANGE_RECORDS
        .replace("\"example.com\"", "\"_acme-challenge.*.example.com\"")
        .replace("\"A\"", "\"TXT\"");
    let told = json(&policy, &change("_acme-challenge.www.example.com", "TXT"));
    assert!(
        told["edit"]["what"][0]
            .as_str()
            .unwrap()
            .starts_with("add `_acme-challenge.www.example.com`"),
        "{told}"
    );
    let pattern = &told["pattern"];
    assert!(
        pattern["diff"]
            .as_str()
            .unwrap()
            .contains("+        \"ForAllValues:StringLike\": {"),
        "{told}"
    );
    assert_eq!(
        pattern["also_open"][0],
        "every value of `route53:ChangeResourceRecordSetsNormalizedRecordNames` that `_acme-challenge.*.example.com` matches"
    );
}

/// A statement that lists `resource` under conditions of who asks, from where.
const GUARDED: &str = r#"{"Effect": "Allow", "Action": ["s3:GetObject", "s3:PutObject"], "Resource": "arn:aws:s3:::a/*", "Condition": {
    "Bool": {"aws:MultiFactorAuthPresent": "true"}, "IpAddress": {"aws:SourceIp": "203.0.113.0/24"}}}"#;

#[test]
fn a_statement_of_its_own_asks_for_what_the_one_beside_it_asks_for() {
    let context = r#"{"aws:MultiFactorAuthPresent": "true", "aws:SourceIp": "203.0.113.5"}"#;
    let request = format!(
        r#"{{"action": "s3:GetObject", "resource": "arn:aws:s3:::b/k", "context": {context}}}"#
    );
    let told = json(&reads(GUARDED), &request);
    let diff = told["alone"]["diff"].as_str().unwrap();
    assert!(
        diff.contains(r#""Condition":{"Bool":{"aws:MultiFactorAuthPresent":"true"},"IpAddress":{"aws:SourceIp":"203.0.113.0/24"}}"#),
        "{diff}"
    );
}

#[test]
fn one_more_exact_resource_opens_none_of_the_patterns_beside_it() {
    let policy = reads(
        r#"{"Effect": "Allow", "Action": "s3:GetObject", "Resource": "arn:aws:s3:::a/${aws:username}/*"}"#,
    );
    let text = human(
        &policy,
        r#"{"action": "s3:GetObject", "resource": "arn:aws:s3:::b/k"}"#,
    );
    assert!(!text.contains("it would also allow"), "{text}");
    assert!(!text.contains("a statement of its own"), "{text}");
}

#[test]
fn a_limit_is_moved_and_a_boolean_is_not() {
    let limited = |condition: &str| {
        reads(&format!(
            r#"{{"Effect": "Allow", "Action": "s3:GetObject", "Resource": "*", "Condition": {condition}}}"#
        ))
    };
    let asked = |context: &str| {
        format!(
            r#"{{"action": "s3:GetObject", "resource": "arn:aws:s3:::b/k", "context": {context}}}"#
        )
    };
    let age = limited(r#"{"NumericLessThan": {"aws:MultiFactorAuthAge": "3600"}}"#);
    let told = json(&age, &asked(r#"{"aws:MultiFactorAuthAge": "7200"}"#));
    assert_eq!(
        told["edit"]["what"][0],
        "write `7201` instead of `3600` in `NumericLessThan` of `aws:MultiFactorAuthAge` in statement 0"
    );
    let factor = limited(r#"{"Bool": {"aws:MultiFactorAuthPresent": "true"}}"#);
    let told = json(
        &factor,
        &asked(r#"{"aws:MultiFactorAuthPresent": "false"}"#),
    );
    assert!(told["edit"].is_null(), "{told}");
    let note = told["notes"][0].as_str().unwrap();
    assert!(note.contains("the request is what has to change"), "{note}");
}

#[test]
fn what_notresource_lists_gets_a_statement_of_its_own() {
    let policy =
        reads(r#"{"Effect": "Allow", "Action": "s3:*", "NotResource": "arn:aws:s3:::secret/*"}"#);
    let told = json(
        &policy,
        r#"{"action": "s3:GetObject", "resource": "arn:aws:s3:::secret/k"}"#,
    );
    assert_eq!(
        told["edit"]["what"][0],
        "add a statement that allows `s3:GetObject`"
    );
    assert!(told["notes"][0].as_str().unwrap().contains("be sure"));
}

#[test]
fn a_subject_that_a_trust_policy_does_not_list_is_added() {
    let trust = reads(
        r#"{"Effect": "Allow", "Principal": {"Federated": "arn:aws:iam::123456789012:oidc-provider/token.actions.githubusercontent.com"},
        "Action": "sts:AssumeRoleWithWebIdentity", "Condition": {"StringEquals": {
            "token.actions.githubusercontent.com:aud": "sts.amazonaws.com",
            "token.actions.githubusercontent.com:sub": "repo:example/x:ref:refs/heads/main"}}}"#,
    );
    let request = r#"{"principal": "arn:aws:iam::123456789012:oidc-provider/token.actions.githubusercontent.com",
        "action": "sts:AssumeRoleWithWebIdentity", "resource": "arn:aws:iam::123456789012:role/r",
        "context": {"token.actions.githubusercontent.com:aud": "sts.amazonaws.com",
            "token.actions.githubusercontent.com:sub": "repo:example/x:ref:refs/heads/dev"}}"#;
    let told = json(&trust, request);
    let what = told["edit"]["what"][0].as_str().unwrap();
    assert!(
        what.starts_with("add `repo:example/x:ref:refs/heads/dev` to `StringEquals`"),
        "{what}"
    );
    assert!(told["alone"].is_null(), "{told}");
    let stranger = request.replacen("token.actions.githubusercontent.com\"", "example.com\"", 1);
    let told = json(&trust, &stranger);
    assert!(told["edit"].is_null(), "{told}");
}

#[test]
fn the_other_layers_of_a_case_take_part_in_the_decision() {
    let everything = reads(r#"{"Effect": "Allow", "Action": "*", "Resource": "*"}"#);
    let limited = reads(r#"{"Effect": "Allow", "Action": "s3:Get*", "Resource": "*"}"#);
    let table = format!(
        r#"[{{"id": "scp", "policies": {{"identity": ["p.json"], "scps": [[{limited}]]}},
            "request": {{"action": "s3:PutObject", "resource": "arn:aws:s3:::b/k"}}, "expected": {{"decision": "implicitDeny"}}}},
          {{"id": "both", "policies": {{"identity": ["q.json"], "scps": [[{limited}]]}},
            "request": {{"action": "s3:PutObject", "resource": "arn:aws:s3:::b/k"}}, "expected": {{"decision": "implicitDeny"}}}}]"#
    );
    let narrow = reads(r#"{"Effect": "Allow", "Action": "s3:ListBucket", "Resource": "*"}"#);
    let files = MemoryFiles::new([
        ("p.json", everything.as_str()),
        ("q.json", narrow.as_str()),
        ("cases.json", table.as_str()),
    ]);
    let explained = |policy: &str, id: &str| -> Value {
        let asked = Request {
            policy: policy.to_owned(),
            request: RequestSource::Path("cases.json".to_owned()),
            case: Some(id.to_owned()),
            format: Format::Json,
        };
        let mut out = Vec::new();
        why::run(&asked, &files, &mut out).unwrap();
        serde_json::from_slice(&out).unwrap()
    };
    let told = explained("p.json", "scp");
    assert_eq!(told["decision"], "implicitDeny");
    assert!(told["edit"].is_null(), "{told}");
    assert_eq!(
        told["why"][0],
        "no service control policy of level 0 allows it"
    );
    let note = told["notes"][0].as_str().unwrap();
    assert!(note.contains("another layer does not"), "{note}");
    let told = explained("q.json", "both");
    assert_eq!(
        told["edit"]["still_denied"][0],
        "no service control policy of level 0 allows it"
    );
}
