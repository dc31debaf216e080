//! Proofs about GitHub's tokens: claims that come in one token, and what a proof takes for granted.

use pointsman::iam::prove::{Bounds, Question, Realm, Side, ask};
use pointsman::iam::{
    Compiled, ContextValue, NamedPolicy, Policies, Request, RequestPrincipal, Word,
};
use pointsman::model::policy::{PolicyDocument, PolicyKind};
use pointsman::model::spec::SubjectFormat;
use pointsman::model::trust::{Context, Repository};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::binary::Folder;
use crate::iam_eval::tree;

const ISSUER: &str = "token.actions.githubusercontent.com";
const PROVIDER: &str =
    "arn:aws:iam::123456789012:oidc-provider/token.actions.githubusercontent.com";
const FLAGS: [&str; 10] = [
    "--repo",
    "acme/app",
    "--owner-id",
    "100001",
    "--repo-id",
    "200002",
    "--branch",
    "main",
    "--subject-format",
    "immutable",
];

fn trust(action: &str, who: &Value, equals: &Value, like: &Value) -> Value {
    let named = |claims: &Value| -> Value {
        let claims = claims.as_object().into_iter().flatten();
        claims
            .map(|(claim, value)| (format!("{ISSUER}:{claim}"), value.clone()))
            .collect::<serde_json::Map<_, _>>()
            .into()
    };
    json!({ "Version": "2012-10-17", "Statement": [{
        "Effect": "Allow",
        "Principal": who,
        "Action": action,
        "Condition": { "StringEquals": named(equals), "StringLike": named(like) },
    }] })
}

fn of_github(equals: &Value, like: &Value) -> Value {
    let who = json!({ "Federated": PROVIDER });
    trust("sts:AssumeRoleWithWebIdentity", &who, equals, like)
}

/// The status, and the JSON, of `prove trust`; each counterexample is put before `simulate`.
fn proved(policy: &Value, flags: &[&str]) -> (i32, Value) {
    let folder = Folder::empty();
    folder.write("trust.json", policy.to_string());
    let asked = [
        "prove",
        "trust",
        "trust.json",
        "--format",
        "json",
        "--cases-out",
        "cases.json",
    ];
    let ran = folder.run(&[&asked[..], flags].concat());
    let told: Value = serde_json::from_str(&ran.stdout()).unwrap();
    let count = told["cases"]["count"].as_u64().unwrap();
    assert_eq!(told["cases"]["path"].is_null(), count == 0, "{told}");
    if count > 0 {
        let again = folder.run(&["simulate", "cases.json"]);
        assert_eq!(again.status(), 0, "{}", again.stdout());
    }
    (ran.status(), told)
}

