//! Proofs against generated faults, against chance, and through the program.
#![expect(
    clippy::disallowed_methods,
    clippy::string_slice,
    reason = "reads a corpus that may lie beside the clone; cuts at borders of characters"
)]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use pointsman::iam::prove::{Answer, Bounds, Question, Realm, Side, ask};
use pointsman::iam::{Compiled, ContextValue, NamedPolicy, Policies, Request, Word};
use pointsman::model::policy::route53::{ACTIONS_KEY, NAMES_KEY, TYPES_KEY};
use pointsman::model::policy::{PolicyDocument, PolicyKind};
use serde_json::{Value, json};

use crate::binary::Folder;
use crate::iam_eval::tree;

const CHANGE: &str = include_str!("../../policies/change-records.json");
const READ: &str = include_str!("../../policies/read-zone.json");

fn document(policy: &Value) -> PolicyDocument {
    let root = tree("policy.json", &policy.to_string()).unwrap();
    PolicyDocument::read(root, Some(PolicyKind::Identity), None)
}

fn side(document: &PolicyDocument) -> Side<'_> {
    Side {
        policies: vec![NamedPolicy {
            name: "p",
            document,
        }],
    }
}

/// What `new` allows and `old` does not.
fn more(new: &PolicyDocument, old: &PolicyDocument, realm: Realm) -> Answer {
    ask(
        &Question {
            granted: vec![side(new)],
            not_granted: vec![side(old)],
            realm,
            principal: None,
        },
        Bounds::default(),
    )
}

fn compiled(document: &PolicyDocument) -> Compiled {
    Compiled::new(&Policies {
        identity: side(document).policies,
        ..Policies::default()
    })
}

fn allows(policy: &Compiled, request: &Request) -> bool {
    policy.decide(request) == Some(Word::Allowed)
}

/// The role's two policies as one.
fn reference() -> Value {
    let [change, read]: [Value; 2] = [CHANGE, READ].map(|text| serde_json::from_str(text).unwrap());
    let mut statements = change["Statement"].as_array().unwrap().clone();
    statements.extend(read["Statement"].as_array().unwrap().clone());
    json!({ "Version": "2012-10-17", "Statement": statements })
}

