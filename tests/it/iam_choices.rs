//! Each choice of the evaluator where AWS is silent, as it is written down; and the layers beyond the case table.

use std::collections::BTreeSet;

use pointsman::iam::choices::CHOICES;
use pointsman::iam::{
    Compiled, ContextValue, NamedPolicy, Policies, Request, RequestPrincipal, Word,
};
use pointsman::model::policy::{PolicyDocument, PolicyKind};
use serde_json::{Value, json};

use crate::iam_eval::tree;

const ROLE: &str = "arn:aws:iam::123456789012:role/ops/dns-failover";
const SESSION: &str = "arn:aws:sts::123456789012:assumed-role/dns-failover/run";

fn document(policy: &Value, kind: PolicyKind) -> PolicyDocument {
    let root = tree("policy.json", &policy.to_string()).unwrap();
    PolicyDocument::read(root, Some(kind), None)
}

fn named(document: &PolicyDocument) -> NamedPolicy<'_> {
    NamedPolicy {
        name: "policy",
        document,
    }
}

/// Whether an Allow with this condition applies; `None` when it is undecided.
fn holds(condition: &Value, context: &[(&str, ContextValue)]) -> Option<bool> {
    let policy = json!({"Version": "2012-10-17", "Statement": [
        {"Effect": "Allow", "Action": "*", "Resource": "*", "Condition": condition}
    ]});
    let document = document(&policy, PolicyKind::Identity);
    let compiled = Compiled::new(&Policies {
        identity: vec![named(&document)],
        ..Policies::default()
    });
    let mut request = Request::new("a:B", "*");
    for (key, value) in context {
        request.set(key, value.clone());
    }
    Some(compiled.decide(&request)? == Word::Allowed)
}

/// What a document answers, though it was once a choice: `*` and `?` are any characters (User Guide, "Condition operators"),
/// values of one key join by OR (User Guide, "Conditions with multiple context keys or values").
const DOCUMENTED: &str = "documented";

/// A choice, or [`DOCUMENTED`], a condition, the value of the key `k:a` (`k:b` is `true`), and whether it holds.
const CASES: [(&str, &str, &str, Option<bool>); 23] = [
    (
        "values-by-meaning",
        r#"{"ArnLike": {"k:a": "*"}}"#,
        r#""arn:aws:s3:::b""#,
        Some(true),
    ),
    (
        "values-by-meaning",
        r#"{"ArnLike": {"k:a": "arn:*"}}"#,
        r#""arn:aws:s3:::b""#,
        Some(false),
    ),
    (
        "letter-case",
        r#"{"Bool": {"k:a": "True"}}"#,
        r#""true""#,
        Some(true),
    ),
    (
        "bool-variables",
        r#"{"Bool": {"k:a": "${k:b}"}}"#,
        r#""true""#,
        Some(false),
    ),
    (
        "any-value-if-exists-missing",
        r#"{"ForAnyValue:StringEqualsIfExists": {"k:none": "x"}}"#,
        r#""x""#,
        Some(true),
    ),
    (
        "values-by-meaning",
        r#"{"IpAddress": {"k:a": "203.0.113.77/24"}}"#,
        r#""203.0.113.1""#,
        Some(true),
    ),
    (
        "empty-values",
        r#"{"ForAllValues:StringEquals": {"k:a": "x"}}"#,
        r#"["", ""]"#,
        Some(true),
    ),
    (
        "empty-values",
        r#"{"ForAnyValue:StringEquals": {"k:a": ""}}"#,
        r#"[""]"#,
        Some(false),
    ),
    (
        "empty-values",
        r#"{"Null": {"k:a": "true"}}"#,
        r#"[""]"#,
        Some(true),
    ),
    (
        "empty-values",
        r#"{"StringNotEquals": {"k:a": "x"}}"#,
        r#"[]"#,
        Some(true),
    ),
    (
        "letter-case",
        r#"{"StringEqualsIgnoreCase": {"k:a": "ÄÉ"}}"#,
        r#""äé""#,
        Some(true),
    ),
    (
        "documented",
        r#"{"StringLike": {"k:a": "a*c?"}}"#,
        r#""a\nc\n""#,
        Some(true),
    ),
    (
        "list-under-plain-operator",
        r#"{"StringEquals": {"k:a": "x"}}"#,
        r#"["x", "y"]"#,
        Some(false),
    ),
    (
        "list-under-plain-operator",
        r#"{"StringNotEquals": {"k:a": "z"}}"#,
        r#"["x", "y"]"#,
        Some(false),
    ),
    (
        "documented",
        r#"{"Null": {"k:a": ["true", "false"]}}"#,
        r#""x""#,
        Some(true),
    ),
    (
        "values-by-meaning",
        r#"{"NumericEquals": {"k:a": "10"}}"#,
        r#""010.0""#,
        Some(true),
    ),
    (
        "values-by-meaning",
        r#"{"NumericLessThan": {"k:a": "1e3"}}"#,
        r#""1""#,
        Some(false),
    ),
    (
        "letter-case",
        r#"{"forallvalues:stringlikeifexists": {"k:a": "x*"}}"#,
        r#"["x", "y"]"#,
        Some(false),
    ),
    (
        "values-by-meaning",
        r#"{"NumericNotEquals": {"k:a": "1"}}"#,
        r#""x""#,
        Some(true),
    ),
    (
        "values-by-meaning",
        r#"{"DateLessThan": {"k:a": "2026"}}"#,
        r#""x""#,
        Some(false),
    ),
    (
        "unfilled-variable",
        r#"{"StringLike": {"k:b": "${k:a}"}}"#,
        r#"["true"]"#,
        Some(false),
    ),
    (
        "unfilled-variable",
        r#"{"StringEquals": {"k:a": "${k:a"}}"#,
        r#""${k:a""#,
        Some(true),
    ),
    (
        "unfilled-variable",
        r#"{"StringEquals": {"k:a": "${var.x}"}}"#,
        r#""x""#,
        None,
    ),
];