#[test]
fn claims_that_a_subject_says_limit_it() {
    let aud = "sts.amazonaws.com";
    let classic: Vec<&str> = FLAGS.into_iter().take(9).chain(["classic"]).collect();
    let exact = [
        (
            json!({ "aud": aud, "ref": "refs/heads/main" }),
            json!({ "sub": "repo:acme@100001/app@200002:ref:*" }),
        ),
        (
            json!({ "aud": aud, "repository_id": "200002" }),
            json!({ "sub": "repo:*:ref:refs/heads/main" }),
        ),
    ];
    for (equals, like) in exact {
        let (status, told) = proved(&of_github(&equals, &like), &FLAGS);
        assert_eq!(status, 0, "{told}");
    }
    let names = json!({ "aud": aud, "ref": "refs/heads/main" });
    let (status, told) = proved(
        &of_github(&names, &json!({ "sub": "repo:acme/app:ref:*" })),
        &classic,
    );
    assert_eq!(status, 0, "{told}");
    // The environment is said by the subject too, and then nothing keeps it to a branch.
    let with = json!({ "aud": aud, "environment": "prod" });
    let own = json!({ "sub": "repo:acme@100001/app@200002:*" });
    let flags = [&FLAGS[..], &["--environment", "prod"]].concat();
    assert_eq!(proved(&of_github(&with, &own), &flags).0, 0);
    assert_eq!(proved(&of_github(&with, &own), &FLAGS).0, 1);
    // Another job of the branch, with an environment.
    let id = json!({ "aud": aud, "repository_id": "200002", "ref": "refs/heads/main" });
    let (status, told) = proved(&of_github(&id, &json!({})), &FLAGS);
    assert_eq!(status, 1);
    let context = &told["claims"][0]["witnesses"][0]["request"]["context"];
    let subject = context[format!("{ISSUER}:sub")].as_str().unwrap();
    assert!(
        subject.starts_with("repo:acme@100001/app@200002:environment:"),
        "{subject}"
    );
    // A sibling of the owner: its name and the owner's id agree.
    let owner = json!({ "aud": aud, "repository_owner_id": "100001" });
    let (status, told) = proved(
        &of_github(&owner, &json!({ "sub": "*:ref:refs/heads/main" })),
        &FLAGS,
    );
    assert_eq!(status, 1);
    let context = &told["claims"][0]["witnesses"][0]["request"]["context"];
    let subject = context[format!("{ISSUER}:sub")].as_str().unwrap();
    assert!(
        subject.starts_with("repo:acme/") || subject.starts_with("repo:acme@100001/"),
        "{subject}"
    );
}

#[test]
fn a_proof_tells_what_it_depends_on_and_nothing_else() {
    let sub = "repo:acme@100001/app@200002:ref:refs/heads/main";
    let exact = json!({ "aud": "sts.amazonaws.com", "sub": sub });
    let (status, told) = proved(&of_github(&exact, &json!({})), &FLAGS);
    assert_eq!((status, &told["assumptions"]), (0, &json!([])));
    let tied = json!({ "aud": "sts.amazonaws.com", "ref": "refs/heads/main" });
    let like = json!({ "sub": "repo:acme@100001/app@200002:ref:*" });
    let (_, told) = proved(&of_github(&tied, &like), &FLAGS);
    let all = told["assumptions"].to_string();
    for part in ["`?*:?*`", "has a subject and an audience", "say the same"] {
        assert!(all.contains(part), "{part}: {all}");
    }
    assert!(!all.contains("Route 53"), "{all}");
}

#[test]
fn a_token_is_used_for_calls_of_its_own_and_a_wildcard_names_no_provider() {
    let who = json!({ "Federated": PROVIDER });
    let broad = json!({ "sub": "repo:acme@100001/*" });
    let policy = trust(
        "sts:*",
        &who,
        &json!({ "aud": "sts.amazonaws.com" }),
        &broad,
    );
    let (status, told) = proved(&policy, &FLAGS);
    assert_eq!(status, 1);
    for witness in told["claims"][0]["witnesses"].as_array().unwrap() {
        let action = witness["request"]["action"].as_str().unwrap();
        let real = [
            "sts:AssumeRoleWithWebIdentity",
            "sts:SetSourceIdentity",
            "sts:TagSession",
        ];
        assert!(real.contains(&action), "{action}");
    }
    for who in [
        json!({ "Federated": "*" }),
        json!({ "Federated": [PROVIDER, "cognito-identity.amazonaws.com"] }),
        json!("*"),
    ] {
        let any = trust(
            "sts:AssumeRoleWithWebIdentity",
            &who,
            &json!({}),
            &json!({}),
        );
        assert_eq!(proved(&any, &FLAGS).0, 1, "{who}");
    }
}

