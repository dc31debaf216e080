//! Policies inside other files, through the program: what the AWS CLI prints, lists, lines and standard input; every finding
//! names the bytes of the file and a pointer into it.

use pointsman::check::Options;
use pointsman::diag::{Edit, Finding};
use pointsman::rules::{self, Check, Page, Rule, Verdict};
use pointsman::syntax::{json, percent, pointer};
use serde_json::{Value, json};

use crate::binary::Folder;
use crate::deployment::{Ran, run};

/// A policy with one fault: the type stands in lower case.
const FAULTY: &str = r#"{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":"route53:ChangeResourceRecordSets","Resource":"arn:aws:route53:::hostedzone/Z0000000000EXAMPLE","Condition":{"ForAllValues:StringEquals":{"route53:ChangeResourceRecordSetsNormalizedRecordNames":["example.com"],"route53:ChangeResourceRecordSetsRecordTypes":["a"],"route53:ChangeResourceRecordSetsActions":["UPSERT"]},"Null":{"route53:ChangeResourceRecordSetsNormalizedRecordNames":"false","route53:ChangeResourceRecordSetsRecordTypes":"false","route53:ChangeResourceRecordSetsActions":"false"}}}]}"#;

const POINTER: &str = "/Statement/0/Condition/ForAllValues:StringEquals/route53:ChangeResourceRecordSetsRecordTypes/0";

fn encoded(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    text.bytes()
        .map(|byte| match plain(byte) {
            true => char::from(byte).to_string(),
            false => format!("%{byte:02X}"),
        })
        .collect()
}

/// The only finding of a run, its pointer and the text of its place.
fn only(folder: &Folder, ran: &crate::binary::Ran, path: &str) -> (String, String) {
    let report = ran.json();
    let findings = report["findings"].as_array().unwrap();
    assert_eq!(findings.len(), 1, "{report:#}");
    let finding = &findings[0];
    assert_eq!(finding["rule"], "r53-type-invalid");
    assert_eq!(finding["path"], path);
    let offset =
        |end: &str| usize::try_from(finding["span"][end]["offset"].as_u64().unwrap()).unwrap();
    let text = folder.read("x.json");
    let slice = text.get(offset("start")..offset("end")).unwrap().to_owned();
    (finding["pointer"].as_str().unwrap().to_owned(), slice)
}

#[test]
fn a_document_is_found_in_every_wrapper_and_pointed_at_in_its_file() {
    let document: Value = serde_json::from_str(FAULTY).unwrap();
    let wrapped = [
        (json!([document]), "/0", "\"a\""),
        (
            json!({"PolicyVersion": {"Document": document, "VersionId": "v1", "IsDefaultVersion": true}}),
            "/PolicyVersion/Document",
            "\"a\"",
        ),
        (
            json!({"RoleName": "r", "PolicyName": "p", "PolicyDocument": document}),
            "/PolicyDocument",
            "\"a\"",
        ),
        (
            json!({"PolicyName": "p", "PolicyDocument": FAULTY}),
            "/PolicyDocument",
            "\\\"a\\\"",
        ),
        (
            json!({"PolicyName": "p", "PolicyDocument": encoded(FAULTY)}),
            "/PolicyDocument",
            "%22a%22",
        ),
        (
            json!({"UserDetailList": [{"UserPolicyList": [{"PolicyName": "p", "PolicyDocument": document}]}]}),
            "/UserDetailList/0/UserPolicyList/0/PolicyDocument",
            "\"a\"",
        ),
        (
            json!({"PolicyVersionList": [{"Document": encoded(FAULTY)}]}),
            "/PolicyVersionList/0/Document",
            "%22a%22",
        ),
    ];
    let folder = Folder::empty();
    for (value, place, written) in wrapped {
        folder.write("x.json", value.to_string());
        let ran = folder.run(&["validate", "policy", "x.json", "--format", "json"]);
        let (pointer, slice) = only(&folder, &ran, "x.json");
        assert_eq!(pointer, format!("{place}{POINTER}"));
        assert_eq!(slice, written);
        assert_eq!(ran.status(), 1);
    }
}

