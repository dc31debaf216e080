//! Every case of `data/oidc.json`: the verdict on a trust policy, and whether the job's own token is let in.

use pointsman::check::{self, Input, Options, Standing};
use pointsman::diag::{Outcome, Severity};
use pointsman::iam::NamedPolicy;
use pointsman::iam::prove::{Bounds, Question, Realm, Side, ask};
use pointsman::iam::trust::{intended, verdict};
use pointsman::model::calendar::Day;
use pointsman::model::policy::{PolicyDocument, PolicyKind};
use pointsman::model::spec::{OIDC_AUDIENCE, OIDC_ISSUER, SubjectFormat};
use pointsman::model::trust::Repository;
use pointsman::rules::Subject;
use pointsman::syntax::{Node, pointer};
use pointsman::text::SourceMap;

use crate::iam_eval::tree;

/// The fixture of the file, in the format that a case names.
fn repository(format: &str) -> Repository {
    let environment = match format {
        "immutable-env" => Some("production".to_owned()),
        "immutable-env-colon" => Some("Production:V1".to_owned()),
        _ => None,
    };
    Repository {
        owner: "acme".to_owned(),
        owner_id: Some(100_001),
        repository: "dns-failover".to_owned(),
        repository_id: Some(200_002),
        branch: "main".to_owned(),
        format: if format == "classic" {
            SubjectFormat::Classic
        } else {
            SubjectFormat::Immutable
        },
        environment,
        subject_claims: Vec::new(),
        issuer: OIDC_ISSUER.to_owned(),
        workflow: Some(".github/workflows/dns-failover.yml".to_owned()),
        workflow_name: None,
        provider: None,
        day: None,
        asked: true,
    }
}

fn text<'a>(node: &'a Node, at: &str) -> Option<&'a str> {
    pointer::find(node, at)?.as_str()
}

#[test]
fn every_case_gets_its_verdict() {
    let root = tree("oidc.json", include_str!("data/oidc.json")).unwrap();
    let cases = root.get("cases").and_then(Node::as_list).unwrap();
    assert_eq!(cases.len(), 63);
    let mut wrong = Vec::new();
    for case in cases {
        let id = text(case, "/id").unwrap();
        let repository = repository(text(case, "/repo_format").unwrap());
        let policy = case.get("trust_policy").unwrap().clone();
        let document = PolicyDocument::read(policy, Some(PolicyKind::Trust), None);
        let found = verdict(&document, &repository).unwrap();
        let legit = pointer::find(case, "/check/legit_allowed").and_then(Node::as_bool);
        let expected = text(case, "/verdict").unwrap();
        if found.verdict.word() != expected || Some(found.legit_allowed) != legit {
            let hits: Vec<&str> = found
                .attackers
                .iter()
                .map(|attack| attack.name.as_str())
                .collect();
            wrong.push(format!(
                "{id}: {} (legit {}), not {expected} (legit {legit:?}): {} {hits:?}",
                found.verdict.word(),
                found.legit_allowed,
                found.why
            ));
        }
        assert!(!found.why.is_empty());
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What `validate trust` says of a case, for the job that it means.
fn validated(case: &Node, text: &str) -> Outcome {
    let input = Input {
        path: "trust.json".to_owned(),
        bytes: Ok(text.as_bytes().to_vec()),
        standing: Standing::Named,
    };
    let options = Options {
        subject: Some(Subject::Trust),
        ..Options::default()
    };
    let mut loaded = check::load(SourceMap::default(), None, vec![input], options);
    let format = case.get("repo_format").and_then(Node::as_str);
    loaded.workspace.repository = format.map(repository);
    check::run(loaded).outcome
}

/// Whether the findings say what the verdict says, no more and no less.
fn agrees(verdict: &str, outcome: &Outcome) -> bool {
    let worst = outcome
        .findings
        .iter()
        .map(|finding| finding.severity)
        .max();
    // Two matters of form that no verdict looks at.
    let form = ["forallvalues-with-single-valued-key", "missing-version"];
    match verdict {
        "safe" => outcome
            .findings
            .iter()
            .all(|finding| form.contains(&finding.rule)),
        "weak" => worst == Some(Severity::Warning),
        "unresolved" => worst.is_none() && !outcome.undecided.is_empty(),
        _ => worst == Some(Severity::Error),
    }
}

#[test]
fn findings_are_as_bad_as_the_verdict() {
    let source = include_str!("data/oidc.json");
    let root = tree("oidc.json", source).unwrap();
    for case in root.get("cases").and_then(Node::as_list).unwrap() {
        let policy = source.get(case.get("trust_policy").unwrap().span().range());
        let (id, verdict) = (text(case, "/id").unwrap(), text(case, "/verdict").unwrap());
        let outcome = validated(case, policy.unwrap());
        assert!(
            agrees(verdict, &outcome),
            "{id}: {verdict}, but {outcome:?}"
        );
        let [told] = outcome.verdicts.as_slice() else {
            panic!("{id}: {:?}", outcome.verdicts);
        };
        assert_eq!(told.verdict, verdict, "{id}");
    }
}

/// What `validate trust` says of a trust policy with these conditions, with and without the fixture's repository.
fn judged(conditions: &str, repository: Option<Repository>) -> Outcome {
    let provider = "arn:aws:iam::123456789012:oidc-provider/token.actions.githubusercontent.com";
    let text = format!(
        r#"{{"Version": "2012-10-17", "Statement": [{{"Effect": "Allow", "Principal": {{"Federated": "{provider}"}},
        "Action": "sts:AssumeRoleWithWebIdentity", "Condition": {}}}]}}"#,
        conditions.replace("@:", "token.actions.githubusercontent.com:")
    );
    let input = Input {
        path: "trust.json".to_owned(),
        bytes: Ok(text.into_bytes()),
        standing: Standing::Named,
    };
    let options = Options {
        subject: Some(Subject::Trust),
        ..Options::default()
    };
    let mut loaded = check::load(SourceMap::default(), None, vec![input], options);
    loaded.workspace.repository = repository;
    check::run(loaded).outcome
}