#[test]
fn a_variable_allows_no_more_than_with_a_default_and_counts_are_whole() {
    let folder = Folder::empty();
    let policy = |resource: &str, age: &str| {
        json!({ "Version": "2012-10-17", "Statement": [{
            "Effect": "Allow", "Action": "s3:GetObject", "Resource": resource,
            "Condition": { "NumericLessThan": { "aws:MultiFactorAuthAge": age } },
        }] })
        .to_string()
    };
    folder.write(
        "bare.json",
        policy("arn:aws:s3:::b/${aws:username}/*", "100"),
    );
    folder.write(
        "default.json",
        policy("arn:aws:s3:::b/${aws:username, 'anon'}/*", "100"),
    );
    let ran = folder.run(&["prove", "no-new-access", "default.json", "bare.json"]);
    assert_eq!(ran.status(), 0, "{}", ran.stdout());
    let ran = folder.run(&["prove", "no-new-access", "bare.json", "default.json"]);
    assert_eq!(ran.status(), 1, "{}", ran.stdout());
    assert!(ran.stdout().contains(", 'anon'}"), "{}", ran.stdout());
    folder.write("old.json", policy("*", "99"));
    folder.write("new.json", policy("*", "100"));
    let ran = folder.run(&["prove", "no-new-access", "old.json", "new.json"]);
    assert!(
        ran.stdout().contains("aws:MultiFactorAuthAge = `99`"),
        "{}",
        ran.stdout()
    );
}

fn document(policy: &Value) -> PolicyDocument {
    let root = tree("policy.json", &policy.to_string()).unwrap();
    PolicyDocument::read(root, Some(PolicyKind::Trust), None)
}

fn repository(name: &str, owner_id: u64, id: u64, format: SubjectFormat) -> Repository {
    let named = Repository::named(name).unwrap();
    Repository {
        owner_id: Some(owner_id),
        repository_id: Some(id),
        format,
        ..named
    }
}

/// Repositories: the one in question, a sibling, a stranger's, and one under the same names later.
const NAMES: [(&str, u64, u64); 4] = [
    ("acme/app", 1, 2),
    ("acme/x", 1, 3),
    ("mallory/app", 4, 5),
    ("acme/app", 6, 7),
];

const TEMPLATES: [&[&str]; 4] = [
    &[],
    &["repo", "context", "workflow"],
    &["repository_owner_id", "ref"],
    &["environment", "repository_id"],
];

fn contexts() -> [Context; 6] {
    [
        Context::Branch("main".to_owned()),
        Context::Branch("x".to_owned()),
        Context::Tag("main".to_owned()),
        Context::PullRequest,
        Context::Environment("prod".to_owned()),
        Context::Environment("ref:refs/heads/main".to_owned()),
    ]
}

/// A token as GitHub writes it, of the repository in question or of another.
fn written(
    name: usize,
    context: &Context,
    template: usize,
    old: bool,
) -> Vec<(&'static str, String)> {
    let (name, owner_id, id) = NAMES[name];
    let is_home = (owner_id, id) == (1, 2);
    let format = if old && !is_home {
        SubjectFormat::Classic
    } else {
        SubjectFormat::Immutable
    };
    let mut own = repository(name, owner_id, id, format);
    if !is_home {
        own.subject_claims = TEMPLATES[template]
            .iter()
            .map(ToString::to_string)
            .collect();
    }
    match context {
        Context::Environment(name) => own.environment = Some(name.clone()),
        Context::Branch(branch) => own.branch.clone_from(branch),
        Context::Tag(_) | Context::PullRequest => {}
    }
    let subject = own.subject_in(format, context.clone()).to_string();
    let claims = own
        .claims()
        .with("sub", subject)
        .with("aud", "sts.amazonaws.com");
    let claims = match context {
        Context::Tag(tag) => claims.with("ref", format!("refs/tags/{tag}")),
        Context::PullRequest => claims.with("ref", "refs/pull/7/merge"),
        Context::Branch(_) | Context::Environment(_) => claims,
    };
    claims
        .iter()
        .map(|(claim, value)| (claim, value.to_owned()))
        .collect()
}

fn token() -> impl Strategy<Value = Vec<(&'static str, String)>> {
    let parts = (
        0..NAMES.len(),
        0..6_usize,
        0..TEMPLATES.len(),
        any::<bool>(),
    );
    parts.prop_map(|(name, context, template, old)| {
        written(name, &contexts()[context], template, old)
    })
}

