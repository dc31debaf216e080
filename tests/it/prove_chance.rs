//! Proofs against generated faults, against chance, and against policies that nobody should write.
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

use crate::iam_eval::tree;

const CHANGE: &str = include_str!("../../policies/change-records.json");
const READ: &str = include_str!("../../policies/read-zone.json");

pub(crate) fn document(policy: &Value) -> PolicyDocument {
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
pub(crate) fn more(new: &PolicyDocument, old: &PolicyDocument, realm: Realm) -> Answer {
    ask(
        &Question {
            granted: vec![side(new)],
            not_granted: vec![side(old)],
            realm,
            principal: None,
            home: None,
            aside: Vec::new(),
        },
        Bounds::default(),
    )
}

pub(crate) fn compiled(document: &PolicyDocument) -> Compiled {
    Compiled::new(&Policies {
        identity: side(document).policies,
        ..Policies::default()
    })
}

pub(crate) fn allows(policy: &Compiled, request: &Request) -> bool {
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
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        usize::try_from((mixed ^ (mixed >> 31)) % u64::try_from(most).unwrap()).unwrap()
    }

    pub(crate) fn one<'a>(&mut self, of: &[&'a str]) -> &'a str {
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
    let requests: Vec<Request> = (0..2_600).map(|_| dice.request()).collect();
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
        refuted > 300 && proved > 300 && asked > 1_000_000,
        "{refuted} {proved} {asked}"
    );
}

/// What a policy speaks of: actions, resources, keys with values.
#[derive(Default)]
struct Words {
    actions: Vec<String>,
    resources: Vec<String>,
    keys: Vec<(String, Vec<String>)>,
}

impl Words {
    fn of(document: &PolicyDocument) -> Self {
        let mut words = Self::default();
        for statement in &document.statements {
            let strings = |list: &Option<pointsman::model::policy::Elements>| -> Vec<String> {
                let list = list.iter().flat_map(|list| list.strings());
                list.map(str::to_owned).collect()
            };
            words.actions.extend(strings(&statement.actions));
            words.resources.extend(strings(&statement.resources));
            for condition in &statement.conditions {
                let values = condition.values.iter();
                let values = values.map(|value| value.text.as_str().to_owned());
                let key = condition.key.as_str().to_owned();
                words.keys.push((key, values.collect()));
            }
        }
        words
    }

    /// A request out of what the policy speaks of, each `*` and `?` filled in.
    fn request(&self, dice: &mut Dice) -> Option<Request> {
        let mut pick = |list: &[String]| -> Option<String> {
            let count = list.len();
            (count > 0).then(|| list[dice.below(count)].clone())
        };
        let action = pick(&self.actions)?;
        let resource = pick(&self.resources)?;
        let action = if action == "*" {
            "ec2:*".to_owned()
        } else {
            action
        };
        let resource = if resource == "*" {
            "arn:aws:x:::*".to_owned()
        } else {
            resource
        };
        let fill = |text: String, with: &str| text.replace('*', with).replace('?', "q");
        let mut request = Request::new(fill(action, "Get"), fill(resource, "some/thing"));
        for (key, values) in &self.keys {
            if dice.below(4) > 0 && !values.is_empty() {
                let value = fill(values[dice.below(values.len())].clone(), "v");
                let value = match dice.below(8) {
                    0 => ContextValue::Multi(vec![value, "other".to_owned()]),
                    1 => ContextValue::Single("other".to_owned()),
                    2 => ContextValue::Multi(vec![value]),
                    _ => ContextValue::Single(value),
                };
                request.set(key, value);
            }
        }
        Some(request)
    }
}

#[test]
fn managed_policies_lose_what_a_statement_gave_and_chance_never_contradicts() {
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus/managed_policies.jsonl");
    let Ok(text) = fs::read_to_string(&path) else {
        println!("skipped: {} is not there", path.display());
        return;
    };
    let mut dice = Dice(9);
    let (mut pairs, mut proved, mut undecided) = (0, 0, Vec::new());
    // The largest take a second each in a build for tests; `pointsman bench prove` measures all.
    for line in text.lines().filter(|line| line.len() < 4_000).step_by(2) {
        let entry: Value = serde_json::from_str(line).unwrap();
        let policy = &entry["document"];
        let name = &entry["name"];
        let Some(statements) = policy["Statement"].as_array().filter(|list| list.len() > 1) else {
            continue;
        };
        let mut less = policy.clone();
        let left_out = dice.below(statements.len());
        less["Statement"].as_array_mut().unwrap().remove(left_out);
        let removed_denies = statements[left_out]["Effect"] == "Deny";
        let (whole, less) = (document(policy), document(&less));
        let (compiled_whole, compiled_less) = (compiled(&whole), compiled(&less));
        let words = Words::of(&whole);
        // As any request, since chance knows nothing of what AWS documents.
        let requests: Vec<Request> = (0..100).filter_map(|_| words.request(&mut dice)).collect();
        for (one, other, allows_one, allows_other) in [
            (&whole, &less, &compiled_whole, &compiled_less),
            (&less, &whole, &compiled_less, &compiled_whole),
        ] {
            let answer = more(one, other, Realm::Anything);
            for witness in &answer.witnesses {
                assert!(allows(allows_one, &witness.request), "{name}: {witness:?}");
                assert!(
                    !allows(allows_other, &witness.request),
                    "{name}: {witness:?}"
                );
            }
            if answer.is_never() {
                proved += 1;
                for request in &requests {
                    let gained = allows(allows_one, request) && !allows(allows_other, request);
                    assert!(!gained, "{name}: {request:?}");
                }
            } else if answer.witnesses.is_empty() {
                undecided.push(format!("{name}: {}", answer.open[0]));
            }
        }
        // What allows is taken away: nothing is gained.
        if !removed_denies {
            let gained = more(&less, &whole, Realm::Documented);
            assert!(gained.witnesses.is_empty(), "{name}: {gained:?}");
        }
        pairs += 1;
    }
    assert!(pairs >= 300 && proved >= 250, "{pairs} {proved}");
    assert!(
        undecided.len() * 20 < pairs,
        "{} of {pairs} undecided: {undecided:#?}",
        undecided.len()
    );
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "it is given what `json!` made"
)]
fn policy(statements: Value) -> Value {
    json!({ "Version": "2012-10-17", "Statement": statements })
}