fn like(subject: &str) -> String {
    format!(
        r#"{{"StringEquals": {{"@:aud": "sts.amazonaws.com"}}, "StringLike": {{"@:sub": "{subject}"}}}}"#
    )
}

#[test]
fn a_pattern_that_names_no_owner_is_an_error_whatever_is_known() {
    let severity = |subject: &str| {
        let outcome = judged(&like(subject), None);
        let [finding] = outcome.findings.as_slice() else {
            panic!("{subject}: {outcome:?}");
        };
        assert_eq!(finding.rule, "oidc-sub-broad");
        finding.severity
    };
    for subject in [
        "*",
        "repo:*",
        "repo:acme*",
        "repo:*/dns-failover:*",
        "*:ref:refs/heads/main",
        "workflow:*",
    ] {
        assert_eq!(severity(subject), Severity::Error, "{subject}");
    }
    for subject in [
        "repo:acme/*",
        "repo:acme@1*/x@*",
        "repo:acme/dns-failover:*",
        "*:repository_id:200002",
    ] {
        assert_eq!(severity(subject), Severity::Warning, "{subject}");
    }
    let kept = like("repo:*").replace(
        r#""@:aud""#,
        r#""@:repository_owner_id": "100001", "@:aud""#,
    );
    let outcome = judged(&kept, None);
    assert_eq!(
        outcome.findings.first().map(|one| one.severity),
        Some(Severity::Warning)
    );
}

#[test]
fn without_a_repository_it_is_told_once_that_the_job_is_not_known() {
    let exact = like("repo:acme@100001/dns-failover@200002:ref:refs/heads/main");
    let outcome = judged(&exact, None);
    let [undecided] = outcome.undecided.as_slice() else {
        panic!("{outcome:?}");
    };
    assert!(undecided.what.contains("whether the job is let in"));
    assert_eq!(
        undecided.missing.first().map(String::as_str),
        Some("--repo owner/name")
    );
    assert!(
        judged(&exact, Some(repository("immutable")))
            .undecided
            .is_empty()
    );
}

