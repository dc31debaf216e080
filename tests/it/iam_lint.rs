//! The policy rules against the project's own lint cases: each document gives exactly its set of findings.
//!
//! A case names findings by code, which is the rule's id in upper case with underscores.

use std::collections::{BTreeMap, BTreeSet};

use pointsman::check::Options;
use pointsman::diag::{Finding, Severity};
use pointsman::model::policy::{PolicyKind, route53};
use pointsman::rules;
use proptest::prelude::*;
use serde::Deserialize;
use serde_json::Value;

use crate::deployment::{REFERENCE_SPEC, run};

#[derive(Deserialize)]
struct Case {
    id: String,
    policy_kind: String,
    document: Value,
    expected: Expected,
}

#[derive(Deserialize)]
struct Expected {
    codes: BTreeSet<String>,
}

impl Case {
    fn all() -> Result<Vec<Self>, serde_json::Error> {
        serde_json::from_str(include_str!("data/iam_lint_own.json"))
    }

    fn text(&self) -> String {
        self.document
            .as_str()
            .map_or_else(|| self.document.to_string(), str::to_owned)
    }

    fn found(&self) -> BTreeSet<String> {
        let kind = PolicyKind::WORDS
            .iter()
            .find(|(word, _)| *word == self.policy_kind)
            .map(|(_, kind)| *kind);
        let options = Options {
            policy_kind: kind,
            ..Options::default()
        };
        let ran = run(&[("policy.json", &self.text())], options);
        ran.findings()
            .map(|(finding, ..)| code(finding.rule))
            .collect()
    }
}

fn code(rule: &str) -> String {
    rule.to_ascii_uppercase().replace('-', "_")
}

#[test]
fn every_document_gives_exactly_its_codes() {
    let mut wrong = Vec::new();
    for case in Case::all().unwrap() {
        let found = case.found();
        if found != case.expected.codes {
            wrong.push((case.id, found, case.expected.codes));
        }
    }
    assert!(wrong.is_empty(), "(case, found, expected): {wrong:#?}");
}

#[test]
fn every_rule_has_the_severity_of_the_table() {
    let table: BTreeMap<String, String> =
        serde_json::from_str(include_str!("data/iam_severities.json")).unwrap();
    for (code, words) in &table {
        let rule = rules::find(code).unwrap_or_else(|| panic!("no rule for {code}"));
        let first = words.split(';').next();
        assert_eq!(Some(rule.severity.word()), first, "{code}");
    }
}

#[test]
fn what_notaction_leaves_in_is_granted_without_any_limit() {
    let with = |resource: &str| {
        let statement =
            serde_json::json!({"Effect": "Allow", "NotAction": "iam:*", "Resource": resource});
        let policy = serde_json::json!({"Version": "2012-10-17", "Statement": statement});
        let ran = run(&[("policy.json", &policy.to_string())], Options::default());
        let found = ran.findings().map(|(finding, ..)| finding.rule);
        found.collect::<BTreeSet<_>>()
    };
    let mut rules = BTreeSet::from([
        "allow-with-notaction",
        "r53-actions-unrestricted",
        "r53-names-unrestricted",
        "r53-types-unrestricted",
        "r53-zone-unrestricted",
    ]);
    assert_eq!(with("*"), rules);
    rules.remove("r53-zone-unrestricted");
    assert_eq!(
        with("arn:aws:route53:::hostedzone/Z0123456789EXAMPLE"),
        rules
    );
    assert_eq!(
        with("arn:aws:s3:::example-logs/*"),
        BTreeSet::from(["allow-with-notaction"])
    );
}

/// The one finding of `rule` in a statement about records.
fn only(rule: &str, statement: &Value, spec: bool) -> Option<Finding> {
    let policy = serde_json::json!({"Version": "2012-10-17", "Statement": statement}).to_string();
    let mut files = vec![("policies/change-records.json", policy.as_str())];
    if spec {
        files.push(("pointsman.toml", REFERENCE_SPEC));
    }
    let ran = run(&files, Options::default());
    let mut found = ran.findings().filter(|(finding, ..)| finding.rule == rule);
    found.next().map(|(finding, ..)| finding.clone())
}

