//! The compiled evaluator against a second one that reads the JSON afresh for each question and does nothing clever, on
//! random small policies; and laws that no policy may break.

use pointsman::iam::{Compiled, ContextValue, NamedPolicy, Policies, Request, Word};
use pointsman::model::policy::{PolicyDocument, PolicyKind};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::iam_eval::tree;

type Context = Vec<(&'static str, Vec<&'static str>, bool)>;

fn document(policy: &Value) -> PolicyDocument {
    let root = tree("policy.json", &policy.to_string()).unwrap();
    PolicyDocument::read(root, Some(PolicyKind::Identity), None)
}

fn decide(policy: &Value, request: &Request) -> Option<Word> {
    let document = document(policy);
    let policies = Policies {
        identity: vec![NamedPolicy {
            name: "policy",
            document: &document,
        }],
        ..Policies::default()
    };
    let compiled = Compiled::new(&policies);
    let decision = compiled.evaluate(request);
    let word = compiled.decide(request);
    assert_eq!(word, decision.undecided.is_empty().then_some(decision.word));
    word
}

/// `*` and `?` by their definition.
fn glob(pattern: &[char], text: &[char]) -> bool {
    match (pattern.split_first(), text.split_first()) {
        (None, None) => true,
        (Some(('*', rest)), _) => (0..=text.len()).any(|at| glob(rest, &text[at..])),
        (Some(('?', rest)), Some((_, text))) => glob(rest, text),
        (Some((a, rest)), Some((b, text))) => a == b && glob(rest, text),
        (Some(_), None) | (None, Some(_)) => false,
    }
}

fn like(pattern: &str, text: &str) -> bool {
    let chars = |text: &str| text.chars().collect::<Vec<char>>();
    glob(&chars(pattern), &chars(text))
}

fn strings(value: &Value) -> Vec<String> {
    match value {
        Value::Array(items) => items.iter().flat_map(strings).collect(),
        Value::String(text) => vec![text.clone()],
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => {
            vec![value.to_string()]
        }
    }
}

/// Whether one condition holds, read straight off the User Guide.
fn holds(operator: &str, key: &str, wanted: &[String], context: &Context) -> bool {
    let found = context
        .iter()
        .find(|(known, ..)| known.eq_ignore_ascii_case(key))
        .filter(|(_, values, _)| !values.is_empty());
    let (set, base) = operator.split_once(':').unwrap_or(("", operator));
    let (base, if_exists) = match base.strip_suffix("IfExists") {
        Some(base) => (base, true),
        None => (base, false),
    };
    let null = found.is_none_or(|(_, values, _)| values.iter().all(|value| value.is_empty()));
    if base == "Null" {
        let word = if null { "true" } else { "false" };
        return match set {
            "ForAllValues" => true,
            "ForAnyValue" => false,
            _ => wanted.iter().any(|value| value == word),
        };
    }
    let negated = base.contains("Not");
    let same = |value: &str| match base.replace("Not", "").as_str() {
        "StringEquals" => wanted.iter().any(|one| one == value),
        "StringEqualsIgnoreCase" => wanted
            .iter()
            .any(|one| one.to_lowercase() == value.to_lowercase()),
        _ => wanted.iter().any(|one| like(one, value)),
    };
    match (set, found) {
        ("ForAllValues", _) if null => true,
        ("ForAnyValue", None) => if_exists,
        ("ForAnyValue", _) if null => false,
        ("", None) => negated || if_exists,
        ("", Some((_, _, true))) => false,
        ("ForAllValues", Some((_, values, _))) => values.iter().all(|value| same(value) != negated),
        (_, Some((_, values, _))) => values.iter().any(|value| same(value) != negated),
        (_, None) => true,
    }
}

fn applies(statement: &Value, action: &str, resource: &str, context: &Context) -> bool {
    let listed = |key: &str, text: &str, fold: bool| -> Option<bool> {
        let list = statement.get(key)?;
        let folded = |text: &str| {
            if fold {
                text.to_lowercase()
            } else {
                text.to_owned()
            }
        };
        Some(
            strings(list)
                .iter()
                .any(|one| like(&folded(one), &folded(text))),
        )
    };
    let of = |key: &str, text: &str, fold: bool| {
        listed(key, text, fold)
            .unwrap_or_else(|| !listed(&format!("Not{key}"), text, fold).unwrap())
    };
    let mut conditions = statement["Condition"].as_object().into_iter().flatten();
    of("Action", action, true)
        && of("Resource", resource, false)
        && conditions.all(|(operator, block)| {
            let mut keys = block.as_object().into_iter().flatten();
            keys.all(|(key, values)| holds(operator, key, &strings(values), context))
        })
}

fn naive(policy: &Value, action: &str, resource: &str, context: &Context) -> Word {
    let statements = policy["Statement"].as_array().unwrap();
    let any = |effect: &str| {
        let mut of_effect = statements.iter().filter(|one| one["Effect"] == effect);
        of_effect.any(|one| applies(one, action, resource, context))
    };
    if any("Deny") {
        Word::ExplicitDeny
    } else if any("Allow") {
        Word::Allowed
    } else {
        Word::ImplicitDeny
    }
}