#[test]
fn the_widest_attack_is_told_first_and_none_twice() {
    let outcome = judged(&like("repo:acme/*"), Some(repository("immutable")));
    let [finding] = outcome.findings.as_slice() else {
        panic!("{outcome:?}");
    };
    assert_eq!(finding.rule, "oidc-sub-stale-format");
    assert!(finding.message.starts_with(
        "`repo:acme/*` opens the role to every repository of whoever owns the name `acme`"
    ));
    let attackers = |subject: &str| {
        let outcome = judged(&like(subject), Some(repository("immutable")));
        let told = outcome.verdicts.into_iter().next().unwrap();
        told.attackers
            .into_iter()
            .map(|one| one.class)
            .collect::<Vec<_>>()
    };
    let of_the_owner = attackers("repo:acme/*");
    assert_eq!(of_the_owner.first(), Some(&"same-org"));
    assert_eq!(
        of_the_owner
            .iter()
            .filter(|class| **class == "recycled-classic")
            .count(),
        1
    );
    assert_eq!(attackers("*").first(), Some(&"any"));
}

#[test]
fn a_star_that_is_no_wildcard_is_mended_by_the_subject_of_the_job() {
    let equals = r#"{"StringEquals": {"@:aud": "sts.amazonaws.com", "@:sub": "repo:acme@100001/dns-failover@200002:*"}}"#;
    let help = |repository| {
        let outcome = judged(equals, repository);
        let found = outcome.findings.into_iter();
        let mut found = found.filter(|one| one.rule == "wildcard-without-like-operator");
        found.next().unwrap().help.unwrap()
    };
    let own = "`repo:acme@100001/dns-failover@200002:ref:refs/heads/main`";
    assert!(help(Some(repository("immutable"))).contains(own));
    assert!(!help(None).contains("StringLike"));
}

#[test]
fn a_wildcard_in_one_id_is_too_broad() {
    for (subject, wanted) in [
        (
            "repo:acme@10000?/dns-failover@200002:ref:refs/heads/main",
            "too_broad",
        ),
        (
            "repo:acme@100001/dns-failover@200002*:ref:refs/heads/main",
            "too_broad",
        ),
        (
            "repo:acme@100001/dns-failover@200002:ref:refs/heads/main",
            "safe",
        ),
    ] {
        let provider =
            "arn:aws:iam::123456789012:oidc-provider/token.actions.githubusercontent.com";
        let claim = "token.actions.githubusercontent.com";
        let policy = format!(
            r#"{{"Version":"2012-10-17","Statement":[{{"Effect":"Allow","Principal":{{"Federated":"{provider}"}},"Action":"sts:AssumeRoleWithWebIdentity","Condition":{{"StringEquals":{{"{claim}:aud":"sts.amazonaws.com"}},"StringLike":{{"{claim}:sub":"{subject}"}}}}}}]}}"#
        );
        let root = tree("trust.json", &policy).unwrap();
        let document = PolicyDocument::read(root, Some(PolicyKind::Trust), None);
        let found = verdict(&document, &repository("immutable")).unwrap();
        assert_eq!(found.verdict.word(), wanted, "{subject}: {}", found.why);
    }
}

/// A trust policy with these statements' effects and conditions, in which `@` stands for the issuer.
fn trusting(statements: &[(&str, &str)]) -> Option<PolicyDocument> {
    let written: Vec<String> = statements
        .iter()
        .map(|(effect, conditions)| {
            let conditions = conditions.replace("@:", &format!("{OIDC_ISSUER}:"));
            format!(
                r#"{{"Effect": "{effect}", "Principal": {{"Federated": "{PROVIDER}"}}, "Action": "sts:AssumeRoleWithWebIdentity", "Condition": {conditions}}}"#
            )
        })
        .collect();
    let text = format!(
        r#"{{"Version": "2012-10-17", "Statement": [{}]}}"#,
        written.join(",")
    );
    let root = tree("trust.json", &text).ok()?;
    Some(PolicyDocument::read(root, Some(PolicyKind::Trust), None))
}

const PROVIDER: &str =
    "arn:aws:iam::123456789012:oidc-provider/token.actions.githubusercontent.com";

