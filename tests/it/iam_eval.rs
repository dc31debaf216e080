//! Every case of `data/iam_eval.json` decided as AWS documents it.

use anyhow::{Context as _, Result};
use pointsman::iam::cases::{self, Case, PolicySource};
use pointsman::iam::{Compiled, NamedPolicy, Policies};
use pointsman::model::policy::{PolicyDocument, PolicyKind};
use pointsman::syntax::{Node, json};
use pointsman::text::SourceMap;

/// Cases that come out otherwise; each with its reason. None.
const OTHERWISE: [(&str, &str); 0] = [];

/// Reads a JSON file of `tests/it/data`.
pub(crate) fn tree(name: &str, text: &str) -> Result<Node> {
    let mut sources = SourceMap::default();
    let file = sources.add(name, text);
    let text = sources.text(file).context("the text")?;
    let mut parsed = json::read(&text);
    anyhow::ensure!(parsed.faults.is_empty(), "{:?}", parsed.faults);
    parsed.documents.pop().context("a document")
}

/// The documents of a case, layer by layer.
struct Documents {
    identity: Vec<PolicyDocument>,
    resource: Option<PolicyDocument>,
    boundary: Option<Vec<PolicyDocument>>,
    scps: Vec<Vec<PolicyDocument>>,
    rcps: Vec<Vec<PolicyDocument>>,
    session: Option<PolicyDocument>,
}

fn document(source: &PolicySource, kind: PolicyKind) -> Result<PolicyDocument> {
    match source {
        PolicySource::Inline(node) => Ok(PolicyDocument::read(node.clone(), Some(kind), None)),
        PolicySource::Path(path) => anyhow::bail!("`{}` is a path", path.as_str()),
    }
}

fn documents(list: &[PolicySource], kind: PolicyKind) -> Result<Vec<PolicyDocument>> {
    list.iter().map(|source| document(source, kind)).collect()
}

impl Documents {
    fn of(case: &Case) -> Result<Self> {
        let policies = &case.policies;
        let levels = |levels: &[Vec<PolicySource>], kind| -> Result<Vec<Vec<PolicyDocument>>> {
            levels.iter().map(|level| documents(level, kind)).collect()
        };
        let one = |source: &Option<PolicySource>, kind| {
            source
                .as_ref()
                .map(|source| document(source, kind))
                .transpose()
        };
        Ok(Self {
            identity: documents(&policies.identity, PolicyKind::Identity)?,
            resource: one(&policies.resource, PolicyKind::Resource)?,
            boundary: policies
                .permissions_boundary
                .as_deref()
                .map(|list| documents(list, PolicyKind::Boundary))
                .transpose()?,
            scps: levels(&policies.scps, PolicyKind::Scp)?,
            rcps: levels(&policies.rcps, PolicyKind::Rcp)?,
            session: one(&policies.session, PolicyKind::Session)?,
        })
    }

    fn policies(&self) -> Policies<'_> {
        fn named(document: &PolicyDocument) -> NamedPolicy<'_> {
            NamedPolicy {
                name: "policy",
                document,
            }
        }
        fn list(documents: &[PolicyDocument]) -> Vec<NamedPolicy<'_>> {
            documents.iter().map(named).collect()
        }
        Policies {
            identity: list(&self.identity),
            resource: self.resource.as_ref().map(named),
            permissions_boundary: self.boundary.as_deref().map(list),
            scps: self.scps.iter().map(|level| list(level)).collect(),
            rcps: self.rcps.iter().map(|level| list(level)).collect(),
            session: self.session.as_ref().map(named),
        }
    }
}

#[test]
fn every_case_is_decided_as_documented() {
    let root = tree("iam_eval.json", include_str!("data/iam_eval.json")).unwrap();
    let (cases, faults) = cases::read(&root);
    assert_eq!(faults, []);
    assert_eq!(cases.len(), 273);
    let mut wrong = Vec::new();
    for (case, node) in cases.iter().zip(root.as_list().unwrap()) {
        if node.get("certainty").and_then(Node::as_str) == Some("documents conflict") {
            continue;
        }
        let documents = Documents::of(case).unwrap();
        let compiled = Compiled::new(&documents.policies());
        let decision = compiled.evaluate(&case.request);
        let open = !decision.undecided.is_empty();
        assert_eq!(
            compiled.decide(&case.request),
            (!open).then_some(decision.word)
        );
        if open || decision.word != case.expected {
            wrong.push(format!(
                "{}: {:?}, not {:?}",
                case.id.as_str(),
                decision,
                case.expected
            ));
        }
        assert!(!decision.why.is_empty(), "{}", case.id.as_str());
    }
    assert_eq!(wrong.len(), OTHERWISE.len(), "{}", wrong.join("\n"));
}