fn condition() -> impl Strategy<Value = (&'static str, &'static str, &'static str)> {
    let claims = prop_oneof![
        (
            Just("sub"),
            prop_oneof![
                Just("repo:acme@1/app@2:*"),
                Just("repo:*:ref:refs/heads/main"),
                Just("*main"),
                Just("repo:acme*"),
                Just("*:environment:prod"),
                Just("*ref:*"),
                Just("repo:acme@1/*"),
                Just("*repository_id:2*"),
            ]
        ),
        (
            Just("ref"),
            prop_oneof![
                Just("refs/heads/main"),
                Just("refs/heads/*"),
                Just("refs/*/main")
            ]
        ),
        (
            Just("environment"),
            prop_oneof![Just("prod"), Just("*"), Just("ref:*")]
        ),
        (
            Just("repository"),
            prop_oneof![Just("acme/app"), Just("acme/*"), Just("*/app"), Just("*a*")]
        ),
        (
            Just("repository_id"),
            prop_oneof![Just("2"), Just("?"), Just("5")]
        ),
        (
            Just("repository_owner_id"),
            prop_oneof![Just("1"), Just("4")]
        ),
    ];
    let operators = prop_oneof![4 => Just("StringLike"), 1 => Just("StringNotLike"), 1 => Just("StringLikeIfExists")];
    (operators, claims).prop_map(|(operator, (claim, value))| (operator, claim, value))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn no_token_contradicts_a_proof(
        conditions in proptest::collection::vec(condition(), 1..4),
        denied in proptest::collection::vec(condition(), 0..2),
        tokens in proptest::collection::vec(token(), 100),
    ) {
        let block = |conditions: &[(&str, &str, &str)]| {
            let mut block = json!({});
            for (operator, claim, value) in conditions {
                block[*operator][format!("{ISSUER}:{claim}")] = json!(value);
            }
            block
        };
        let statement = |effect: &str, condition: Value| json!({
            "Effect": effect, "Principal": { "Federated": PROVIDER },
            "Action": "sts:AssumeRoleWithWebIdentity", "Condition": condition,
        });
        let mut statements = vec![statement("Allow", block(&conditions))];
        if !denied.is_empty() {
            statements.push(statement("Deny", block(&denied)));
        }
        let policy = document(&json!({ "Version": "2012-10-17", "Statement": statements }));
        let home = repository("acme/app", 1, 2, SubjectFormat::Immutable);
        let own = json!({ "StringEquals": { (format!("{ISSUER}:sub")): home.subject().to_string() } });
        let job = document(&json!({ "Version": "2012-10-17", "Statement": [statement("Allow", own)] }));
        let named = |document| NamedPolicy { name: "p", document };
        let answer = ask(
            &Question {
                granted: vec![Side { policies: vec![named(&policy)] }],
                not_granted: vec![Side { policies: vec![named(&job)] }],
                realm: Realm::Sent,
                principal: Some(RequestPrincipal::Federated(PROVIDER.to_owned())),
                home: Some(&home),
                aside: Vec::new(),
            },
            Bounds::default(),
        );
        let sides = [&policy, &job].map(|document| Compiled::new(&Policies {
            resource: Some(named(document)),
            ..Policies::default()
        }));
        let beyond = tokens.iter().find(|token| {
            let who = RequestPrincipal::Federated(PROVIDER.to_owned());
            let mut request = Request::new("sts:AssumeRoleWithWebIdentity", "*").by(who);
            for (claim, value) in *token {
                request.set(&format!("{ISSUER}:{claim}"), ContextValue::Single(value.clone()));
            }
            let [policy, job] = sides.each_ref().map(|side| side.decide(&request) == Some(Word::Allowed));
            policy && !job
        });
        prop_assert!(beyond.is_none() || !answer.is_never(), "{:?}", beyond);
    }
}