const JOB: &str = "repo:acme@100001/dns-failover@200002:ref:refs/heads/main";

/// The verdict for the job of the fixture, and the subjects of the attackers.
fn word(document: &PolicyDocument) -> Option<(&'static str, Vec<String>)> {
    let found = verdict(document, &repository("immutable"))?;
    let subjects = found.attackers.iter();
    let subjects = subjects.map(|attack| attack.claims.subject().to_owned());
    Some((found.verdict.word(), subjects.collect()))
}

/// Whether the prover has a request that the policy allows and the job does not need.
fn is_refuted(document: &PolicyDocument) -> Option<bool> {
    let job = intended(&repository("immutable"), PROVIDER, Some(OIDC_AUDIENCE)).to_string();
    let job = tree("job.json", &job).ok()?;
    let job = PolicyDocument::read(job, Some(PolicyKind::Trust), None);
    let side = |document| Side {
        policies: vec![NamedPolicy {
            name: "policy",
            document,
        }],
    };
    let question = Question {
        granted: vec![side(document)],
        not_granted: vec![side(&job)],
        realm: Realm::Sent,
        principal: None,
        home: None,
        aside: Vec::new(),
    };
    Some(!ask(&question, Bounds::default()).witnesses.is_empty())
}

#[test]
fn what_an_environment_of_a_stranger_forges_is_too_broad() {
    for pattern in [
        "repo:*@100001/*@200002:ref:refs/heads/main",
        "repo:*acme@100001/dns-failover@200002:ref:refs/heads/main",
        "*@200002:ref:refs/heads/main",
    ] {
        let document = trusting(&[("Allow", &like(pattern))]).unwrap();
        let (verdict, subjects) = word(&document).unwrap();
        assert_eq!(verdict, "too_broad", "{pattern}");
        let forged = |subject: &String| subject.contains("mallory") || !subject.contains("repo:");
        assert!(subjects.iter().any(forged), "{pattern}: {subjects:?}");
    }
}