fn statement(names: &Value, actions: &Value, guarded: bool) -> Value {
    let key = route53::NAMES_KEY;
    let mut statement = serde_json::json!({
        "Effect": "Allow",
        "Action": actions,
        "Resource": "arn:aws:route53:::hostedzone/Z0123456789EXAMPLE",
        "Condition": {"ForAllValues:StringEquals": {key: names}},
    });
    if guarded {
        statement["Condition"]["Null"] = serde_json::json!({key: "false"});
    }
    statement
}

#[test]
fn a_star_is_mended_unseen_only_where_the_wildcard_record_is_meant_for_certain() {
    let rule = "r53-name-unescaped-wildcard";
    let change = serde_json::json!(route53::CHANGE_RECORDS);
    let safe = |names: Value, spec| {
        let found = only(rule, &statement(&names, &change, true), spec).unwrap();
        (found.fix.unwrap().safe, found.help.unwrap())
    };
    let (alone, help) = safe(serde_json::json!(["*.example.com"]), false);
    assert!(
        !alone
            && help.contains(r"`\052.example.com`")
            && help.contains("`ForAllValues:StringLike`"),
        "{help}"
    );
    assert!(safe(serde_json::json!(["*.example.com"]), true).0);
    assert!(
        safe(
            serde_json::json!(["*.example.com", r"\052.a.example.com"]),
            false
        )
        .0
    );
    assert!(!safe(serde_json::json!(["*.b.example.com"]), true).0);
}

#[test]
fn an_action_that_a_statement_never_allows_is_an_error_unless_another_allows_it() {
    let rule = "unsupported-action-for-condition-key";
    let (names, both) = (
        serde_json::json!(["example.com"]),
        serde_json::json!([route53::CHANGE_RECORDS, route53::LIST_RECORDS]),
    );
    let severity = |statements: Value| only(rule, &statements, false).unwrap().severity;
    let guarded = statement(&names, &both, true);
    assert_eq!(severity(guarded.clone()), Severity::Error);
    assert_eq!(severity(statement(&names, &both, false)), Severity::Warning);
    let list =
        serde_json::json!({"Effect": "Allow", "Action": route53::LIST_RECORDS, "Resource": "*"});
    assert_eq!(
        severity(serde_json::json!([guarded, list])),
        Severity::Warning
    );
}

#[test]
fn a_guard_is_asked_for_only_after_other_actions_have_left() {
    let rule = "forallvalues-allow-without-null-guard";
    let names = serde_json::json!(["example.com"]);
    let help = |actions: Value| {
        let found = only(rule, &statement(&names, &actions, false), false);
        found.unwrap().help.unwrap()
    };
    let alone = help(serde_json::json!(route53::CHANGE_RECORDS));
    assert!(alone.starts_with("demand the key"), "{alone}");
    let both = help(serde_json::json!([
        route53::CHANGE_RECORDS,
        route53::LIST_RECORDS
    ]));
    assert!(
        both.starts_with("first give `route53:ChangeResourceRecordSets` a statement of its own"),
        "{both}"
    );
}

