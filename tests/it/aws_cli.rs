//! An outside client of `serve` and of the rehearsal's Route 53: the AWS CLI, which `scripts/install-judges` puts below `target/judges`. Where it is
//! not, the tests say so and end.
#![expect(
    clippy::disallowed_methods,
    clippy::print_stderr,
    reason = "these tests run another program, or say why not"
)]

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use crate::serve::Served;

/// Where it is installed.
pub(crate) fn cli() -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/judges/aws/bin/aws");
    if path.exists() {
        return Some(path);
    }
    eprintln!("not judged: the AWS CLI is not installed; scripts/install-judges installs it");
    None
}

/// Runs `aws iam …` with credentials of nobody; its JSON, or what it says.
fn iam(cli: &Path, served: &Served, arguments: &[&str]) -> Result<Value, String> {
    let url = format!("http://{}", served.address);
    aws(cli, &url, "nobody", &[&["iam"], arguments].concat())
}

/// Runs `aws …` against an endpoint with an access key; its JSON, or what it says.
pub(crate) fn aws(cli: &Path, url: &str, key: &str, arguments: &[&str]) -> Result<Value, String> {
    let ran = Command::new(cli)
        .args(arguments)
        .args(["--output", "json", "--endpoint-url", url])
        .env_clear()
        .env("HOME", "/nonexistent")
        .env("AWS_ACCESS_KEY_ID", key)
        .env("AWS_SECRET_ACCESS_KEY", "nothing")
        .env("AWS_DEFAULT_REGION", "us-east-1")
        .env("AWS_EC2_METADATA_DISABLED", "true")
        .env("AWS_MAX_ATTEMPTS", "1")
        .output()
        .map_err(|error| error.to_string())?;
    if !ran.status.success() {
        return Err(String::from_utf8_lossy(&ran.stderr).into_owned());
    }
    serde_json::from_slice(&ran.stdout).map_err(|error| error.to_string())
}

/// A case of `data/iam_eval.json` as arguments.
fn arguments(case: &Value) -> Vec<String> {
    let request = &case["request"];
    let mut words = vec!["simulate-custom-policy".to_owned()];
    let mut add = |name: &str, values: Vec<String>| {
        words.push(name.to_owned());
        words.extend(values);
    };
    let documents = |list: &Value| -> Vec<String> {
        let list = list.as_array().unwrap();
        list.iter().map(Value::to_string).collect()
    };
    add(
        "--policy-input-list",
        documents(&case["policies"]["identity"]),
    );
    let boundary = documents(&case["policies"]["permissions_boundary"]);
    if !boundary.is_empty() {
        add("--permissions-boundary-policy-input-list", boundary);
    }
    add(
        "--action-names",
        vec![request["action"].as_str().unwrap().to_owned()],
    );
    add(
        "--resource-arns",
        vec![request["resource"].as_str().unwrap().to_owned()],
    );
    let entry = |(key, value): (&String, &Value)| {
        let (values, kind) = match value.as_array() {
            Some(values) => (values.clone(), "stringList"),
            None => (vec![value.clone()], "string"),
        };
        json!({"ContextKeyName": key, "ContextKeyValues": values, "ContextKeyType": kind})
    };
    let context: Vec<Value> = request["context"]
        .as_object()
        .unwrap()
        .iter()
        .map(entry)
        .collect();
    if !context.is_empty() {
        add("--context-entries", vec![Value::from(context).to_string()]);
    }
    words
}

/// Cases for the CLI: of each kind of policy and condition that its request can hold.
const CASES: [&str; 12] = [
    "own/route53-reference/apex-upsert-a",
    "own/route53-reference/one-foreign-name",
    "own/route53-reference/origin-record",
    "own/route53-reference/aaaa",
    "own/route53-reference/no-keys",
    "own/route53-reference/list-other",
    "own/route53-variant/esc-like-other",
    "own/route53-variant/deny-any-ok",
    "own/route53-variant/cross-product",
    "own/layer/pb-no",
    "own/layer/pb-deny",
    "own/operator/NumericLessThan/or-list",
];

#[test]
fn the_aws_cli_gets_the_documented_decisions() {
    let Some(cli) = cli() else { return };
    let served = Served::start(&[]);
    let cases: Vec<Value> = serde_json::from_str(include_str!("data/iam_eval.json")).unwrap();
    let mut asked = 0;
    for case in &cases {
        let id = case["id"].as_str().unwrap();
        if !CASES.contains(&id) {
            continue;
        }
        let words = arguments(case);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let answer = iam(&cli, &served, &words).unwrap();
        let result = &answer["EvaluationResults"][0];
        let own = &result["ResourceSpecificResults"][0]["EvalResourceDecision"];
        assert_eq!(*own, case["expected"]["decision"], "{id}: {answer}");
        assert_eq!(result["EvalDecision"], *own, "{id}");
        asked += 1;
    }
    assert_eq!(asked, CASES.len());
}