#[test]
fn what_a_deny_narrows_is_safe_and_has_no_finding() {
    let deny = format!(r#"{{"StringNotEquals": {{"@:sub": "{JOB}"}}}}"#);
    let allow = like("repo:acme@100001/dns-failover@200002:*");
    let document = trusting(&[("Allow", &allow), ("Deny", &deny)]).unwrap();
    assert_eq!(word(&document).unwrap().0, "safe");
    assert_eq!(is_refuted(&document), Some(false));
}

#[test]
fn what_the_token_carries_in_a_claim_that_is_not_known_leaves_it_open() {
    for (claim, expected) in [
        ("workflow", "unresolved"),
        ("actor_id", "unresolved"),
        ("enterprise_id", "unresolved"),
        ("ref", "never_matches"),
    ] {
        let conditions = format!(
            r#"{{"StringEquals": {{"@:aud": "sts.amazonaws.com", "@:sub": "{JOB}", "@:{claim}": "5"}}}}"#
        );
        let document = trusting(&[("Allow", &conditions)]).unwrap();
        assert_eq!(word(&document).unwrap().0, expected, "{claim}");
        let outcome = judged(&conditions, Some(repository("immutable")));
        let told = outcome.findings.len() + outcome.undecided.len();
        assert_eq!(told, 1, "{claim}: {outcome:?}");
    }
}

#[test]
fn what_keeps_the_job_out_is_an_error_whatever_it_is() {
    let conditions = format!(
        r#"{{"StringEquals": {{"@:sub": "{JOB}", "@:aud": "sts.amazonaws.com", "aws:PrincipalOrgID": "o-1"}}}}"#
    );
    let outcome = judged(&conditions, Some(repository("immutable")));
    let told = |one: &pointsman::diag::Finding| one.rule == "oidc-trust-never-matches";
    assert!(outcome.findings.iter().any(told), "{outcome:?}");
}

/// What `validate trust` says of a whole policy for the job of `repository`.
fn outcome_of(policy: &str, repository: Repository) -> Outcome {
    let input = Input {
        path: "trust.json".to_owned(),
        bytes: Ok(policy.as_bytes().to_vec()),
        standing: Standing::Named,
    };
    let options = Options {
        subject: Some(Subject::Trust),
        ..Options::default()
    };
    let mut loaded = check::load(SourceMap::default(), None, vec![input], options);
    loaded.workspace.repository = Some(repository);
    check::run(loaded).outcome
}

/// What in the findings contradicts the verdict.
fn contradiction(outcome: &Outcome) -> Option<String> {
    let verdict = outcome.verdicts.first().map(|one| one.verdict);
    let worst = outcome.findings.iter().map(|one| one.severity).max();
    let holds = match verdict {
        Some("too_broad" | "never_matches" | "stale_format") => worst == Some(Severity::Error),
        Some("safe") => worst != Some(Severity::Error),
        Some("weak") => worst == Some(Severity::Warning),
        Some("unresolved") => true,
        Some(_) | None => false,
    };
    let rules: Vec<String> = outcome
        .findings
        .iter()
        .map(|one| format!("{} {:?}: {}", one.rule, one.severity, one.message))
        .collect();
    (!holds).then(|| format!("{verdict:?}: {rules:?}"))
}

#[test]
fn verdict_and_findings_follow_from_one_another_in_every_case() {
    let source = include_str!("data/oidc.json");
    let root = tree("oidc.json", source).unwrap();
    for case in root.get("cases").and_then(Node::as_list).unwrap() {
        let id = text(case, "/id").unwrap();
        let policy = source.get(case.get("trust_policy").unwrap().span().range());
        let outcome = outcome_of(
            policy.unwrap(),
            repository(text(case, "/repo_format").unwrap()),
        );
        assert_eq!(contradiction(&outcome), None, "{id}");
    }
}

/// Conditions of an Allow, and further statements, of which every pair is a policy.
const ALLOWED: [&str; 14] = [
    r#"{"StringEquals": {"@:aud": "sts.amazonaws.com", "@:sub": "JOB"}}"#,
    r#"{"StringEquals": {"@:sub": "JOB"}}"#,
    r#"{"StringEquals": {"@:aud": "sts.amazonaws.com", "@:repository_id": "200002"}}"#,
    r#"{"StringEquals": {"@:aud": "sts.amazonaws.com", "@:repository_owner_id": "100001"}}"#,
    r#"{"StringLike": {"@:job_workflow_ref": "acme/dns-failover/.github/workflows/*@refs/heads/main"}}"#,
    r#"{"StringLike": {"@:sub": "repo:acme@100001/*"}, "StringEquals": {"@:aud": "sts.amazonaws.com"}}"#,
    r#"{"StringLike": {"@:sub": "repo:acme@100001/dns-failover@200002:*"}, "StringEquals": {"@:aud": "sts.amazonaws.com", "@:ref": "refs/heads/main"}}"#,
    r#"{"StringEqualsIgnoreCase": {"@:sub": "JOB"}, "StringEquals": {"@:aud": "sts.amazonaws.com"}}"#,
    r#"{"StringNotEquals": {"@:sub": "JOB"}, "StringEquals": {"@:aud": "sts.amazonaws.com"}}"#,
    r#"{"StringEquals": {"@:aud": "sts.amazonaws.com", "@:sub": ["JOB", "repo:acme/dns-failover:ref:refs/heads/main"]}}"#,
    r#"{"StringEquals": {"@:aud": "sts.amazonaws.com", "@:sub": "repo:acme/dns-failover:ref:refs/heads/main"}}"#,
    r#"{"StringEquals": {"@:aud": "other.example.com", "@:sub": "JOB"}}"#,
    r#"{"StringEquals": {"@:aud": "sts.amazonaws.com", "@:sub": "JOB", "@:ref": "refs/heads/x"}}"#,
    r#"{"StringEquals": {"@:aud": "sts.amazonaws.com"}}"#,
];

/// Of how many pairs each repository meets one.
const STEP: usize = 5;

const BESIDE: [&str; 7] = [
    "",
    r#", {"Effect": "Deny", "Principal": "*", "Action": "sts:*"}"#,
    r#", {"Effect": "Deny", "Principal": "*", "Action": "sts:AssumeRoleWithWebIdentity", "Condition": {"StringNotEquals": {"@:sub": "JOB"}}}"#,
    r#", {"Effect": "Deny", "Principal": {"Federated": "PROVIDER"}, "Action": "sts:AssumeRoleWithWebIdentity", "Condition": {"StringNotEquals": {"@:ref": "refs/heads/main"}}}"#,
    r#", {"Effect": "Deny", "Principal": "*", "Action": "sts:AssumeRoleWithWebIdentity", "Condition": {"StringNotEquals": {"@:repository_id": "200002"}}}"#,
    r#", {"Effect": "Allow", "Principal": {"Federated": "PROVIDER"}, "Action": "sts:AssumeRoleWithWebIdentity", "Condition": {"StringLike": {"@:sub": "repo:acme*"}}}"#,
    r#", {"Effect": "Allow", "Principal": {"AWS": "arn:aws:iam::210987654321:root"}, "Action": "sts:AssumeRole"}"#,
];

#[test]
fn verdict_and_findings_follow_from_one_another_in_every_mutation() {
    let mut repositories: Vec<Repository> = ["immutable", "classic", "immutable-env"]
        .map(repository)
        .into();
    repositories.push(Repository {
        subject_claims: vec!["repository_owner".to_owned(), "repository_id".to_owned()],
        ..repository("classic")
    });
    repositories.push(Repository {
        subject_claims: vec!["repository_owner".to_owned()],
        ..repository("classic")
    });
    let mut wrong = Vec::new();
    for (place, repository) in repositories.into_iter().enumerate() {
        let job = repository.subject().to_string();
        let pairs = ALLOWED
            .iter()
            .flat_map(|one| BESIDE.map(|other| (one, other)));
        // Not all, for the time that it takes: each statement meets each other one with some repository.
        for (number, (allowed, beside)) in pairs.enumerate().skip(place).step_by(STEP) {
            let action = match number % 9 {
                0 => "sts:AssumeRole",
                1 => "sts:*",
                _ => "sts:AssumeRoleWithWebIdentity",
            };
            let policy = format!(
                r#"{{"Version": "2012-10-17", "Statement": [{{"Effect": "Allow", "Principal": {{"Federated": "PROVIDER"}}, "Action": "{action}", "Condition": {allowed}}}{beside}]}}"#
            );
            let policy = policy
                .replace("@:", &format!("{OIDC_ISSUER}:"))
                .replace("JOB", &job)
                .replace("PROVIDER", PROVIDER);
            let outcome = outcome_of(&policy, repository.clone());
            let found = contradiction(&outcome);
            wrong.extend(found.map(|found| format!("{job} {action} {allowed} {beside}: {found}")));
        }
    }
    let shown: Vec<&str> = wrong.iter().map(String::as_str).take(20).collect();
    assert!(wrong.is_empty(), "{}: {}", wrong.len(), shown.join("\n"));
}

#[test]
fn a_claim_beside_the_subject_is_told_with_a_token_and_another_account_too() {
    let workflow =
        r#"{"StringLike": {"@:job_workflow_ref": "acme/dns-failover/.github/workflows/*"}}"#;
    let outcome = judged(workflow, Some(repository("immutable")));
    let missing = outcome
        .findings
        .iter()
        .find(|one| one.rule == "oidc-sub-missing");
    let message = &missing.unwrap().message;
    assert!(!message.contains("any repository on GitHub"), "{message}");
    assert!(
        message.contains("is let in with the subject `"),
        "{message}"
    );
    let beside = r#"{"Version": "2012-10-17", "Statement": [
        {"Effect": "Allow", "Principal": {"Federated": "PROVIDER"}, "Action": "sts:AssumeRoleWithWebIdentity",
         "Condition": {"StringEquals": {"@:aud": "sts.amazonaws.com", "@:sub": "JOB"}}},
        {"Effect": "Allow", "Principal": {"AWS": ["210987654321", "arn:aws:iam::123456789012:role/ops"]}, "Action": "sts:AssumeRole"}]}"#;
    let beside = beside
        .replace("@:", &format!("{OIDC_ISSUER}:"))
        .replace("JOB", JOB)
        .replace("PROVIDER", PROVIDER);
    let outcome = outcome_of(&beside, repository("immutable"));
    let told = outcome
        .findings
        .iter()
        .filter(|one| one.rule == "oidc-account-beside");
    assert_eq!(told.count(), 1, "{outcome:?}");
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(64))]

    #[test]
    fn a_safe_policy_is_never_refuted(
        patterns in proptest::collection::vec("(repo:)?(acme|\\*|a\\?me)(@100001|@\\*)?/(dns-failover|\\*)(@200002|@\\*)?(:ref:refs/heads/main|:\\*|\\*main|:environment:x)", 0..2),
        own in proptest::bool::ANY,
        denied in proptest::option::of("(acme|\\*)(@100001)?/\\*"),
    ) {
        let mut values = patterns;
        if own {
            values.push(JOB.to_owned());
        }
        let values = values.join("\", \"");
        let allow = format!(
            r#"{{"StringEquals": {{"@:aud": "sts.amazonaws.com"}}, "StringLike": {{"@:sub": ["{values}"]}}}}"#
        );
        let deny = denied.map(|pattern| format!(
            r#"{{"StringNotLike": {{"@:sub": "repo:{pattern}:ref:refs/heads/main"}}}}"#
        ));
        let mut statements = vec![("Allow", allow.as_str())];
        statements.extend(deny.iter().map(|deny| ("Deny", deny.as_str())));
        let document = trusting(&statements);
        proptest::prop_assert!(document.is_some());
        if let Some(document) = document
            && let Some(("safe", _)) = word(&document)
        {
            proptest::prop_assert_eq!(is_refuted(&document), Some(false), "{}", allow);
        }
    }
}