/// Every place in a value, as a pointer.
fn places(at: &str, value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Object(map) => {
            for (key, inner) in map {
                let step = key.replace('~', "~0").replace('/', "~1");
                found.push(format!("{at}/{step}"));
                places(&format!("{at}/{step}"), inner, found);
            }
        }
        Value::Array(list) => {
            for (index, inner) in list.iter().enumerate() {
                found.push(format!("{at}/{index}"));
                places(&format!("{at}/{index}"), inner, found);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn without(policy: &Value, place: &str) -> Value {
    let mut policy = policy.clone();
    let (parent, last) = place.rsplit_once('/').unwrap();
    match policy.pointer_mut(parent).unwrap() {
        Value::Object(map) => {
            map.shift_remove(&last.replace("~1", "/").replace("~0", "~"));
        }
        Value::Array(list) => {
            list.remove(last.parse().unwrap());
        }
        other @ (Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_)) => {
            panic!("{other}")
        }
    }
    policy
}

fn with(policy: &Value, place: &str, value: Value) -> Value {
    let mut policy = policy.clone();
    *policy.pointer_mut(place).unwrap() = value;
    policy
}

fn renamed(policy: &Value, place: &str, name: &str) -> Value {
    let (parent, last) = place.rsplit_once('/').unwrap();
    let last = last.replace("~1", "/").replace("~0", "~");
    let mut policy = policy.clone();
    let map = policy.pointer_mut(parent).unwrap().as_object_mut().unwrap();
    let value = map.shift_remove(&last).unwrap();
    map.insert(name.to_owned(), value);
    policy
}

/// A string with a wildcard at each border, and other strings in its place.
fn spoiled(text: &str) -> BTreeSet<String> {
    let borders = (0..=text.len()).filter(|at| text.is_char_boundary(*at));
    let starred = borders.map(|at| format!("{}*{}", &text[..at], &text[at..]));
    let others = [
        text.to_uppercase(),
        format!("{text}."),
        "*".to_owned(),
        text.replacen('.', "?", 1),
    ];
    starred
        .chain(others)
        .filter(|other| other != text)
        .collect()
}

/// Every policy that is one mistake away from `policy`.
fn mistakes(policy: &Value) -> Vec<Value> {
    let mut found = Vec::new();
    let mut all = Vec::new();
    places("", policy, &mut all);
    for place in all.iter().filter(|place| **place != "/Version") {
        found.push(without(policy, place));
        let last = place.rsplit('/').next().unwrap();
        if let Some(text) = policy.pointer(place).and_then(Value::as_str) {
            found.extend(
                spoiled(text)
                    .into_iter()
                    .map(|other| with(policy, place, json!(other))),
            );
        }
        let others: &[&str] = match last {
            "Action" => &["NotAction"],
            "Resource" => &["NotResource"],
            "ForAllValues:StringEquals" => &[
                "ForAllValues:StringLike",
                "ForAnyValue:StringEquals",
                "StringEquals",
                "ForAllValues:StringNotEquals",
                "ForAllValues:StringEqualsIgnoreCase",
                "ForAllValues:StringEqualsIfExists",
                "ForAnyValue:StringLikeIfExists",
                "StringEqualsIfExists",
                "ArnLike",
            ],
            "Null" => &["StringEquals", "Bool", "ForAllValues:Null"],
            _ => &[],
        };
        found.extend(others.iter().map(|other| renamed(policy, place, other)));
    }
    found.push(with(policy, "/Version", json!("2008-10-17")));
    for action in [
        "route53:*",
        "route53:ChangeResourceRecordSets",
        "route53:Get*",
        "s3:GetObject",
    ] {
        for effect in ["Allow", "Deny"] {
            let mut other = policy.clone();
            let more = json!({ "Effect": effect, "Action": action, "Resource": "*" });
            other["Statement"].as_array_mut().unwrap().push(more);
            found.push(other);
        }
    }
    found
}

/// A small generator of numbers (`SplitMix64`; Steele, Lea and Flood, "Fast splittable pseudorandom number generators").
struct Dice(u64);

impl Dice {
    fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        usize::try_from((mixed ^ (mixed >> 31)) % u64::try_from(most).unwrap()).unwrap()
    }

    fn one<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.below(of.len())]
    }

    /// A request as Route 53 makes them.
    fn request(&mut self) -> Request {
        let zone = self.one(&["Z0123456789EXAMPLE", "Z0123456789EXAMPLES", "Z1", "*"]);
        let action = self.one(&[
            "route53:ChangeResourceRecordSets",
            "route53:ListResourceRecordSets",
            "route53:GetChange",
            "route53:GetHostedZone",
            "s3:GetObject",
        ]);
        let resource = match action {
            "route53:GetChange" => "arn:aws:route53:::change/C1".to_owned(),
            "s3:GetObject" => "arn:aws:s3:::bucket/key".to_owned(),
            _ => format!("arn:aws:route53:::hostedzone/{zone}"),
        };
        let mut request = Request::new(action, resource);
        if action == "route53:ChangeResourceRecordSets" {
            let names = [
                "example.com",
                "\\052.example.com",
                "xexample.com",
                "EXAMPLE.COM",
                "a.example.com",
                "example.com.",
            ];
            for (key, values) in [
                (NAMES_KEY, &names[..]),
                (TYPES_KEY, &["A", "AAAA", "TXT", "a"][..]),
                (ACTIONS_KEY, &["UPSERT", "CREATE", "DELETE", "UPSERTX"][..]),
            ] {
                let count = 1 + self.below(2);
                let values = (0..count).map(|_| self.one(values).to_owned()).collect();
                request.set(key, ContextValue::Multi(values));
            }
        }
        request
    }
}