/// Whether `new` allows nothing that `old` does not: `None` when that is not decided. What refutes it is confirmed.
fn is_no_more(new: &Value, old: &Value) -> Option<bool> {
    let (new, old) = (document(new), document(old));
    let answer = more(&new, &old, Realm::Documented);
    for witness in &answer.witnesses {
        assert!(allows(&compiled(&new), &witness.request), "{witness:?}");
        assert!(!allows(&compiled(&old), &witness.request), "{witness:?}");
    }
    match (answer.witnesses.is_empty(), answer.open.is_empty()) {
        (false, _) => Some(false),
        (true, true) => Some(true),
        (true, false) => None,
    }
}

#[test]
fn a_thousand_patterns_with_stars_are_answered() {
    let stars: Vec<String> = (0..1000)
        .map(|one| format!("arn:aws:sqs:*:*:*{one}*q*"))
        .collect();
    let many = policy(json!([{ "Effect": "Allow", "Action": "sqs:*", "Resource": stars }]));
    let one = policy(json!([{ "Effect": "Allow", "Action": "sqs:SendMessage",
        "Resource": "arn:aws:sqs:eu-west-1:123456789012:a77q" }]));
    let all = policy(json!([{ "Effect": "Allow", "Action": "sqs:*", "Resource": "*" }]));
    assert_eq!(is_no_more(&one, &many), Some(true));
    assert_eq!(is_no_more(&all, &many), Some(false));
    assert_eq!(is_no_more(&many, &all), Some(true));
    assert_eq!(is_no_more(&many, &one), Some(false));
}

#[test]
fn tangled_conditions_end_within_the_bound_and_are_never_called_proved() {
    let stars: Vec<String> = ('a'..='z')
        .map(|one| format!("*{one}*{one}?????*"))
        .collect();
    let tangled = |operator: &str, values: &[String]| {
        policy(
            json!([{ "Effect": "Allow", "Action": "ec2:StartInstances", "Resource": "*",
            "Condition": { operator: { "aws:PrincipalTag/a": values } } }]),
        )
    };
    let whole = tangled("StringLike", &stars);
    let less = tangled("StringLike", &stars[1..]);
    assert_ne!(is_no_more(&whole, &less), Some(true));
    assert_ne!(is_no_more(&less, &whole), Some(false));
    let values: Vec<String> = (0..3_000).map(|one| format!("team-{one}")).collect();
    let whole = tangled("StringEquals", &values);
    let less = tangled("StringEquals", &values[1..]);
    assert_eq!(is_no_more(&whole, &less), Some(false));
    assert_eq!(is_no_more(&less, &whole), Some(true));
}

#[test]
fn what_is_left_out_is_understood() {
    let statement = |parts: Value| policy(json!([parts]));
    let not = |action: &str, resource: &str| {
        statement(json!({ "Effect": "Allow", "NotAction": action, "NotResource": resource }))
    };
    assert_eq!(
        is_no_more(
            &not("s3:*", "arn:aws:s3:::a/*"),
            &not("s3:Get*", "arn:aws:s3:::a/b*")
        ),
        Some(true)
    );
    assert_eq!(
        is_no_more(
            &not("s3:Get*", "arn:aws:s3:::a/b*"),
            &not("s3:*", "arn:aws:s3:::a/*")
        ),
        Some(false)
    );
    let all = statement(json!({ "Effect": "Allow", "Action": "*", "Resource": "*" }));
    assert_eq!(is_no_more(&not("iam:*", "*"), &all), Some(true));
    assert_eq!(
        is_no_more(&all, &not("iam:*", "arn:aws:iam::*:role/x")),
        Some(false)
    );
    let but =
        |also: Value| policy(json!([{ "Effect": "Allow", "Action": "*", "Resource": "*" }, also]));
    let denied = but(json!({ "Effect": "Deny", "NotAction": "s3:*", "Resource": "*" }));
    let only = statement(json!({ "Effect": "Allow", "Action": "s3:*", "Resource": "*" }));
    assert_eq!(is_no_more(&denied, &only), Some(true));
    assert_eq!(is_no_more(&only, &denied), Some(true));
}