#[test]
fn a_role_as_get_role_prints_it_holds_a_trust_policy() {
    let trust = json!({"Version": "2012-10-17", "Statement": {"Effect": "Allow", "Principal": {"AWS": "arn:aws:iam::123456789012:root"}, "Action": "sts:AssumeRole", "Resource": "*"}});
    let folder = Folder::empty();
    folder.write(
        "role.json",
        json!({"Role": {"AssumeRolePolicyDocument": trust}}).to_string(),
    );
    let ran = folder.run(&["validate", "role.json", "--format", "json"]);
    let report = ran.json();
    assert_eq!(
        report["findings"][0]["pointer"], "/Role/AssumeRolePolicyDocument/Statement/Resource",
        "{report:#}"
    );
    // The flag always wins.
    let ran = folder.run(&[
        "validate",
        "role.json",
        "--policy-type",
        "resource",
        "--format",
        "json",
    ]);
    assert_eq!(ran.json()["findings"], json!([]), "{}", ran.stdout());
}

#[test]
fn standard_input_is_read_and_named() {
    let folder = Folder::empty();
    folder.write("x.json", FAULTY);
    for words in [&["validate", "policy", "-"][..], &["validate", "-"]] {
        let ran = folder.run_with_input(&[words, &["--format", "json"]].concat(), FAULTY);
        let (pointer, slice) = only(&folder, &ran, "<stdin>");
        assert_eq!((pointer.as_str(), slice.as_str()), (POINTER, "\"a\""));
    }
    let twice = format!("{FAULTY}\n{FAULTY}\n");
    let ran = folder.run_with_input(&["validate", "policy", "-", "--format", "json"], &twice);
    assert_eq!(ran.json()["findings"][1]["pointer"], format!("/1{POINTER}"));
    let ran = folder.run_with_input(&["validate", "terraform", "-", "--format", "json"], "");
    assert_eq!(ran.status(), 4, "{}", ran.stdout());
    let ran = folder.run_with_input(&["validate", "policy", "-", "--format", "json"], "");
    assert_eq!(
        (ran.status(), ran.json()["unread"].as_array().unwrap().len()),
        (4, 1)
    );
}

