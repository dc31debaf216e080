//! `pointsman prove`: what policies allow, over all requests.

mod case_file;

use std::io::Write;

use serde_json::{Value, json};

use crate::app::{AppError, Exit, SpecChoice};
use crate::generate::{change_records, read_zone, trust};
use crate::iam::prove::{Answer, Bounds, Grant, Question, Realm, Side, Witness, ask, closed_form};
use crate::iam::trust::intended;
use crate::iam::{Compiled, NamedPolicy, Policies, Word};
use crate::model::policy::{PolicyDocument, PolicyKind};
use crate::model::spec::Spec;
use crate::model::trust::{Repository, issuer_of};
use crate::ports::Files;
use crate::report::{Claim, CounterExample, Format, Proof, Standing, render_proof, request_json};
use crate::syntax::json as json_reader;
use crate::text::SourceMap;

use super::spec;
use case_file::CaseFile;

/// What is to be proved.
#[derive(Debug, Clone)]
pub enum Theorem {
    /// The role's policies and its trust allow what the spec needs, no more and no less.
    Spec(SpecChoice),
    /// The second policy allows nothing that the first does not.
    NoNewAccess {
        /// The old policy's path.
        old: String,
        /// The new one's.
        new: String,
    },
    /// Two policies allow the same.
    Equivalent(String, String),
    /// The policy allows none of these actions on these resources.
    AccessNotGranted {
        /// The policy's path.
        policy: String,
        /// Patterns of actions.
        actions: Vec<String>,
        /// Patterns of resources; empty for all.
        resources: Vec<String>,
    },
    /// What the policies allow, in closed form.
    Allows(Vec<String>),
    /// The trust policy lets in the job of this repository and nobody else; without a repository and a spec, and for a
    /// policy that names no provider of GitHub's tokens: whom it lets in, in closed form.
    Trust {
        /// The policy's path.
        policy: String,
        /// Whose job.
        repository: Option<Box<Repository>>,
        /// Where the spec is, when no repository is given.
        spec: SpecChoice,
    },
}

/// What is asked for.
#[derive(Debug, Clone)]
pub struct Request {
    /// The theorem.
    pub theorem: Theorem,
    /// What requests are taken to look like.
    pub realm: Realm,
    /// Where the counterexamples go as simulation cases.
    pub cases_out: Option<String>,
    /// The form of the output.
    pub format: Format,
}

/// Proves or refutes, and writes what came of it to `out`.
///
/// # Errors
/// When a policy does not exist or is none, the spec is wrong, or `out` cannot be written to.
pub fn run(request: &Request, files: &dyn Files, out: &mut dyn Write) -> Result<Exit, AppError> {
    let case_file = request.cases_out.as_deref().map(CaseFile::at).transpose()?;
    let mut desk = Desk {
        files,
        realm: request.realm,
        proof: Proof {
            assumptions: request.realm.assumptions().to_vec(),
            ..Proof::default()
        },
        cases: Vec::new(),
        count: 0,
    };
    match &request.theorem {
        Theorem::Spec(choice) => {
            let Some(spec) = spec::require(choice, files, request.format, out)? else {
                return Ok(Exit::Usage);
            };
            desk.spec(&spec, &choice.folder())?;
        }
        Theorem::NoNewAccess { old, new } => {
            let (old, new) = (desk.policy(old)?, desk.policy(new)?);
            desk.no_more(&[&new], &[&old]);
            desk.rights(&[&new]);
        }
        Theorem::Allows(paths) => {
            for path in paths {
                let policy = desk.policy(path)?;
                desk.rights(&[&policy]);
            }
        }
        Theorem::Equivalent(one, other) => {
            let (one, other) = (desk.policy(one)?, desk.policy(other)?);
            desk.no_more(&[&one], &[&other]);
            desk.no_more(&[&other], &[&one]);
        }
        Theorem::AccessNotGranted {
            policy,
            actions,
            resources,
        } => {
            let policy = desk.policy(policy)?;
            desk.not_granted(&policy, actions, resources)?;
        }
        Theorem::Trust {
            policy,
            repository,
            spec: choice,
        } => {
            let policy = desk.policy(policy)?;
            let found = match repository {
                Some(_) => spec::Found::Absent,
                None => spec::find(choice, files, request.format, out)?,
            };
            if matches!(found, spec::Found::Wrong) {
                return Ok(Exit::Usage);
            }
            desk.trust_theorem(&policy, repository.as_deref(), &found)?;
        }
    }
    desk.finish(case_file.as_ref(), request.format, out)
}

/// A document and the name that it is told by.
struct Named {
    name: String,
    document: PolicyDocument,
    /// Where it can be read again, for cases.
    source: Value,
}

struct Desk<'a> {
    files: &'a dyn Files,
    realm: Realm,
    proof: Proof,
    cases: Vec<Value>,
    /// How many counterexamples there are.
    count: usize,
}

