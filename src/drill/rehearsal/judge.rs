//! Who decides in the rehearsal's AWS: the evaluator, by the policies as they are committed. They stand in two places, in
//! files of their own and in Terraform; a call is let through only if both places let it through, since nobody knows from
//! the files which of them was applied. An attack is let through if one place does.

use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Map, Value};

use crate::drill::{Asked, Verdict};
use crate::iam::{Compiled, ContextValue, NamedPolicy, Policies, Request, RequestPrincipal, Word};
use crate::model::policy::{PolicyDocument, PolicyKind};
use crate::model::spec::Spec;
use crate::model::trust::{ASSUME_WITH_WEB_IDENTITY, claim_keys};
use crate::rules::{Artefact, Role, Workspace};

/// A decision, with its reasons.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Decided {
    /// Who asked: the session, or the subject of a token.
    pub who: String,
    /// The action.
    pub action: String,
    /// On what.
    pub resource: String,
    /// With which values, in words.
    pub with: String,
    /// Whether it was let through.
    pub allowed: bool,
    /// Why, down to the failing value.
    pub why: Vec<String>,
}

/// One place that policies stand in.
#[derive(Debug, Clone)]
struct Place {
    name: &'static str,
    rights: Option<Compiled>,
    trust: Option<Compiled>,
}

/// The judge; clones share what it decided.
#[derive(Debug, Clone)]
pub(super) struct Judge {
    places: Vec<Place>,
    provider: String,
    /// The issuer, before each condition key.
    issuer: String,
    /// Whether AWS knows keys of other claims than `aud` and `sub` of it.
    has_claim_keys: bool,
    role: String,
    state: Arc<Mutex<State>>,
}

#[derive(Debug, Default)]
struct State {
    decided: Vec<Decided>,
    /// Whether the call is an attack, for which one place is enough.
    attacked: bool,
}

impl Judge {
    /// A judge by the policies of a workspace.
    #[must_use]
    pub(super) fn of(spec: &Spec, workspace: &Workspace) -> Self {
        let files = |artefact: &&Artefact<PolicyDocument>| artefact.model.address.is_none();
        let terraform = |artefact: &&Artefact<PolicyDocument>| {
            let module = workspace.own_module();
            let file = artefact.model.span().file;
            artefact.model.address.is_some()
                && module.is_some_and(|module| module.files.contains(&file))
        };
        let all = &workspace.policies;
        let places = [
            place("files", all.iter().filter(files)),
            place("terraform", all.iter().filter(terraform)),
        ];
        Self {
            places: places.into_iter().flatten().collect(),
            provider: spec.oidc_provider_arn(),
            issuer: spec.oidc_issuer().to_owned(),
            has_claim_keys: spec.issuer_kind().has_claim_keys(),
            role: spec.role_arn(),
            state: Arc::default(),
        }
    }