#[test]
fn each_mistake_is_proved_harmless_or_refuted_by_a_request_and_chance_never_contradicts() {
    let original = reference();
    let old = document(&original);
    let old_compiled = compiled(&old);
    let mut dice = Dice(20_261_130);
    let requests: Vec<Request> = (0..2_000).map(|_| dice.request()).collect();
    let was_allowed: Vec<bool> = requests
        .iter()
        .map(|request| allows(&old_compiled, request))
        .collect();
    assert!(was_allowed.iter().filter(|allowed| **allowed).count() > 100);
    let all = mistakes(&original);
    let (mut proved, mut refuted, mut asked) = (0, 0, 0);
    for mistake in &all {
        let new = document(mistake);
        let new_compiled = compiled(&new);
        for (one, other, compiled_one, compiled_other, is_new) in [
            (&new, &old, &new_compiled, &old_compiled, true),
            (&old, &new, &old_compiled, &new_compiled, false),
        ] {
            let answer = more(one, other, Realm::Documented);
            for witness in &answer.witnesses {
                assert!(
                    allows(compiled_one, &witness.request),
                    "{mistake:#}\n{witness:?}"
                );
                assert!(
                    !allows(compiled_other, &witness.request),
                    "{mistake:#}\n{witness:?}"
                );
            }
            refuted += usize::from(!answer.witnesses.is_empty());
            if !answer.is_never() {
                continue;
            }
            proved += 1;
            for (request, was) in requests.iter().zip(&was_allowed) {
                let now = allows(&new_compiled, request);
                let gained = if is_new { now && !was } else { *was && !now };
                assert!(!gained, "{mistake:#}\n{request:?}");
                asked += 1;
            }
        }
    }
    assert!(all.len() > 400, "{}", all.len());
    assert!(
        refuted > 300 && proved > 300 && asked > 800_000,
        "{refuted} {proved} {asked}"
    );
}

#[test]
fn managed_policies_lose_what_a_statement_gave_or_it_was_given_twice() {
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus/managed_policies.jsonl");
    let Ok(text) = fs::read_to_string(&path) else {
        println!("skipped: {} is not there", path.display());
        return;
    };
    let (mut pairs, mut undecided) = (0, Vec::new());
    // The largest take seconds each in a build for tests.
    for line in text.lines().filter(|line| line.len() < 4_000).step_by(5) {
        let entry: Value = serde_json::from_str(line).unwrap();
        let policy = &entry["document"];
        let Some(statements) = policy["Statement"].as_array().filter(|list| list.len() > 1) else {
            continue;
        };
        let mut less = policy.clone();
        less["Statement"]
            .as_array_mut()
            .unwrap()
            .remove(statements.len() / 2);
        let (whole, less) = (document(policy), document(&less));
        let removed_denies = statements[statements.len() / 2]["Effect"] == "Deny";
        // What allows is taken away: nothing is gained.
        let gained = more(&less, &whole, Realm::Documented);
        if !removed_denies {
            assert!(gained.witnesses.is_empty(), "{}: {gained:?}", entry["name"]);
        }
        let lost = more(&whole, &less, Realm::Documented);
        let (one, other) = (compiled(&whole), compiled(&less));
        for witness in &lost.witnesses {
            assert!(
                allows(&one, &witness.request),
                "{}: {witness:?}",
                entry["name"]
            );
            assert!(
                !allows(&other, &witness.request),
                "{}: {witness:?}",
                entry["name"]
            );
        }
        if lost.witnesses.is_empty() && !lost.open.is_empty() {
            undecided.push(format!("{}: {}", entry["name"], lost.open[0]));
        }
        pairs += 1;
    }
    assert!(pairs >= 60, "{pairs}");
    assert!(
        undecided.len() * 20 < pairs,
        "{} of {pairs} undecided: {undecided:#?}",
        undecided.len()
    );
}

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
    let ran = folder.run(&[
        "prove",
        "access-not-granted",
        "open.json",
        "--action",
        "s3:GetObject",
        "--resource",
        "arn:aws:s3:::alice/*",
    ]);
    assert_eq!(ran.status(), 4, "{}", ran.stdout());
    assert!(
        ran.stdout().contains("`${aws:username}`"),
        "{}",
        ran.stdout()
    );
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
}