impl Desk<'_> {
    fn policy(&self, path: &str) -> Result<Named, AppError> {
        let wrong = |reason: String| {
            AppError::usage(
                format!("`{path}` is no policy: {reason}"),
                "give a JSON file with one policy document; `pointsman validate policy FILE` says more",
            )
        };
        let text =
            String::from_utf8(self.files.read(path)?).map_err(|error| wrong(error.to_string()))?;
        let document = read(path, text, None).map_err(wrong)?;
        Ok(Named {
            name: path.to_owned(),
            document,
            source: json!(path),
        })
    }

    /// `new` allows nothing that `old` does not.
    fn no_more(&mut self, new: &[&Named], old: &[&Named]) {
        let text = format!("{} allows nothing that {} does not", names(new), names(old));
        let answer = ask(
            &Question {
                granted: vec![side(new)],
                not_granted: vec![side(old)],
                realm: self.realm,
                principal: None,
            },
            Bounds::default(),
        );
        self.settle(text, answer, new, old);
    }

    fn not_granted(
        &mut self,
        policy: &Named,
        actions: &[String],
        resources: &[String],
    ) -> Result<(), AppError> {
        let all = ["*".to_owned()];
        let resources = if resources.is_empty() {
            &all[..]
        } else {
            resources
        };
        let unwanted = made(
            "the access in question",
            &json!({
                "Version": "2008-10-17",
                "Statement": [{ "Effect": "Allow", "Action": actions, "Resource": resources }],
            }),
            PolicyKind::Identity,
        )?;
        let text = format!("{} grants none of {}", policy.name, quoted(actions));
        let answer = ask(
            &Question {
                granted: vec![side(&[policy]), side(&[&unwanted])],
                not_granted: Vec::new(),
                realm: self.realm,
                principal: None,
            },
            Bounds::default(),
        );
        self.settle(text, answer, &[policy], &[]);
        Ok(())
    }

    fn spec(&mut self, spec: &Spec, folder: &str) -> Result<(), AppError> {
        let file = |path: String| format!("{folder}{path}");
        let change = self.policy(&file(spec.change_policy_path()))?;
        let read = self.policy(&file(spec.read_policy_path()))?;
        let need = made("the spec", &change_records(spec), PolicyKind::Identity)?;
        let reads = made("the spec", &read_zone(spec), PolicyKind::Identity)?;
        self.no_more(&[&change, &read], &[&need, &reads]);
        self.no_more(&[&need, &reads], &[&change, &read]);
        let committed = self.policy(&file(spec.trust_policy_path()))?;
        let needed = made(
            "the spec",
            &trust(spec, &json!(spec.oidc_provider_arn())),
            PolicyKind::Trust,
        )?;
        self.no_more(&[&committed], &[&needed]);
        self.no_more(&[&needed], &[&committed]);
        self.rights(&[&change, &read, &committed]);
        Ok(())
    }

    /// Without a repository and a spec, whom the policy lets in is told, and nothing is claimed.
    fn trust_theorem(
        &mut self,
        policy: &Named,
        repository: Option<&Repository>,
        found: &spec::Found,
    ) -> Result<(), AppError> {
        match (repository, found) {
            (Some(repository), _) => self.trust(policy, repository),
            (None, spec::Found::Read(spec, _)) => {
                self.trust_of_spec(policy, &Repository::of_spec(spec))
            }
            (None, _) => {
                self.rights(&[policy]);
                Ok(())
            }
        }
    }

    /// Whether a trust policy lets in the spec's job alone, where it is for GitHub's tokens at all; whom else it lets in
    /// is told, and nothing is proved.
    fn trust_of_spec(&mut self, policy: &Named, repository: &Repository) -> Result<(), AppError> {
        if named_provider(&policy.document).is_some() {
            return self.trust(policy, repository);
        }
        self.proof.claims.push(Claim {
            text: format!(
                "{} lets in the job of the spec's repository alone",
                policy.name
            ),
            standing: Standing::Undecided,
            witnesses: Vec::new(),
            open: vec![
                "it names no provider of GitHub's tokens; whom it lets in stands below".to_owned(),
            ],
            kinds: 0,
        });
        self.rights(&[policy]);
        Ok(())
    }

    fn trust(&mut self, policy: &Named, repository: &Repository) -> Result<(), AppError> {
        let provider = repository.provider.clone();
        let provider = provider.or_else(|| named_provider(&policy.document));
        let Some(provider) = provider else {
            return Err(AppError::usage(
                format!("`{}` names no provider of GitHub's tokens", policy.name),
                "a trust policy for GitHub has a `Federated` principal such as `arn:aws:iam::123456789012:oidc-provider/token.actions.githubusercontent.com`",
            ));
        };
        let job = made(
            "the repository's own job",
            &intended(repository, &provider),
            PolicyKind::Trust,
        )?;
        self.no_more(&[policy], &[&job]);
        self.rights(&[policy]);
        Ok(())
    }

    fn settle(&mut self, text: String, answer: Answer, allowing: &[&Named], other: &[&Named]) {
        let standing = match (answer.witnesses.is_empty(), answer.open.is_empty()) {
            (false, _) => Standing::Refuted,
            (true, true) => Standing::Proved,
            (true, false) => Standing::Undecided,
        };
        for witness in &answer.witnesses {
            self.count += 1;
            let id = format!("counterexample-{}", self.count);
            self.cases.push(case(&id, witness, allowing, Word::Allowed));
            if let Some(word) = decided(witness, other) {
                self.cases
                    .push(case(&format!("{id}-otherwise"), witness, other, word));
            }
        }
        self.proof.claims.push(Claim {
            text,
            standing,
            witnesses: answer
                .witnesses
                .into_iter()
                .map(|one| told(one, other))
                .collect(),
            open: answer.open,
            kinds: answer.kinds,
        });
    }

    fn rights(&mut self, policies: &[&Named]) {
        self.proof.rights.extend(closed_form(&side(policies)));
    }

    fn finish(
        self,
        case_file: Option<&CaseFile<'_>>,
        format: Format,
        out: &mut dyn Write,
    ) -> Result<Exit, AppError> {
        if let Some(file) = case_file {
            let text = file.text(&self.cases);
            self.files.write_atomically(file.path, text.as_bytes())?;
        }
        render_proof(format, &self.proof, out)?;
        let any = |standing| {
            self.proof
                .claims
                .iter()
                .any(|claim| claim.standing == standing)
        };
        Ok(if any(Standing::Refuted) {
            Exit::Findings
        } else if any(Standing::Undecided) || self.proof.rights.iter().any(Grant::is_open) {
            Exit::Unread
        } else {
            Exit::Clean
        })
    }
}