#[test]
fn lines_of_json_are_documents_each() {
    let folder = Folder::empty();
    folder.write("x.json", format!("{{\"document\":{FAULTY}}}\n").repeat(3));
    let (from, to) = (folder.path().join("x.json"), "x.jsonl");
    folder.write(to, folder.read(from.file_name().unwrap().to_str().unwrap()));
    let report = folder
        .run(&["validate", "policy", to, "--format", "json"])
        .json();
    let pointers: Vec<&Value> = report["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|finding| &finding["pointer"])
        .collect();
    assert_eq!(
        pointers,
        [
            &json!(format!("/0/document{POINTER}")),
            &json!(format!("/1/document{POINTER}")),
            &json!(format!("/2/document{POINTER}"))
        ]
    );
}

#[test]
fn comments_are_told_and_the_rest_is_checked() {
    let folder = Folder::empty();
    folder.write("x.json", FAULTY.replacen('{', "{ // why\n", 1));
    let ran = folder.run(&["validate", "policy", "x.json", "--format", "json"]);
    let report = ran.json();
    assert_eq!(
        report["unread"][0]["reason"],
        "this is a comment, and JSON has no comments; remove it"
    );
    assert_eq!(report["findings"][0]["rule"], "r53-type-invalid");
    assert_eq!(ran.status(), 1);
}

#[test]
fn a_template_of_cloudformation_is_undecided_where_it_is_filled_in() {
    let folder = Folder::empty();
    let filled = FAULTY.replace(
        "\"arn:aws:route53:::hostedzone/Z0000000000EXAMPLE\"",
        r#"{"Fn::Sub":"arn:aws:route53:::hostedzone/${Zone}"}"#,
    );
    folder.write("x.json", format!(r#"{{"Resources":{{"P":{{"Type":"AWS::IAM::Policy","Properties":{{"PolicyName":"p","PolicyDocument":{filled}}}}}}}}}"#));
    let ran = folder.run(&["validate", "--format", "json", "x.json"]);
    let report = ran.json();
    assert_eq!(
        report["undecided"][0]["missing"],
        json!(["arn:aws:route53:::hostedzone/${Zone}"]),
        "{report:#}"
    );
    assert_eq!(only(&folder, &ran, "x.json").1, "\"a\"");
}

/// A case's policy in three wrappers.
fn wrappers(document: &str) -> [String; 3] {
    let string = |text: &str| serde_json::to_string(text).unwrap();
    [
        format!("[{document}]"),
        format!("{{\"PolicyDocument\":{}}}", string(document)),
        format!("{{\"PolicyDocument\":{}}}", string(&encoded(document))),
    ]
}

fn places(ran: &Ran) -> Vec<(&'static str, Option<String>)> {
    let mut all: Vec<_> = ran
        .findings()
        .map(|(finding, _, _)| (finding.rule, finding.pointer.clone()))
        .collect();
    all.sort();
    all
}

/// The document's own text in a wrapper.
fn unwrapped(text: &str) -> Option<String> {
    let mut sources = pointsman::text::SourceMap::default();
    let file = sources.add("x", text);
    let root = json::read(&sources.text(file)?).documents.pop()?;
    match root
        .get("PolicyDocument")
        .and_then(pointsman::syntax::Node::as_text)
    {
        Some(inner) if inner.as_str().starts_with('%') => {
            Some(percent::decode(inner).ok()?.as_str().to_owned())
        }
        Some(inner) => Some(inner.as_str().to_owned()),
        None => pointer::find(&root, "/0").map(|node| sources.slice(node.span()).to_owned()),
    }
}

#[test]
fn a_policy_in_a_wrapper_gets_what_it_gets_alone_and_fixes_leave_it_a_policy() {
    // A statement without a policy is none in a wrapper for policies: that is unread there.
    let of_policies =
        |rule: &&Rule| matches!(rule.check, Check::Policy(_)) && rule.id != "bare-statement";
    for rule in rules::all().filter(of_policies) {
        let page = Page::parse(rule.page).unwrap();
        for case in page.cases.iter().filter(|case| {
            case.verdict == Verdict::Bad
                && !case.spec
                && case.files.len() == 1
                && case.policy_type.is_none()
        }) {
            let file = &case.files[0];
            if !file.path.ends_with(".json") {
                continue;
            }
            let alone = run(&[("x.json", &file.text)], Options::default());
            for wrapped in wrappers(&file.text) {
                let ran = run(&[("x.json", &wrapped)], Options::default());
                assert_eq!(
                    ran.checked.outcome.findings.len(),
                    alone.checked.outcome.findings.len(),
                    "`{}` line {}\n{wrapped}\n{:?}\n{:?}",
                    rule.id,
                    case.line,
                    places(&alone),
                    places(&ran)
                );
                let fixed: Vec<&Finding> = ran
                    .checked
                    .outcome
                    .findings
                    .iter()
                    .filter(|finding| finding.fix.as_ref().is_some_and(|fix| fix.safe))
                    .collect();
                for finding in fixed {
                    let mut edits: Vec<&Edit> =
                        finding.fix.iter().flat_map(|fix| &fix.edits).collect();
                    edits.sort_by_key(|edit| std::cmp::Reverse(edit.at));
                    let mut text = wrapped.clone();
                    for edit in edits {
                        text.replace_range(edit.at.range(), &edit.with);
                    }
                    let inside = unwrapped(&text)
                        .unwrap_or_else(|| panic!("`{}` broke {wrapped}\n{text}", finding.rule));
                    let again = run(&[("x.json", &inside)], Options::default());
                    assert!(
                        again.checked.outcome.unread.is_empty(),
                        "`{}`: {inside}",
                        finding.rule
                    );
                }
            }
        }
    }
}

const FINE: &str = r#"{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":"s3:GetObject","Resource":"arn:aws:s3:::example/*"}]}"#;

/// Numbers of findings, undecided and unread of a file, by `validate policy` and by `inspect policy`.
fn told(name: &str, text: &str) -> [(usize, usize); 2] {
    let folder = Folder::empty();
    folder.write(name, text);
    [["validate", "policy"], ["inspect", "policy"]].map(|words| {
        let ran = folder.run(&[words.as_slice(), &[name, "--format", "json"]].concat());
        let report = ran.json();
        let count = |key: &str| report[key].as_array().unwrap().len();
        (count("undecided"), count("unread"))
    })
}

#[test]
fn no_value_that_should_be_a_policy_is_dropped_beside_one_that_is() {
    let twice = serde_json::to_string(&serde_json::to_string(FINE).unwrap()).unwrap();
    assert_eq!(
        told("x.json", &format!(r#"{{"PolicyDocument":{twice}}}"#)),
        [(0, 0); 2],
        "JSON encoded twice is read"
    );
    for (value, expected) in [
        (r#""%7B%22Version%22%3A%""#, (0, 1)),
        (r#""{\"Version\": \"2012-10-17\"""#, (0, 1)),
        (r#""see the wiki""#, (0, 1)),
        ("null", (0, 1)),
        (r#"{"version":"2012-10-17","statement":[]}"#, (0, 1)),
        (r#"{"Fn::Sub":"{\"Statement\":[]}"}"#, (1, 0)),
        (r#"{"Ref":"Document"}"#, (1, 0)),
        (
            r#"{"Fn::If":["Own",{"Ref":"Document"},{"Ref":"AWS::NoValue"}]}"#,
            (1, 0),
        ),
    ] {
        for key in ["PolicyDocument", "AssumeRolePolicyDocument"] {
            let text = format!(r#"{{"A":{{"{key}":{value}}},"B":{{"PolicyDocument":{FINE}}}}}"#);
            assert_eq!(told("x.json", &text), [expected; 2], "{text}");
        }
    }
    for item in ["null", "5", r#""str""#, "{}", r#"{"Statement":"x"}"#] {
        assert_eq!(
            told("x.json", &format!("[{FINE},{item}]")),
            [(0, 1); 2],
            "{item}"
        );
        let lines = format!("{FINE}\n{item}\n{FINE}\n");
        assert_eq!(told("x.jsonl", &lines), [(0, 1); 2], "{item}");
    }
}

#[test]
fn a_policy_that_is_one_string_is_read_also_from_standard_input() {
    let folder = Folder::empty();
    let text = serde_json::to_string(FAULTY).unwrap();
    folder.write("x.json", &text);
    let ran = folder.run(&["validate", "policy", "x.json", "--format", "json"]);
    let (pointer, slice) = only(&folder, &ran, "x.json");
    assert_eq!((pointer.as_str(), slice.as_str()), (POINTER, "\\\"a\\\""));
    let ran = folder.run_with_input(&["validate", "policy", "-", "--format", "json"], &text);
    assert_eq!(only(&folder, &ran, "<stdin>").1, "\\\"a\\\"");
}

#[test]
fn a_policy_in_yaml_is_told_to_be_written_as_json() {
    let folder = Folder::empty();
    folder.write("p.yaml", "Version: 2012-10-17\nStatement: []\n");
    let ran = folder.run(&["validate", "policy", "p.yaml"]);
    assert_eq!(ran.status(), 4, "{}", ran.stdout());
    assert!(
        ran.stdout().contains(
            "such a file holds no policies; write the policy as JSON, as AWS takes it, or in Terraform"
        ),
        "{}",
        ran.stdout()
    );
}

#[test]
fn a_file_that_is_one_percent_encoded_document_is_read() {
    let folder = Folder::empty();
    folder.write("x.json", encoded(FAULTY));
    let ran = folder.run(&["validate", "policy", "x.json", "--format", "json"]);
    let (pointer, _) = only(&folder, &ran, "x.json");
    assert_eq!(pointer, POINTER);
}