const OPERATORS: [&str; 16] = [
    "StringEquals",
    "StringNotEquals",
    "StringEqualsIgnoreCase",
    "StringNotEqualsIgnoreCase",
    "StringLike",
    "StringNotLike",
    "StringEqualsIfExists",
    "StringNotLikeIfExists",
    "ForAllValues:StringEquals",
    "ForAllValues:StringNotLike",
    "ForAnyValue:StringLike",
    "ForAnyValue:StringNotEquals",
    "ForAnyValue:StringEqualsIfExists",
    "Null",
    "ForAllValues:Null",
    "ForAnyValue:Null",
];

fn values() -> impl Strategy<Value = Vec<&'static str>> {
    let words = ["", "a", "b", "A", "ab", "a*", "?", "*b", "true", "false"];
    prop::collection::vec(prop::sample::select(words.to_vec()), 0..3)
}

fn condition() -> impl Strategy<Value = (String, Value)> {
    let operator = prop::sample::select(OPERATORS.to_vec());
    let key = prop::sample::select(vec!["k:one", "K:One", "k:two"]);
    (operator, key, values())
        .prop_map(|(operator, key, values)| (operator.to_owned(), json!({ key: values })))
}

fn statement() -> impl Strategy<Value = Value> {
    let actions = ["*", "a:*", "a:x", "A:X", "?:x", "b:y"];
    let resources = ["*", "arn:r1", "arn:r?", "arn:*1", "arn:R1"];
    let list =
        |words: &[&'static str]| prop::collection::vec(prop::sample::select(words.to_vec()), 1..3);
    (
        prop::sample::select(vec!["Allow", "Deny"]),
        prop::sample::select(vec!["Action", "NotAction"]),
        list(&actions),
        prop::sample::select(vec!["Resource", "NotResource"]),
        list(&resources),
        prop::collection::btree_map("[ab]", condition(), 0..3),
    )
        .prop_map(
            |(effect, action, actions, resource, resources, conditions)| {
                let block: serde_json::Map<String, Value> = conditions.into_values().collect();
                json!({"Effect": effect, action: actions, resource: resources, "Condition": block})
            },
        )
}

fn policy() -> impl Strategy<Value = Value> {
    prop::collection::vec(statement(), 1..4)
        .prop_map(|statements| json!({"Version": "2012-10-17", "Statement": statements}))
}

fn context() -> impl Strategy<Value = Context> {
    let entry = |key| {
        prop::option::of((values(), any::<bool>())).prop_map(move |entry| {
            entry.map(|(values, listed)| {
                let listed = listed || values.len() != 1;
                (key, values, listed)
            })
        })
    };
    (entry("k:one"), entry("k:TWO")).prop_map(|(one, two)| one.into_iter().chain(two).collect())
}

fn request(action: &str, resource: &str, context: &Context) -> Request {
    let mut request = Request::new(action, resource);
    for (key, values, listed) in context {
        let owned = || values.iter().map(|value| (*value).to_owned());
        let value = if *listed {
            ContextValue::Multi(owned().collect())
        } else {
            ContextValue::Single(owned().collect())
        };
        request.set(key, value);
    }
    request
}

fn asked() -> impl Strategy<Value = (&'static str, &'static str)> {
    let actions = prop::sample::select(vec!["a:X", "a:y", "b:Y", "c:x"]);
    let resources = prop::sample::select(vec!["*", "arn:r1", "arn:r2", "arn:R1", "arn:"]);
    (actions, resources)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn the_compiled_evaluator_agrees_with_the_plain_one(
        policy in policy(), (action, resource) in asked(), context in context()
    ) {
        let expected = naive(&policy, action, resource, &context);
        let found = decide(&policy, &request(action, resource, &context));
        prop_assert_eq!(found, Some(expected), "{}", policy);
    }

    #[test]
    fn an_added_allow_never_lifts_a_deny(
        policy in policy(), added in statement(), (action, resource) in asked(), context in context()
    ) {
        let request = request(action, resource, &context);
        let before = decide(&policy, &request);
        let mut more = policy;
        let mut added = added;
        added["Effect"] = "Allow".into();
        more["Statement"].as_array_mut().unwrap().push(added);
        let after = decide(&more, &request);
        prop_assert!(before != Some(Word::ExplicitDeny) || after == before);
        prop_assert!(before != Some(Word::Allowed) || after == before);
    }

    #[test]
    fn whatever_stands_in_a_policy_there_is_a_decision_or_a_doubt(
        text in r#"[\[\]{}:,"a-cDS*?$ 0-9]{0,40}"#, policy in policy(), at in 0_usize..200, (action, resource) in asked()
    ) {
        // A policy with a part of it overwritten, wherever that still is JSON.
        let mut broken = policy.to_string();
        let start = at.min(broken.len());
        let end = (start + text.len()).min(broken.len());
        broken.replace_range(start..end, &text);
        if let Ok(broken) = serde_json::from_str::<Value>(&broken) {
            let _ = decide(&broken, &request(action, resource, &Vec::new()));
        }
    }

    #[test]
    fn a_broken_statement_leaves_a_doubt_or_does_not_matter(
        policy in policy(), odd in prop::sample::select(vec![json!(null), json!(7), json!([]), json!([[]])]),
        part in prop::sample::select(vec!["Effect", "Action", "Resource", "Condition", "Principal", "Other"]),
        (action, resource) in asked(), context in context()
    ) {
        let mut broken = policy.clone();
        broken["Statement"][0][part] = odd;
        let found = decide(&broken, &request(action, resource, &context));
        let mut without = policy;
        without["Statement"].as_array_mut().unwrap().remove(0);
        let rest = naive(&without, action, resource, &context);
        prop_assert!(found.is_none() || found == Some(rest), "{}", broken);
    }
}