fn read(name: &str, text: String, kind: Option<PolicyKind>) -> Result<PolicyDocument, String> {
    let mut sources = SourceMap::default();
    let file = sources.add(name, text);
    let text = sources.text(file).ok_or("it is empty")?;
    let mut parsed = json_reader::read(&text);
    if let Some(fault) = parsed.faults.first() {
        return Err(fault.reason.clone());
    }
    let root = parsed.documents.pop().ok_or("it is empty")?;
    if !PolicyDocument::recognises(&root) {
        return Err("it has no `Statement`".to_owned());
    }
    Ok(PolicyDocument::read(root, kind, None))
}

fn made(name: &str, value: &Value, kind: PolicyKind) -> Result<Named, AppError> {
    let document = read(name, value.to_string(), Some(kind))
        .map_err(|reason| AppError::usage(format!("{name}: {reason}"), "give other patterns"))?;
    Ok(Named {
        name: name.to_owned(),
        document,
        source: value.clone(),
    })
}

fn side<'a>(policies: &[&'a Named]) -> Side<'a> {
    let named = |policy: &&'a Named| NamedPolicy {
        name: &policy.name,
        document: &policy.document,
    };
    Side {
        policies: policies.iter().map(named).collect(),
    }
}

fn names(policies: &[&Named]) -> String {
    let mut names: Vec<&str> = policies.iter().map(|policy| policy.name.as_str()).collect();
    names.dedup();
    names.join(" with ")
}

fn quoted(texts: &[String]) -> String {
    let quoted: Vec<String> = texts
        .iter()
        .map(|text| format!("`{}`", text.escape_debug()))
        .collect();
    quoted.join(", ")
}

fn named_provider(document: &PolicyDocument) -> Option<String> {
    let principals = document
        .statements
        .iter()
        .filter_map(|statement| statement.principals.as_ref());
    let mut entries = principals.flat_map(|principals| principals.entries.iter());
    let provider = entries.find(|entry| issuer_of(entry.value.text.as_str()).is_some())?;
    Some(provider.value.text.as_str().to_owned())
}

/// The policies of a side, as the evaluator takes them.
fn decider(policies: &[&Named]) -> Compiled {
    let resource = policies
        .iter()
        .find(|policy| policy.document.kind.has_principals());
    Compiled::new(&Policies {
        identity: match resource {
            Some(_) => Vec::new(),
            None => side(policies).policies,
        },
        resource: resource.map(|policy| NamedPolicy {
            name: &policy.name,
            document: &policy.document,
        }),
        ..Policies::default()
    })
}

/// What the other side decides; `None` where there is none, or where it cannot be known.
fn decided(witness: &Witness, other: &[&Named]) -> Option<Word> {
    if other.is_empty() {
        return None;
    }
    decider(other).decide(&witness.request)
}

/// A witness, with the other side's reasons.
fn told(witness: Witness, other: &[&Named]) -> CounterExample {
    let denied = if other.is_empty() {
        Vec::new()
    } else {
        decider(other).evaluate(&witness.request).why
    };
    CounterExample {
        known_action: witness.known_action,
        allowed_by: witness.allowed_by,
        request: witness.request,
        denied,
    }
}

/// A witness as a case of `simulate`: how the policies decide.
fn case(id: &str, witness: &Witness, policies: &[&Named], word: Word) -> Value {
    let sources: Vec<&Value> = policies.iter().map(|policy| &policy.source).collect();
    let trust = policies
        .iter()
        .any(|policy| policy.document.kind.has_principals());
    let policies = if trust {
        json!({ "identity": [], "resource": sources.first() })
    } else {
        json!({ "identity": sources })
    };
    json!({
        "id": id,
        "policies": policies,
        "request": request_json(&witness.request),
        "expected": { "decision": word.word() },
    })
}