/// A statement for GitHub's tokens with this subject, and with more conditions.
fn for_subject(subject: &str, more: &str) -> String {
    let issuer = OIDC_ISSUER;
    format!(
        r#"{{"Effect":"Allow","Principal":{{"Federated":"{PROVIDER}"}},"Action":"sts:AssumeRoleWithWebIdentity",
        "Condition":{{"StringEquals":{{"{issuer}:aud":"sts.amazonaws.com"}},"StringLike":{{"{issuer}:sub":"{subject}"}}{more}}}}}"#
    )
}

/// The verdict on these statements on a day of 2026, and the statement that it blames.
fn on_a_day(statements: &[String]) -> (&'static str, usize) {
    let text = format!(
        r#"{{"Version":"2012-10-17","Statement":[{}]}}"#,
        statements.join(",")
    );
    let root = tree("trust.json", &text).unwrap();
    let document = PolicyDocument::read(root, Some(PolicyKind::Trust), None);
    let job = Repository {
        day: Day::parse("2026-06-15"),
        ..repository("immutable")
    };
    let outcome = outcome_of(&text, job.clone());
    assert_eq!(contradiction(&outcome), None, "{text}");
    let found = verdict(&document, &job).unwrap();
    (found.verdict.word(), found.lets_in)
}

const OWN: &str = "repo:acme@100001/dns-failover@200002:ref:refs/heads/main";