#[test]
fn absent_keys_and_those_that_may_be_absent_are_told_apart() {
    let with = |condition: Value| {
        policy(
            json!([{ "Effect": "Allow", "Action": "ec2:StartInstances", "Resource": "*", "Condition": condition }]),
        )
    };
    let plain = with(json!({ "StringEquals": { "aws:PrincipalTag/a": "x" } }));
    let if_exists = with(json!({ "StringEqualsIfExists": { "aws:PrincipalTag/a": "x" } }));
    let absent = with(json!({ "Null": { "aws:PrincipalTag/a": "true" } }));
    let both = with(
        json!({ "StringEqualsIfExists": { "aws:PrincipalTag/a": "x" }, "Null": { "aws:PrincipalTag/a": "false" } }),
    );
    assert_eq!(is_no_more(&plain, &if_exists), Some(true));
    assert_eq!(is_no_more(&if_exists, &plain), Some(false));
    // An empty value counts as absent for `Null`, and is a wrong value for the other.
    assert_eq!(is_no_more(&absent, &if_exists), Some(false));
    assert_eq!(is_no_more(&both, &plain), Some(true));
    assert_eq!(is_no_more(&plain, &both), Some(true));
}

#[test]
fn what_is_not_known_is_never_proved() {
    let narrow = policy(
        json!([{ "Effect": "Allow", "Action": "s3:GetObject", "Resource": "arn:aws:s3:::a/*" }]),
    );
    let odd = [
        json!([{ "Effect": "Allow", "Action": "s3:*", "Resource": "arn:aws:s3:::${bucket}/*" }]),
        json!([{ "Effect": "Allow", "Action": ["s3:PutObject", 7], "Resource": "*", "Condition": { "StringSame": { "aws:userid": "x" } } }]),
        json!([{ "Effect": "Perhaps", "Action": "s3:*", "Resource": "*" }]),
        json!([{ "Effect": "Allow", "Action": "s3:PutObject" }]),
    ];
    for statements in odd {
        let odd = policy(statements);
        assert_eq!(is_no_more(&odd, &narrow), None, "{odd}");
    }
    // A Deny that is not known may take away what the new policy allows.
    let denying = policy(json!([
        { "Effect": "Allow", "Action": "s3:GetObject", "Resource": "arn:aws:s3:::a/*" },
        { "Effect": "Deny", "Action": "s3:GetObject", "Resource": "*", "Condition": { "StringSame": { "aws:userid": "x" } } },
    ]));
    assert_eq!(is_no_more(&narrow, &denying), None);
}

#[test]
fn another_principal_is_found_whoever_it_is() {
    let bucket = |principal: Value| {
        let policy = policy(
            json!([{ "Effect": "Allow", "Principal": principal, "Action": "s3:GetObject",
            "Resource": "arn:aws:s3:::example-logs/*" }]),
        );
        let root = tree("policy.json", &policy.to_string()).unwrap();
        PolicyDocument::read(root, Some(PolicyKind::Resource), None)
    };
    let account = bucket(json!({ "AWS": "123456789012" }));
    let root = bucket(json!({ "AWS": "arn:aws:iam::123456789012:root" }));
    let role = bucket(json!({ "AWS": "arn:aws:iam::123456789012:role/ops" }));
    let two = bucket(json!({ "AWS": ["123456789012", "210987654321"] }));
    let service = bucket(json!({ "Service": "logging.s3.amazonaws.com" }));
    let all = bucket(json!("*"));
    let is_no_more = |new, old| more(new, old, Realm::Documented).is_never();
    assert!(is_no_more(&account, &root) && is_no_more(&root, &account));
    assert!(is_no_more(&role, &account) && !is_no_more(&account, &role));
    assert!(is_no_more(&account, &two) && !is_no_more(&two, &account));
    assert!(!is_no_more(&service, &account) && !is_no_more(&account, &service));
    for one in [&account, &role, &two, &service] {
        assert!(is_no_more(one, &all) && !is_no_more(&all, one));
    }
}

#[test]
fn many_lists_of_names_are_told_apart() {
    let one = |number: usize| {
        json!({ "Effect": "Allow", "Action": "route53:ChangeResourceRecordSets", "Resource": "*",
            "Condition": { "ForAllValues:StringEquals": { NAMES_KEY: [format!("a{number}.example.com")] } } })
    };
    let all = policy((0..40).map(one).collect());
    let less = policy((1..40).map(one).collect());
    assert_eq!(is_no_more(&less, &all), Some(true));
    assert_eq!(is_no_more(&all, &less), Some(false));
    let both = policy(
        json!([{ "Effect": "Allow", "Action": "route53:ChangeResourceRecordSets", "Resource": "*",
        "Condition": { "ForAllValues:StringEquals": { NAMES_KEY: ["a1.example.com", "a2.example.com"] } } }]),
    );
    // No single statement covers a batch with both names.
    assert_eq!(is_no_more(&both, &all), Some(false));
}
