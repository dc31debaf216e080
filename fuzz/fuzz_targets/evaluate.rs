//! Policies and requests out of a small grammar of everything the language has: the decision alone and the decision with its
//! reasons agree, an explicit Deny beats everything, and what is undecided is no decision.

#![no_main]

use arbitrary::{Result, Unstructured};
use libfuzzer_sys::fuzz_target;
use pointsman::iam::{Compiled, ContextValue, NamedPolicy, Policies, Request, RequestPrincipal};
use pointsman::model::policy::{BaseOperator, PolicyDocument, PolicyKind};
use pointsman::syntax::json;
use pointsman::text::SourceMap;
use serde_json::{Map, Value, json};

const WORDS: [&str; 24] = [
    "*", "?", "", "a", "A", "ab", "s3:GetObject", "s3:Get*", "sts:AssumeRole", "arn:aws:s3:::b/k", "arn:aws:s3:::b/*",
    "arn:aws:iam::123456789012:role/r", "${aws:username}", "${aws:username, 'd'}", "${*}", "${$}", "${", "10.0.0.0/8",
    "10.1.2.3", "::1", "2026-11-30T00:00:00Z", "1764460800", "true", "-1.5",
];
const KEYS: [&str; 6] = ["aws:username", "AWS:UserName", "aws:TagKeys", "aws:SourceIp", "aws:CurrentTime", "s3:prefix"];
const PRINCIPALS: [&str; 5] = [
    "arn:aws:iam::123456789012:user/u",
    "arn:aws:iam::123456789012:role/r",
    "arn:aws:sts::123456789012:assumed-role/r/s",
    "*",
    "ec2.amazonaws.com",
];

fn word(of: &mut Unstructured<'_>) -> Result<String> {
    if of.ratio(7, 8)? {
        return Ok((*of.choose(&WORDS)?).to_owned());
    }
    Ok(of.arbitrary::<String>()?.chars().take(12).collect())
}

fn words(of: &mut Unstructured<'_>) -> Result<Value> {
    if of.arbitrary()? {
        return Ok(json!(word(of)?));
    }
    let count = of.int_in_range(0..=3)?;
    (0..count).map(|_| word(of)).collect::<Result<Vec<_>>>().map(Value::from)
}

fn conditions(of: &mut Unstructured<'_>) -> Result<Value> {
    let mut blocks = Map::new();
    for _ in 0..of.int_in_range(0..=2)? {
        let set = *of.choose(&["", "ForAllValues:", "ForAnyValue:"])?;
        let base = of.choose(BaseOperator::ALL)?.name();
        let exists = *of.choose(&["", "", "IfExists"])?;
        let mut keys = Map::new();
        for _ in 0..of.int_in_range(1..=2)? {
            keys.insert((*of.choose(&KEYS)?).to_owned(), words(of)?);
        }
        blocks.insert(format!("{set}{base}{exists}"), Value::Object(keys));
    }
    Ok(Value::Object(blocks))
}

fn statement(of: &mut Unstructured<'_>, principals: bool) -> Result<Value> {
    let mut all = Map::new();
    all.insert("Effect".to_owned(), json!(*of.choose(&["Allow", "Allow", "Deny", "deny"])?));
    all.insert((*of.choose(&["Action", "NotAction"])?).to_owned(), words(of)?);
    all.insert((*of.choose(&["Resource", "NotResource"])?).to_owned(), words(of)?);
    if principals {
        let who = *of.choose(&PRINCIPALS)?;
        let who = if who == "*" { json!(who) } else { json!({ "AWS": who }) };
        all.insert((*of.choose(&["Principal", "NotPrincipal"])?).to_owned(), who);
    }
    if of.arbitrary()? {
        all.insert("Condition".to_owned(), conditions(of)?);
    }
    Ok(Value::Object(all))
}

fn document(of: &mut Unstructured<'_>, kind: PolicyKind) -> Result<PolicyDocument> {
    let count = of.int_in_range(1..=3)?;
    let statements: Vec<Value> =
        (0..count).map(|_| statement(of, kind == PolicyKind::Resource)).collect::<Result<_>>()?;
    let version = *of.choose(&["2012-10-17", "2012-10-17", "2008-10-17"])?;
    let text = json!({ "Version": version, "Statement": statements }).to_string();
    let mut sources = SourceMap::default();
    let file = sources.add("p.json", text);
    let root = sources.text(file).and_then(|text| json::read(&text).documents.pop());
    let root = root.ok_or(arbitrary::Error::IncorrectFormat)?;
    Ok(PolicyDocument::read(root, Some(kind), None))
}

fn request(of: &mut Unstructured<'_>) -> Result<Request> {
    let mut request = Request::new(word(of)?, word(of)?);
    request = request.by(RequestPrincipal::parse(of.choose(&PRINCIPALS)?));
    for key in KEYS {
        let value = match of.int_in_range(0..=3)? {
            0 | 1 => continue,
            2 => ContextValue::Single(word(of)?),
            _ => {
                let count = of.int_in_range(0..=3)?;
                ContextValue::Multi((0..count).map(|_| word(of)).collect::<Result<_>>()?)
            }
        };
        request = request.with(key, value);
    }
    Ok(request)
}

fn check(of: &mut Unstructured<'_>) -> Result<()> {
    let identity = document(of, PolicyKind::Identity)?;
    let resource = if of.arbitrary()? { Some(document(of, PolicyKind::Resource)?) } else { None };
    let boundary = if of.arbitrary()? { Some(document(of, PolicyKind::Boundary)?) } else { None };
    let scp = if of.arbitrary()? { Some(document(of, PolicyKind::Scp)?) } else { None };
    fn named<'a>(name: &'a str, document: &'a PolicyDocument) -> NamedPolicy<'a> {
        NamedPolicy { name, document }
    }
    let compiled = Compiled::new(&Policies {
        identity: vec![named("identity", &identity)],
        resource: resource.as_ref().map(|document| named("resource", document)),
        permissions_boundary: boundary.as_ref().map(|document| vec![named("boundary", document)]),
        scps: scp.iter().map(|document| vec![named("scp", document)]).collect(),
        rcps: Vec::new(),
        session: None,
    });
    for _ in 0..4 {
        let request = request(of)?;
        let decision = compiled.evaluate(&request);
        match compiled.decide(&request) {
            Some(word) => {
                assert_eq!(word, decision.word);
                assert!(decision.undecided.is_empty());
            }
            None => assert!(!decision.undecided.is_empty()),
        }
    }
    Ok(())
}

fuzz_target!(|bytes: &[u8]| {
    // Too few bytes make no request: that is no failure.
    let _enough = check(&mut Unstructured::new(bytes));
});
