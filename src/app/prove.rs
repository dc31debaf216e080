//! `pointsman prove`: what policies allow, over all requests.

mod asked;
mod case_file;
mod documents;
mod trust;
mod witnesses;

use std::io::Write;

use serde_json::{Value, json};

use crate::app::{AppError, Exit, SpecChoice};
use crate::generate::{change_records, read_zone, trust as trust_policy};
use crate::iam::Word;
use crate::iam::catalog;
use crate::iam::prove::{Answer, Bounds, Grant, Question, Realm, Side, ask, closed_form, needed};
use crate::model::policy::{BaseOperator, PolicyKind};
use crate::model::spec::Spec;
use crate::model::trust::Repository;
use crate::ports::Files;
use crate::report::{CasesFile, Claim, Format, Proof, Standing, render_proof};

use super::spec;
use case_file::CaseFile;
use documents::{Named, made, names, quoted, read, side};
use witnesses::Leave;

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
    if let Some(file) = &case_file {
        files.writable(file.path)?;
    }
    let mut desk = Desk::new(request.realm, files);
    if !desk.theorem(request, out)? {
        return Ok(Exit::Usage);
    }
    desk.finish(case_file.as_ref(), request.format, out)
}

/// What is taken for granted where a policy asks for a key with several values without a set operator (the choice
/// `list-under-plain-operator`).
const PLAIN_ON_LIST: &str = "an operator without `ForAllValues:` or `ForAnyValue:` matches no key that comes with several values; AWS does not say";

struct Desk<'a> {
    files: &'a dyn Files,
    realm: Realm,
    /// The repository whose tokens a trust policy is for.
    home: Option<Repository>,
    proof: Proof,
    cases: Vec<Value>,
    /// How many counterexamples there are.
    count: usize,
}

impl<'a> Desk<'a> {
    fn new(realm: Realm, files: &'a dyn Files) -> Self {
        Self {
            files,
            realm,
            home: None,
            proof: Proof::default(),
            cases: Vec::new(),
            count: 0,
        }
    }
}