#[test]
fn what_comes_beside_the_token_is_judged_as_every_call_carries_it() {
    for (subject, more, expected) in [
        (OWN, r#","Bool":{"aws:SecureTransport":"true"}"#, "safe"),
        (
            OWN,
            r#","Bool":{"aws:SecureTransport":"false"}"#,
            "never_matches",
        ),
        (
            OWN,
            r#","DateGreaterThan":{"aws:CurrentTime":"2026-01-01T00:00:00Z"}"#,
            "safe",
        ),
        (
            OWN,
            r#","DateLessThan":{"aws:CurrentTime":"2026-01-01T00:00:00Z"}"#,
            "never_matches",
        ),
        (
            OWN,
            r#","NumericLessThan":{"aws:EpochTime":"1767225600"}"#,
            "never_matches",
        ),
        (
            OWN,
            r#","IpAddress":{"aws:SourceIp":"198.51.100.0/24"}"#,
            "unresolved",
        ),
        (
            OWN,
            r#","StringEqualsIfExists":{"sts:RoleSessionName":"failover"}"#,
            "unresolved",
        ),
        (
            OWN,
            r#","StringLikeIfExists":{"sts:RoleSessionName":"*"}"#,
            "safe",
        ),
        (OWN, r#","Null":{"sts:RoleSessionName":"false"}"#, "safe"),
        (
            OWN,
            r#","Null":{"aws:PrincipalOrgID":"false"}"#,
            "never_matches",
        ),
        (
            "repo:acme@100001/*",
            r#","Bool":{"aws:SecureTransport":"true"}"#,
            "too_broad",
        ),
        (
            "repo:acme@100001/*",
            r#","StringLikeIfExists":{"sts:RoleSessionName":"failover-*"}"#,
            "too_broad",
        ),
        (
            "repo:acme@100001/*",
            r#","StringEqualsIfExists":{"aws:RequestedRegion":"eu-west-1"}"#,
            "too_broad",
        ),
        // Who is at such an address is not known.
        (
            "repo:acme@100001/*",
            r#","IpAddress":{"aws:SourceIp":"198.51.100.0/24"}"#,
            "unresolved",
        ),
    ] {
        let found = on_a_day(&[for_subject(subject, more)]);
        assert_eq!(found.0, expected, "{subject} {more}");
    }
}

#[test]
fn a_claim_that_an_attacker_chooses_hides_no_attack() {
    let asks = |claim: &str, value: &str| {
        format!(r#","StringEqualsIfExists":{{"{OIDC_ISSUER}:{claim}":"{value}"}}"#)
    };
    for (subject, claim, value, expected) in [
        ("repo:*", "workflow", "deploy", "too_broad"),
        ("repo:acme@100001/*", "workflow", "deploy", "too_broad"),
        (
            "repo:acme@100001/dns-failover@200002:*",
            "actor",
            "ada",
            "too_broad",
        ),
        ("repo:acme@100001/*", "enterprise_id", "77", "too_broad"),
        // The subject is the job's own.
        (OWN, "repository_id", "200002", "safe"),
    ] {
        let found = on_a_day(&[for_subject(subject, &asks(claim, value))]);
        assert_eq!(found.0, expected, "{subject} {claim}");
    }
}

#[test]
fn another_way_into_the_role_is_part_of_the_verdict() {
    let other = |principal: &str, action: &str, more: &str| {
        format!(r#"{{"Effect":"Allow","Principal":{principal},"Action":"sts:{action}"{more}}}"#)
    };
    let saml = r#"{"Federated":"arn:aws:iam::123456789012:saml-provider/staff"}"#;
    let asked =
        r#","Condition":{"StringEquals":{"SAML:aud":"https://signin.aws.amazon.com/saml"}}"#;
    for (way, expected) in [
        (
            other(
                r#"{"Federated":"cognito-identity.amazonaws.com"}"#,
                "AssumeRoleWithWebIdentity",
                "",
            ),
            "too_broad",
        ),
        (
            other(
                r#"{"Federated":"arn:aws:iam::123456789012:oidc-provider/gitlab.example.com"}"#,
                "AssumeRoleWithWebIdentity",
                "",
            ),
            "too_broad",
        ),
        (other(r#"{"AWS":"*"}"#, "AssumeRole", ""), "too_broad"),
        (
            other(
                r#"{"AWS":"arn:aws:iam::210987654321:root"}"#,
                "AssumeRole",
                "",
            ),
            "weak",
        ),
        (other(saml, "AssumeRoleWithSAML", asked), "weak"),
        // The role's own account decides by its own policies, and an action that gets no role lets nobody in.
        (
            other(
                r#"{"AWS":"arn:aws:iam::123456789012:root"}"#,
                "AssumeRole",
                "",
            ),
            "safe",
        ),
        (
            other(
                r#"{"AWS":"arn:aws:iam::210987654321:root"}"#,
                "TagSession",
                "",
            ),
            "safe",
        ),
    ] {
        let found = on_a_day(&[for_subject(OWN, ""), way.clone()]);
        assert_eq!(found.0, expected, "{way}");
        assert!(expected == "safe" || found.1 == 1, "{way}");
    }
}
