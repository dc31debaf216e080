//! Every case of `data/oidc.json`: the verdict on a trust policy, and whether the job's own token is let in.

use pointsman::check::{self, Input, Options, Standing};
use pointsman::diag::{Outcome, Severity};
use pointsman::iam::trust::verdict;
use pointsman::model::policy::{PolicyDocument, PolicyKind};
use pointsman::model::spec::SubjectFormat;
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
        workflow: Some(".github/workflows/dns-failover.yml".to_owned()),
        provider: None,
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