#[test]
fn every_choice_stands_in_the_documents() {
    let page = include_str!("../../docs/iam-choices.md");
    for choice in CHOICES {
        let line = format!("| {} | {} | {} |", choice.name, choice.open, choice.chosen);
        assert!(page.lines().any(|found| found == line), "{line}");
    }
}

#[test]
fn every_choice_is_kept() {
    let mut seen = BTreeSet::from(["not-principal", "rcp-services", "star-principal"]);
    for (name, condition, value, expected) in CASES {
        let value = match serde_json::from_str(value).unwrap() {
            Value::String(text) => ContextValue::Single(text),
            list @ (Value::Array(_)
            | Value::Null
            | Value::Bool(_)
            | Value::Number(_)
            | Value::Object(_)) => ContextValue::Multi(serde_json::from_value(list).unwrap()),
        };
        let other = ContextValue::Single("true".to_owned());
        let context = [("k:a", value), ("k:b", other)];
        let found = holds(&serde_json::from_str(condition).unwrap(), &context);
        assert_eq!(found, expected, "{name}: {condition}");
        if name != DOCUMENTED {
            seen.insert(name);
        }
    }
    let names: BTreeSet<&str> = CHOICES.iter().map(|choice| choice.name).collect();
    assert_eq!(seen, names);
    assert!(names.len() <= 10, "AWS is silent on ten things at most");
}

