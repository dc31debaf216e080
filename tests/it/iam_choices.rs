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

fn one(value: &str) -> ContextValue {
    ContextValue::Single(value.to_owned())
}

fn many(values: &[&str]) -> ContextValue {
    ContextValue::Multi(values.iter().map(|value| (*value).to_owned()).collect())
}

#[test]
fn every_choice_is_kept() {
    let yes = Some(true);
    let no = Some(false);
    let arn = "arn:aws:s3:::b";
    let several = many(&["x", "y"]);
    let cases: Vec<(&str, Value, &str, ContextValue, Option<bool>)> = vec![
        (
            "arn-star",
            json!({"ArnLike": {"k:a": "*"}}),
            "k:a",
            one(arn),
            yes,
        ),
        (
            "arn-star",
            json!({"ArnLike": {"k:a": "arn:*"}}),
            "k:a",
            one(arn),
            no,
        ),
        (
            "bool-case",
            json!({"Bool": {"k:a": "True"}}),
            "k:a",
            one("true"),
            yes,
        ),
        (
            "bool-variables",
            json!({"Bool": {"k:a": "${k:b}"}}),
            "k:a",
            one("true"),
            no,
        ),
        (
            "any-value-if-exists-missing",
            json!({"ForAnyValue:StringEqualsIfExists": {"k:a": "x"}}),
            "k:b",
            one("x"),
            yes,
        ),
        (
            "cidr-host-bits",
            json!({"IpAddress": {"k:a": "203.0.113.77/24"}}),
            "k:a",
            one("203.0.113.1"),
            yes,
        ),
        (
            "empty-values",
            json!({"ForAllValues:StringEquals": {"k:a": "x"}}),
            "k:a",
            many(&["", ""]),
            yes,
        ),
        (
            "empty-values",
            json!({"ForAnyValue:StringEquals": {"k:a": ""}}),
            "k:a",
            many(&[""]),
            no,
        ),
        (
            "empty-values",
            json!({"Null": {"k:a": "true"}}),
            "k:a",
            many(&[""]),
            yes,
        ),
        (
            "empty-values",
            json!({"StringNotEquals": {"k:a": "x"}}),
            "k:a",
            many(&[]),
            yes,
        ),
        (
            "fold",
            json!({"StringEqualsIgnoreCase": {"k:a": "ÄÉ"}}),
            "k:a",
            one("äé"),
            yes,
        ),
        (
            "line-break",
            json!({"StringLike": {"k:a": "a*c?"}}),
            "k:a",
            one("a\nc\n"),
            yes,
        ),
        (
            "list-under-plain-operator",
            json!({"StringEquals": {"k:a": "x"}}),
            "k:a",
            several.clone(),
            no,
        ),
        (
            "list-under-plain-operator",
            json!({"StringNotEquals": {"k:a": "z"}}),
            "k:a",
            several.clone(),
            no,
        ),
        (
            "null-values",
            json!({"Null": {"k:a": ["true", "false"]}}),
            "k:a",
            one("x"),
            yes,
        ),
        (
            "number-spelling",
            json!({"NumericEquals": {"k:a": "10"}}),
            "k:a",
            one("010.0"),
            yes,
        ),
        (
            "number-spelling",
            json!({"NumericLessThan": {"k:a": "1e3"}}),
            "k:a",
            one("1"),
            no,
        ),
        (
            "operator-case",
            json!({"forallvalues:stringlikeifexists": {"k:a": "x*"}}),
            "k:a",
            several.clone(),
            no,
        ),
        (
            "unreadable-value",
            json!({"NumericNotEquals": {"k:a": "1"}}),
            "k:a",
            one("x"),
            yes,
        ),
        (
            "unreadable-value",
            json!({"DateLessThan": {"k:a": "2026"}}),
            "k:a",
            one("x"),
            no,
        ),
        (
            "variable-with-several-values",
            json!({"StringLike": {"k:b": "${k:a}"}}),
            "k:a",
            several,
            no,
        ),
        (
            "broken-variable",
            json!({"StringEquals": {"k:a": "${k:a"}}),
            "k:a",
            one("${k:a"),
            yes,
        ),
        (
            "broken-variable",
            json!({"StringEquals": {"k:a": "${var.x}"}}),
            "k:a",
            one("x"),
            None,
        ),
    ];
    let mut seen = BTreeSet::from(["star-principal"]);
    for (name, condition, key, value, expected) in cases {
        let found = holds(&condition, &[(key, value), ("k:c", one("true"))]);
        assert_eq!(found, expected, "{name}: {condition}");
        seen.insert(name);
    }
    let names: BTreeSet<&str> = CHOICES.iter().map(|choice| choice.name).collect();
    assert_eq!(seen, names);
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