    /// What policies were found nowhere: `the role's policies`, `the trust policy`.
    #[must_use]
    pub(super) fn missing(&self) -> Vec<&'static str> {
        let mut missing = Vec::new();
        if self.places.iter().all(|place| place.rights.is_none()) {
            missing.push("the role's policies");
        }
        if self.places.iter().all(|place| place.trust.is_none()) {
            missing.push("the trust policy");
        }
        missing
    }

    /// From now on calls are attacks, or not.
    pub(super) fn attacked(&self, attacked: bool) {
        self.with(|state| state.attacked = attacked);
    }

    /// What was decided since this was last asked.
    #[must_use]
    pub(super) fn take(&self) -> Vec<Decided> {
        self.with(|state| std::mem::take(&mut state.decided))
    }

    fn with<T>(&self, look: impl FnOnce(&mut State) -> T) -> T {
        look(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Decides a call of Route 53.
    #[must_use]
    pub(super) fn call(&self, asked: &Asked) -> Verdict {
        let mut request = Request::new(asked.action, &asked.resource);
        for (key, values) in &asked.context {
            request.set(key, ContextValue::Multi(values.clone()));
        }
        let with = asked
            .context
            .iter()
            .map(|(_, values)| values.join(" "))
            .collect::<Vec<_>>()
            .join(", ");
        let rights = |place: &Place| place.rights.clone();
        let (allowed, denied) = self.decide(
            (&asked.principal, asked.action, &asked.resource, with),
            &request,
            &rights,
        );
        match (allowed, denied) {
            (true, _) => Verdict::Allowed,
            (false, true) => Verdict::ExplicitDeny,
            (false, false) => Verdict::ImplicitDeny,
        }
    }

    /// Decides whether a token with these claims borrows the role.
    #[must_use]
    pub(super) fn token(&self, role: &str, claims: &Map<String, Value>) -> bool {
        let text = |name: &str| claims.get(name).and_then(Value::as_str).unwrap_or_default();
        let subject = text("sub").to_owned();
        if role != self.role {
            self.with(|state| {
                state.decided.push(Decided {
                    who: subject,
                    action: ASSUME_WITH_WEB_IDENTITY.to_owned(),
                    resource: role.to_owned(),
                    with: String::new(),
                    allowed: false,
                    why: vec![format!(
                        "there is no role `{role}`; the spec's is `{}`",
                        self.role
                    )],
                });
            });
            return false;
        }
        let principal = RequestPrincipal::Federated(self.provider.clone());
        let mut request = Request::new(ASSUME_WITH_WEB_IDENTITY, "*").by(principal);
        let known = |claim: &&str| self.has_claim_keys || ["aud", "sub"].contains(claim);
        for claim in claim_keys().iter().copied().filter(known) {
            if let Some(value) = claims.get(claim).and_then(Value::as_str) {
                let key = format!("{}:{claim}", self.issuer);
                request.set(&key, ContextValue::Single(value.to_owned()));
            }
        }
        let trust = |place: &Place| place.trust.clone();
        let asked = (
            subject.as_str(),
            ASSUME_WITH_WEB_IDENTITY,
            role,
            String::new(),
        );
        self.decide(asked, &request, &trust).0
    }

    /// Whether it is let through, and whether a place denies it.
    fn decide(
        &self,
        (who, action, resource, with): (&str, &str, &str, String),
        request: &Request,
        policies: &dyn Fn(&Place) -> Option<Compiled>,
    ) -> (bool, bool) {
        let mut words = Vec::new();
        let mut why = Vec::new();
        for place in &self.places {
            let Some(compiled) = policies(place) else {
                continue;
            };
            let decision = compiled.evaluate(request);
            let open = decision.undecided.iter();
            let open = open.map(|open| format!("not decided: {open}"));
            let told = decision.why.iter().cloned().chain(open);
            let place = place.name;
            why.push((
                decision.word,
                told.map(|why| format!("{place}: {why}"))
                    .collect::<Vec<_>>(),
            ));
            words.push(decision.word);
        }
        if words.is_empty() {
            why.push((
                Word::ImplicitDeny,
                vec!["no policy for it is given".to_owned()],
            ));
        }
        self.with(|state| {
            let is = |word: &Word| *word == Word::Allowed;
            let allowed = if state.attacked {
                words.iter().any(is)
            } else {
                !words.is_empty() && words.iter().all(is)
            };
            // A place that agrees with the decision says why; the other one has nothing to say.
            let why = why
                .into_iter()
                .filter(|(word, _)| (*word == Word::Allowed) == allowed)
                .flat_map(|(_, why)| why)
                .collect();
            state.decided.push(Decided {
                who: who.to_owned(),
                action: action.to_owned(),
                resource: resource.to_owned(),
                with,
                allowed,
                why,
            });
            (allowed, words.contains(&Word::ExplicitDeny))
        })
    }
}

/// What stands in one place; nothing where no policy does.
fn place<'a>(
    name: &'static str,
    policies: impl Iterator<Item = &'a Artefact<PolicyDocument>>,
) -> Option<Place> {
    let mut rights = Policies::default();
    let mut trust = None;
    for artefact in policies {
        let document = &artefact.model;
        let name = document.address.as_deref().unwrap_or(match artefact.role {
            Some(Role::ChangeRecords) => "change-records.json",
            Some(Role::ReadZone) => "read-zone.json",
            Some(Role::Trust) => "trust.json",
            _ => "another policy",
        });
        let named = NamedPolicy { name, document };
        match (artefact.role, document.kind) {
            (Some(Role::Trust), _) => {
                trust = Some(named);
            }
            (Some(Role::ChangeRecords | Role::ReadZone), _) => rights.identity.push(named),
            (Some(Role::Other), PolicyKind::Identity) => rights.identity.push(named),
            _ => {}
        }
    }
    let trust = trust.map(|trust| {
        Compiled::new(&Policies {
            resource: Some(trust),
            ..Policies::default()
        })
    });
    let rights = (!rights.identity.is_empty()).then(|| Compiled::new(&rights));
    (trust.is_some() || rights.is_some()).then_some(Place {
        name,
        rights,
        trust,
    })
}
