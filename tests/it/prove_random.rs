//! Proofs about random policies against random requests: variables, letter case, dates, numbers, addresses, ARNs, lists and
//! the two versions of the policy language.

use pointsman::iam::ContextValue;
use pointsman::iam::Request;
use pointsman::iam::prove::Realm;
use serde_json::{Map, Value, json};

use crate::prove_chance::{Dice, allows, compiled, document, more};

const ACTIONS: [&str; 6] = [
    "ec2:RunInstances",
    "ec2:Run*",
    "EC2:?TARTINSTANCES",
    "ec2:*",
    "sqs:SendMessage",
    "*",
];
const RESOURCES: [&str; 8] = [
    "*",
    "arn:aws:ec2:us-east-1:123456789012:instance/a",
    "arn:aws:ec2:*:*:instance/*",
    "arn:aws:ec2:us-east-1:123456789012:instance/${aws:username}",
    "arn:aws:ec2:us-east-1:123456789012:${aws:PrincipalTag/team}/*",
    "arn:aws:ec2:*:123456789012:instance/?",
    "arn:aws:ec2:us-east-1:123456789012:instance/${*}",
    "arn:aws:ec2:us-east-1:123456789012:instance/${aws:username, 'b'}",
];
/// What a key is asked as: its name, operators, what policies write, what requests carry.
struct Kind {
    key: &'static str,
    operators: &'static [&'static str],
    written: &'static [&'static str],
    sent: &'static [&'static str],
}

const KINDS: [Kind; 7] = [
    Kind {
        key: "aws:username",
        operators: &[
            "StringEquals",
            "StringLike",
            "StringNotEquals",
            "StringEqualsIgnoreCase",
        ],
        written: &["a", "bob", "${aws:PrincipalTag/team}", "b*", "K"],
        sent: &["a", "bob", "b", "instance", "k", "\u{212a}"],
    },
    Kind {
        key: "aws:PrincipalTag/team",
        operators: &[
            "StringEquals",
            "StringLike",
            "StringNotLike",
            "StringNotEqualsIgnoreCase",
        ],
        written: &["a", "instance", "${aws:username}", "${aws:username}*", "*"],
        sent: &["a", "bob", "instance", "A", "bobx"],
    },
    Kind {
        key: "example:Text",
        operators: &[
            "StringEquals",
            "StringEqualsIgnoreCase",
            "StringNotEqualsIgnoreCase",
            "StringLike",
            "StringNotLike",
        ],
        written: &[
            "k", "K", "kit", "é", "É", "?", "a*", "${*}", "i\u{307}", "ß", "",
        ],
        sent: &[
            "k",
            "K",
            "\u{212a}",
            "kit",
            "\u{212a}it",
            "é",
            "É",
            "a",
            "*",
            "\u{130}",
            "ß",
            "\u{1e9e}",
            "",
        ],
    },
    Kind {
        key: "example:Date",
        operators: &[
            "DateEquals",
            "DateNotEquals",
            "DateLessThan",
            "DateGreaterThan",
            "DateGreaterThanEquals",
        ],
        written: &[
            "2020-01-01T00:00:00Z",
            "2020-01-01T00:00:01Z",
            "2020-01-01T00:00:00.25Z",
            "1577836802",
        ],
        sent: &[
            "2020-01-01T00:00:00Z",
            "2020-01-01T00:00:00.1Z",
            "2020-01-01T00:00:00.5Z",
            "2020-01-01T00:00:01Z",
            "2020-01-01T00:00:01.5Z",
            "2019-01-01T00:00:00Z",
            "1577836803",
            "soon",
        ],
    },
    Kind {
        key: "example:Number",
        operators: &[
            "NumericEquals",
            "NumericLessThan",
            "NumericGreaterThan",
            "NumericLessThanEquals",
        ],
        written: &["10", "10.5", "-1", "11"],
        sent: &["10", "10.2", "10.5", "10.7", "11", "12", "-1", "-2", "x"],
    },
    Kind {
        key: "example:Address",
        operators: &["IpAddress", "NotIpAddress"],
        written: &[
            "198.51.100.0/24",
            "198.51.100.128/25",
            "0.0.0.0/0",
            "2001:db8::/32",
        ],
        sent: &[
            "198.51.100.1",
            "198.51.100.200",
            "203.0.113.1",
            "2001:db8::1",
            "2001:db9::1",
            "x",
        ],
    },
    Kind {
        key: "example:Arn",
        operators: &["ArnLike", "ArnNotLike", "ArnEquals"],
        written: &[
            "arn:aws:iam::123456789012:role/*",
            "arn:aws:iam::*:role/a",
            "*",
            "arn:aws:iam::123456789012:role/${aws:username}",
        ],
        sent: &[
            "arn:aws:iam::123456789012:role/a",
            "arn:aws:iam::123456789012:role/bob",
            "arn:aws:iam::999999999999:role/a",
            "arn:aws:iam::123456789012:user/a",
            "a",
        ],
    },
];

fn some<'a>(dice: &mut Dice, of: &[&'a str]) -> Vec<&'a str> {
    (0..=dice.below(2)).map(|_| dice.one(of)).collect()
}