#[test]
fn a_resource_control_policy_denies_in_every_service() {
    let allow = json!({"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "*", "Resource": "*"}]});
    let deny = json!({"Version": "2012-10-17", "Statement": [{"Effect": "Deny", "Principal": "*", "Action": "*", "Resource": "*"}]});
    let (allow, deny) = (
        document(&allow, PolicyKind::Identity),
        document(&deny, PolicyKind::Rcp),
    );
    let compiled = Compiled::new(&Policies {
        identity: vec![named(&allow)],
        rcps: vec![vec![named(&deny)]],
        ..Policies::default()
    });
    for action in ["s3:GetObject", "route53:GetChange"] {
        let request = Request::new(action, "*").by(RequestPrincipal::parse(ROLE));
        assert_eq!(compiled.decide(&request), Some(Word::ExplicitDeny));
    }
}

/// The decision on `s3:GetObject` of `principal`, with these policies.
fn resource(
    identity: Option<&Value>,
    resource: &Value,
    boundary: Option<&Value>,
    principal: RequestPrincipal,
    account: &str,
) -> Option<Word> {
    let identity = identity.map(|policy| document(policy, PolicyKind::Identity));
    let resource = document(resource, PolicyKind::Resource);
    let boundary = boundary.map(|policy| document(policy, PolicyKind::Boundary));
    let compiled = Compiled::new(&Policies {
        identity: identity.iter().map(named).collect(),
        resource: Some(named(&resource)),
        permissions_boundary: boundary.as_ref().map(|policy| vec![named(policy)]),
        ..Policies::default()
    });
    let mut request = Request::new("s3:GetObject", "arn:aws:s3:::b/x").by(principal);
    request.resource_account = Some(account.to_owned());
    compiled.decide(&request)
}

fn allow(principal: &Value) -> Value {
    json!({"Version": "2012-10-17", "Statement": [
        {"Effect": "Allow", "Principal": principal, "Action": "s3:*", "Resource": "*"}
    ]})
}

fn arn(text: &str) -> RequestPrincipal {
    RequestPrincipal::parse(text)
}

#[test]
fn resource_policies_join_with_identity_policies_account_by_account() {
    const HOME: &str = "123456789012";
    let all = json!({"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "*", "Resource": "*"}]});
    let narrow = json!({"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "route53:*", "Resource": "*"}]});
    let by_role = allow(&json!({"AWS": ROLE}));
    let by_root = allow(&json!({"AWS": "arn:aws:iam::123456789012:root"}));
    let by_star = allow(&json!("*"));
    let by_session = allow(&json!({"AWS": SESSION}));
    let allowed = Some(Word::Allowed);
    let denied = Some(Word::ImplicitDeny);
    // A session is known by its role, whose path its ARN does not carry.
    assert_eq!(resource(None, &by_role, None, arn(SESSION), HOME), allowed);
    assert_eq!(
        resource(None, &by_role, Some(&narrow), arn(SESSION), HOME),
        denied
    );
    assert_eq!(
        resource(None, &by_session, Some(&narrow), arn(SESSION), HOME),
        allowed
    );
    // Naming the account hands the choice to the account.
    assert_eq!(resource(None, &by_root, None, arn(ROLE), HOME), denied);
    assert_eq!(
        resource(Some(&all), &by_root, None, arn(ROLE), HOME),
        allowed
    );
    // The choice `star-principal`.
    assert_eq!(resource(None, &by_star, None, arn(ROLE), HOME), allowed);
    assert_eq!(
        resource(None, &by_star, Some(&narrow), arn(ROLE), HOME),
        denied
    );
    // Across accounts both sides must allow.
    assert_eq!(
        resource(None, &by_role, None, arn(ROLE), "999999999999"),
        denied
    );
    assert_eq!(
        resource(Some(&all), &by_role, None, arn(ROLE), "999999999999"),
        allowed
    );
    // A service has no identity policy.
    let by_service = allow(&json!({"Service": "lambda.amazonaws.com"}));
    assert_eq!(
        resource(None, &by_service, None, arn("lambda.amazonaws.com"), HOME),
        allowed
    );
    // Whose a canonical id is cannot be known here.
    let by_id = allow(
        &json!({"CanonicalUser": "79a59df900b949e55d96a1e698fbacedfd6e09d98eacf8f8d5218e7cd47ef2be"}),
    );
    assert_eq!(resource(None, &by_id, None, arn(ROLE), HOME), None);
}

#[test]
fn a_trust_policy_must_allow_by_itself() {
    let all = json!({"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "*", "Resource": "*"}]});
    let identity = document(&all, PolicyKind::Identity);
    let other = allow(&json!({"AWS": "arn:aws:iam::123456789012:role/other"}));
    let trust = document(&other, PolicyKind::Trust);
    let compiled = Compiled::new(&Policies {
        identity: vec![named(&identity)],
        resource: Some(named(&trust)),
        ..Policies::default()
    });
    let request =
        Request::new("sts:AssumeRole", ROLE).by(arn("arn:aws:iam::123456789012:role/mine"));
    assert_eq!(compiled.decide(&request), Some(Word::ImplicitDeny));
}

#[test]
fn a_deny_with_not_principal_spares_only_whom_it_names_and_nobody_with_a_boundary() {
    let root = "arn:aws:iam::123456789012:root";
    let word = |named: &[&str], who: &str, bounded: bool| {
        let allow = json!({"Version": "2012-10-17", "Statement": [
            {"Effect": "Allow", "Action": "s3:*", "Resource": "*"}
        ]});
        let deny = json!({"Version": "2012-10-17", "Statement": [
            {"Effect": "Deny", "NotPrincipal": {"AWS": named}, "Action": "s3:*", "Resource": "*"}
        ]});
        let allow = document(&allow, PolicyKind::Identity);
        let deny = document(&deny, PolicyKind::Resource);
        let compiled = Compiled::new(&Policies {
            identity: vec![self::named(&allow)],
            resource: Some(self::named(&deny)),
            permissions_boundary: bounded.then(|| vec![self::named(&allow)]),
            ..Policies::default()
        });
        let mut request = Request::new("s3:GetObject", "arn:aws:s3:::b/k");
        request = request.by(arn(who));
        request.resource_account = Some("123456789012".to_owned());
        compiled.decide(&request)
    };
    let (alice, bob) = (
        "arn:aws:iam::123456789012:user/alice",
        "arn:aws:iam::123456789012:user/bob",
    );
    let denied = Some(Word::ExplicitDeny);
    assert_eq!(word(&[bob, root], alice, false), denied);
    assert_eq!(word(&[bob, root], bob, false), Some(Word::Allowed));
    assert_eq!(word(&[bob, root], bob, true), denied);
    assert_eq!(word(&[ROLE, root], SESSION, false), denied);
    assert_eq!(
        word(&[ROLE, SESSION, root], SESSION, false),
        Some(Word::Allowed)
    );
}