#[test]
fn the_aws_cli_judges_the_reference_deployment_s_policies() {
    let Some(cli) = cli() else { return };
    let served = Served::start(&[]);
    let policies = [
        include_str!("../../policies/change-records.json"),
        include_str!("../../policies/read-zone.json"),
    ];
    let context = |name: &str| {
        let entry = |key: &str, value: &str| json!({"ContextKeyName": format!("route53:ChangeResourceRecordSets{key}"), "ContextKeyValues": [value], "ContextKeyType": "stringList"});
        json!([
            entry("NormalizedRecordNames", name),
            entry("RecordTypes", "A"),
            entry("Actions", "UPSERT")
        ])
        .to_string()
    };
    let ask = |name: &str| {
        let arguments = [
            "simulate-custom-policy",
            "--policy-input-list",
            policies[0],
            policies[1],
            "--action-names",
            "route53:ChangeResourceRecordSets",
            "route53:GetChange",
            "--resource-arns",
            "arn:aws:route53:::hostedzone/Z0123456789EXAMPLE",
            "arn:aws:route53:::change/C1",
            "--context-entries",
            &context(name),
        ];
        iam(&cli, &served, &arguments).unwrap()
    };
    let answer = ask(r"\052.example.com");
    let decision = |action: usize, resource: usize| {
        let result = &answer["EvaluationResults"][action]["ResourceSpecificResults"][resource];
        result["EvalResourceDecision"].as_str().map(str::to_owned)
    };
    assert_eq!(decision(0, 0).as_deref(), Some("allowed"));
    assert_eq!(decision(0, 1).as_deref(), Some("implicitDeny"));
    assert_eq!(decision(1, 0).as_deref(), Some("implicitDeny"));
    assert_eq!(decision(1, 1).as_deref(), Some("allowed"));
    let matched =
        &answer["EvaluationResults"][0]["ResourceSpecificResults"][0]["MatchedStatements"];
    assert_eq!(matched[0]["SourcePolicyId"], "PolicyInputList.1");
    // The place just behind the statement's closing brace, in the text as it was sent.
    let end = |part: &str| {
        let number = matched[0]["EndPosition"][part].as_u64();
        usize::try_from(number.unwrap()).unwrap() - 1
    };
    let line = policies[0].lines().nth(end("Line")).unwrap();
    assert_eq!(line.get(..end("Column")).map(str::trim), Some("}"));
    let denied = ask("*.example.com");
    assert_eq!(
        denied["EvaluationResults"][0]["EvalDecision"],
        "implicitDeny"
    );
}

#[test]
fn the_aws_cli_gets_keys_pages_and_refusals() {
    let Some(cli) = cli() else { return };
    let served = Served::start(&[]);
    let policy = include_str!("../../policies/change-records.json");
    let asked = [
        "get-context-keys-for-custom-policy",
        "--policy-input-list",
        policy,
    ];
    let keys = iam(&cli, &served, &asked).unwrap();
    assert_eq!(
        keys["ContextKeyNames"],
        json!([
            "route53:ChangeResourceRecordSetsNormalizedRecordNames",
            "route53:ChangeResourceRecordSetsRecordTypes",
            "route53:ChangeResourceRecordSetsActions"
        ])
    );
    let mut paged = vec![
        "simulate-custom-policy",
        "--page-size",
        "1",
        "--policy-input-list",
        policy,
    ];
    paged.extend(["--action-names", "a:One", "a:Two", "a:Three"]);
    let answer = iam(&cli, &served, &paged).unwrap();
    assert_eq!(
        answer["EvaluationResults"].as_array().map(Vec::len),
        Some(3)
    );
    let wrong = [
        "simulate-custom-policy",
        "--policy-input-list",
        "{\"Version\":",
        "--action-names",
        "a:B",
    ];
    let refused = iam(&cli, &served, &wrong).unwrap_err();
    assert!(refused.contains("(InvalidInput)"), "{refused}");
    let open = r#"{"Version":"2012-10-17","Statement":{"Effect":"Allow","Action":"a:B","Resource":"arn:aws:a:::${var.x}"}}"#;
    let open = [
        "simulate-custom-policy",
        "--policy-input-list",
        open,
        "--action-names",
        "a:B",
    ];
    let refused = iam(&cli, &served, &open).unwrap_err();
    assert!(refused.contains("(PolicyEvaluation)"), "{refused}");
}