fn condition(dice: &mut Dice) -> (String, &'static str, Value) {
    let kind = &KINDS[dice.below(KINDS.len())];
    if dice.below(6) == 0 {
        return (
            "Null".to_owned(),
            kind.key,
            json!(dice.one(&["true", "false"])),
        );
    }
    let set = dice.one(&["", "", "", "ForAllValues:", "ForAnyValue:"]);
    let tail = dice.one(&["", "", "", "IfExists"]);
    let operator = format!("{set}{}{tail}", dice.one(kind.operators));
    (operator, kind.key, json!(some(dice, kind.written)))
}

fn statement(dice: &mut Dice) -> Value {
    let mut conditions = Map::new();
    for _ in 0..dice.below(3) {
        let (operator, key, values) = condition(dice);
        let keys = conditions.entry(operator).or_insert_with(|| json!({}));
        keys[key] = values;
    }
    let mut one = json!({
        "Effect": dice.one(&["Allow", "Allow", "Allow", "Deny"]),
        dice.one(&["Action", "Action", "Action", "NotAction"]): some(dice, &ACTIONS),
        dice.one(&["Resource", "Resource", "Resource", "NotResource"]): some(dice, &RESOURCES),
    });
    if !conditions.is_empty() {
        one["Condition"] = Value::Object(conditions);
    }
    one
}

fn policy(dice: &mut Dice) -> Value {
    let statements: Vec<Value> = (0..=dice.below(3)).map(|_| statement(dice)).collect();
    json!({ "Version": dice.one(&["2012-10-17", "2012-10-17", "2008-10-17"]), "Statement": statements })
}

/// A policy that is like `policy` but for one thing.
fn changed(policy: &Value, dice: &mut Dice) -> Value {
    let mut policy = policy.clone();
    let count = policy["Statement"].as_array().map_or(0, Vec::len);
    let place = dice.below(count);
    let other = statement(dice);
    match dice.below(6) {
        0 => policy["Version"] = json!(dice.one(&["2012-10-17", "2008-10-17"])),
        1 => policy["Statement"][place]["Effect"] = json!("Deny"),
        2 => policy["Statement"][place] = other,
        3 => {
            if let Some(list) = policy["Statement"].as_array_mut() {
                list.push(other);
            }
        }
        4 => {
            policy["Statement"][place]["Condition"] =
                other.get("Condition").cloned().unwrap_or_else(|| json!({}));
        }
        _ => {
            if let Some(list) = policy["Statement"].as_array_mut() {
                list.remove(place);
            }
        }
    }
    policy
}

fn request(dice: &mut Dice) -> Request {
    let action = dice.one(&[
        "ec2:RunInstances",
        "ec2:StartInstances",
        "ec2:StopInstances",
        "sqs:SendMessage",
    ]);
    let resource = dice.one(&[
        "*",
        "arn:aws:ec2:us-east-1:123456789012:instance/a",
        "arn:aws:ec2:us-east-1:123456789012:instance/b",
        "arn:aws:ec2:us-east-1:123456789012:instance/bob",
        "arn:aws:ec2:us-east-1:123456789012:instance/*",
        "arn:aws:ec2:us-east-1:123456789012:a/x",
        "arn:aws:ec2:us-east-1:123456789012:instance/${aws:username}",
        "arn:aws:ec2:eu-west-1:999999999999:instance/a",
    ]);
    let mut request = Request::new(action, resource);
    for kind in &KINDS {
        let value = match dice.below(5) {
            0 => continue,
            1 => ContextValue::Multi(
                some(dice, kind.sent)
                    .into_iter()
                    .map(str::to_owned)
                    .collect(),
            ),
            _ => ContextValue::Single(dice.one(kind.sent).to_owned()),
        };
        request.set(kind.key, value);
    }
    request
}

#[test]
fn no_random_request_contradicts_a_proof_about_random_policies() {
    let mut dice = Dice(20_261_201);
    let requests: Vec<Request> = (0..600).map(|_| request(&mut dice)).collect();
    let (mut proved, mut refuted, mut open) = (0, 0, 0);
    for _ in 0..500 {
        let one = policy(&mut dice);
        let other = changed(&one, &mut dice);
        let (a, b) = (document(&one), document(&other));
        let (allows_a, allows_b) = (compiled(&a), compiled(&b));
        for (new, old, by_new, by_old) in [
            (&a, &b, &allows_a, &allows_b),
            (&b, &a, &allows_b, &allows_a),
        ] {
            let answer = more(new, old, Realm::Anything);
            for witness in &answer.witnesses {
                assert!(
                    allows(by_new, &witness.request),
                    "{one}\n{other}\n{witness:?}"
                );
                assert!(
                    !allows(by_old, &witness.request),
                    "{one}\n{other}\n{witness:?}"
                );
            }
            if !answer.is_never() {
                refuted += usize::from(!answer.witnesses.is_empty());
                open += usize::from(answer.witnesses.is_empty());
                continue;
            }
            proved += 1;
            for request in &requests {
                let gained = allows(by_new, request) && !allows(by_old, request);
                assert!(!gained, "{one}\n{other}\n{request:?}");
            }
        }
    }
    println!("{proved} proved, {refuted} refuted, {open} undecided");
    assert!(proved > 250 && refuted > 150, "{proved} {refuted} {open}");
}