#[test]
fn only_the_program_of_the_spec_is_known_to_upsert_alone() {
    let rule = "r53-actions-unrestricted";
    let one = statement(
        &serde_json::json!(["example.com"]),
        &serde_json::json!(route53::CHANGE_RECORDS),
        true,
    );
    let help = |spec| only(rule, &one, spec).unwrap().help.unwrap();
    assert!(help(true).contains(r#"["UPSERT"]"#));
    assert!(help(false).contains("of CREATE, UPSERT and DELETE"));
}

#[test]
fn what_allows_everything_is_one_finding_unless_it_speaks_of_route_53() {
    let rules = |statement: Value| {
        let policy = serde_json::json!({"Version": "2012-10-17", "Statement": statement});
        let ran = run(&[("policy.json", &policy.to_string())], Options::default());
        let found = ran.findings().map(|(finding, ..)| finding.rule);
        found.collect::<Vec<_>>()
    };
    let everything = serde_json::json!({"Effect": "Allow", "Action": "*", "Resource": "*"});
    assert_eq!(rules(everything.clone()), ["action-wildcard"]);
    for (key, value) in [
        ("Action", serde_json::json!("route53:*")),
        ("Action", serde_json::json!(["*", route53::CHANGE_RECORDS])),
        (
            "Resource",
            serde_json::json!("arn:aws:route53:::hostedzone/*"),
        ),
        (
            "Condition",
            serde_json::json!({"StringEquals": {route53::TYPES_KEY: "A"}}),
        ),
    ] {
        let mut special = everything.clone();
        special[key] = value;
        assert!(rules(special).contains(&"r53-names-unrestricted"), "{key}");
    }
}

/// A value of a policy: mostly words that policies have, so that rules get far.
fn value() -> impl Strategy<Value = Value> {
    let word = prop_oneof![
        Just("*".to_owned()),
        Just("Allow".to_owned()),
        Just("2008-10-17".to_owned()),
        Just("route53:ChangeResourceRecordSets".to_owned()),
        Just("route53:*Sets".to_owned()),
        Just("arn:aws:route53:::hostedzone/<id>".to_owned()),
        "(arn:aws:)?(route53|s3)?:{0,4}[a-zé*?/${}]{0,12}",
        "[*]?[.]?[A-Za-zé]{0,5}[\\\\/@.*${}0-9]{0,6}[.]?example[.]com[.]?",
        ".{0,6}",
    ];
    let leaf = prop_oneof![
        word.prop_map(Value::from),
        any::<bool>().prop_map(Value::from),
        Just(Value::Null),
    ];
    prop_oneof![
        leaf.clone(),
        prop::collection::vec(leaf, 0..3).prop_map(Value::from)
    ]
}

fn conditions() -> impl Strategy<Value = Value> {
    let operator =
        "(ForAllValues:|ForAnyValue:|For:)?(StringEquals|StringLike|Null|Bool|Strin)(IfExists)?";
    let key = prop_oneof![
        Just("route53:ChangeResourceRecordSetsNormalizedRecordNames".to_owned()),
        Just("route53:ChangeResourceRecordSetsRecordTypes".to_owned()),
        Just("route53:changeresourcerecordsetsactions".to_owned()),
        "(aws|route53):[A-Za-z]{0,6}",
    ];
    let block = prop::collection::btree_map(key, value(), 0..3);
    prop::collection::btree_map(operator, block, 0..3).prop_map(|map| serde_json::json!(map))
}

fn policy() -> impl Strategy<Value = Value> {
    let element = "(Sid|Effect|(Not)?Action|(Not)?Resource|(Not)?Principal|Foo)";
    let elements = prop::collection::btree_map(element, value(), 0..5);
    let statement = (elements, conditions()).prop_map(|(elements, conditions)| {
        let mut statement = serde_json::json!({
            "Effect": "Allow",
            "Action": "route53:ChangeResourceRecordSets",
            "Resource": "*",
            "Condition": conditions,
        });
        for (key, value) in elements {
            statement[key] = value;
        }
        statement
    });
    let statements = prop::collection::vec(statement, 0..3);
    (value(), statements).prop_map(
        |(version, statements)| serde_json::json!({"Version": version, "Statement": statements}),
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn whatever_stands_in_a_policy_findings_lie_in_it_and_fixes_leave_it_readable(policy in policy()) {
        let text = serde_json::to_string_pretty(&policy).unwrap();
        let ran = run(&[("policy.json", &text)], Options::default());
        for (finding, ..) in ran.findings() {
            let at = finding.primary.at.range();
            prop_assert!(text.get(at).is_some(), "{}", finding.rule);
            prop_assert!(!finding.message.contains('\n'), "{}", finding.rule);
            let Some(fix) = &finding.fix else { continue };
            let mut mended = text.clone();
            for edit in fix.edits.iter().rev() {
                mended.replace_range(edit.at.range(), &edit.with);
            }
            let read: Result<Value, _> = serde_json::from_str(&mended);
            prop_assert!(read.is_ok(), "{}: {mended}", finding.rule);
        }
    }
}