impl Desk<'_> {
    /// Asks what is to be proved; false where the spec is wrong, which is told.
    fn theorem(&mut self, request: &Request, out: &mut dyn Write) -> Result<bool, AppError> {
        match &request.theorem {
            Theorem::Spec(choice) => {
                let Some(spec) = spec::require(choice, self.files, request.format, out)? else {
                    return Ok(false);
                };
                self.spec(&spec, &choice.folder())?;
            }
            Theorem::NoNewAccess { old, new } => {
                let (old, new) = (self.policy(old)?, self.policy(new)?);
                self.no_more(&[&new], &[&old]);
                self.rights(&[&new]);
            }
            Theorem::Allows(paths) => {
                for path in paths {
                    let policy = self.policy(path)?;
                    self.rights(&[&policy]);
                }
            }
            Theorem::Equivalent(one, other) => {
                let (one, other) = (self.policy(one)?, self.policy(other)?);
                self.no_more(&[&one], &[&other]);
                self.no_more(&[&other], &[&one]);
            }
            Theorem::AccessNotGranted {
                policy,
                actions,
                resources,
            } => {
                let policy = self.policy(policy)?;
                self.not_granted(&policy, actions, resources)?;
            }
            Theorem::Trust {
                policy,
                repository,
                spec: choice,
            } => {
                let policy = self.policy(policy)?;
                let found = match repository {
                    Some(_) => spec::Found::Absent,
                    None => spec::find(choice, self.files, request.format, out)?,
                };
                if matches!(found, spec::Found::Wrong) {
                    return Ok(false);
                }
                self.trust_theorem(&policy, repository.as_deref(), &found)?;
            }
        }
        Ok(true)
    }

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
        let answer = self.ask(vec![side(new)], vec![side(old)]);
        self.settle(text, answer, new, old);
    }

    /// The answer, with the assumptions that it needs alone.
    fn ask(&self, granted: Vec<Side<'_>>, not_granted: Vec<Side<'_>>) -> Answer {
        let question = Question {
            granted,
            not_granted,
            realm: self.realm,
            principal: None,
            home: self.home.as_ref(),
            aside: Vec::new(),
        };
        let mut answer = ask(&question, Bounds::default());
        answer.taken = needed(&question, &answer, Bounds::default());
        answer
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
        let doubts = asked::actions(actions)?;
        asked::resources(resources, actions)?;
        let unwanted = made(
            "the access in question",
            &json!({
                "Version": "2008-10-17",
                "Statement": [{ "Effect": "Allow", "Action": actions, "Resource": resources }],
            }),
            PolicyKind::Identity,
        )?;
        let text = format!("{} grants none of {}", policy.name, quoted(actions));
        let mut answer = self.ask(vec![side(&[policy]), side(&[&unwanted])], Vec::new());
        answer.open.extend(doubts);
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
        self.home = Some(Repository::of_spec(spec));
        let committed = self.policy(&file(spec.trust_policy_path()))?;
        let needed = made(
            "the spec",
            &trust_policy(spec, &json!(spec.oidc_provider_arn())),
            PolicyKind::Trust,
        )?;
        self.no_more(&[&committed], &[&needed]);
        self.no_more(&[&needed], &[&committed]);
        self.rights(&[&change, &read, &committed]);
        Ok(())
    }

    fn settle(&mut self, text: String, answer: Answer, allowing: &[&Named], other: &[&Named]) {
        let standing = match (answer.witnesses.is_empty(), answer.open.is_empty()) {
            (false, _) => Standing::Refuted,
            (true, true) => Standing::Proved,
            (true, false) => Standing::Undecided,
        };
        let mut witnesses = Vec::new();
        for mut witness in answer.witnesses {
            let id = self.next_id();
            let leave = Leave::of(&mut witness.request, allowing);
            let request = &witness.request;
            self.cases
                .push(leave.case(&id, request, allowing, Word::Allowed));
            let word = leave.decide(other, request).filter(|_| !other.is_empty());
            if let Some(word) = word {
                let id = format!("{id}-otherwise");
                self.cases.push(leave.case(&id, request, other, word));
            }
            witnesses.push(leave.told(witness, other));
        }
        for assumption in answer.taken {
            self.assume(assumption.sentence());
        }
        self.proof.claims.push(Claim {
            text,
            standing,
            witnesses,
            open: answer.open,
            kinds: answer.kinds,
        });
        let all = allowing.iter().chain(other);
        self.take_for_granted(all.copied());
    }

    fn next_id(&mut self) -> String {
        self.count += 1;
        format!("counterexample-{}", self.count)
    }

    /// Takes in what AWS leaves open of `policies`, and how it was taken.
    fn take_for_granted<'b>(&mut self, policies: impl Iterator<Item = &'b Named>) {
        let conditions = policies
            .flat_map(|policy| &policy.document.statements)
            .flat_map(|statement| &statement.conditions);
        let plain = conditions.filter(|one| {
            one.operator.is_some_and(|operator| {
                operator.quantifier.is_none() && operator.base != BaseOperator::Null
            })
        });
        let mut on_lists = plain.filter(|one| catalog::is_multi_valued(one.key.as_str()));
        if on_lists.next().is_some() {
            self.assume(PLAIN_ON_LIST);
        }
    }

    fn assume(&mut self, sentence: &'static str) {
        if !self.proof.assumptions.contains(&sentence) {
            self.proof.assumptions.push(sentence);
        }
    }

    fn rights(&mut self, policies: &[&Named]) {
        let rights = closed_form(&side(policies));
        for assumption in rights.iter().flat_map(Grant::takes_for_granted) {
            self.assume(assumption.sentence());
        }
        self.proof.rights.extend(rights);
        self.take_for_granted(policies.iter().copied());
    }

    fn finish(
        mut self,
        case_file: Option<&CaseFile<'_>>,
        format: Format,
        out: &mut dyn Write,
    ) -> Result<Exit, AppError> {
        if let Some(file) = case_file {
            if !self.cases.is_empty() {
                let text = file.text(&self.cases);
                self.files.write_atomically(file.path, text.as_bytes())?;
            }
            self.proof.cases = Some(CasesFile {
                path: file.path.to_owned(),
                count: self.cases.len(),
            });
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
