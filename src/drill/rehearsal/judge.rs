//! Who decides in the rehearsal's AWS: the evaluator, by the policies as they are committed. They stand in two places, in
//! files of their own and in Terraform; a call is let through only if both places let it through, since nobody knows from
//! the files which of them was applied. An attack is let through if one place does.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Map, Value};

use crate::drill::{Asked, Verdict};
use crate::iam::trust::{TrustVerdict, verdict};
use crate::iam::{Compiled, Decision, Request, Word};
use crate::model::policy::route53;
use crate::model::spec::Spec;
use crate::model::trust::{ASSUME_WITH_WEB_IDENTITY, Repository};
use crate::rules::{Role, Workspace};
use crate::text::SourceMap;

use super::granted::{OwnRole, Place, places};
use super::known::{self, ASSUME_ROLE, Loan};

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
    /// Why that is not decided, if it is not; a rehearsal then goes on as if it were let through.
    pub open: Vec<String>,
    /// Why, down to the failing value.
    pub why: Vec<String>,
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
    /// What the committed workflow is called: the claim `workflow`, also of whoever attacks.
    workflow: Option<String>,
    /// The Region of STS.
    region: String,
    own: OwnRole,
    state: Arc<Mutex<State>>,
}

#[derive(Debug, Default)]
struct State {
    decided: Vec<Decided>,
    /// Whether the call is an attack, for which one place is enough.
    attacked: bool,
    /// What the policies of sessions leave of the role's rights, by the session.
    limits: BTreeMap<String, Compiled>,
}

impl Judge {
    /// A judge by the policies of a workspace.
    #[must_use]
    pub(super) fn of(spec: &Spec, workspace: &Workspace, sources: &SourceMap) -> Self {
        Self {
            places: places(spec, workspace, sources),
            provider: spec.oidc_provider_arn(),
            issuer: spec.oidc_issuer().to_owned(),
            has_claim_keys: spec.issuer_kind().has_claim_keys(),
            workflow: called(spec, workspace),
            region: spec.aws.sts_region.clone(),
            own: OwnRole::of(spec, workspace),
            state: Arc::default(),
        }
    }

    /// The role that is borrowed.
    #[must_use]
    pub(super) fn own(&self) -> &OwnRole {
        &self.own
    }

    /// What is known of whom each place's trust policy lets in, over all tokens, by the place's name.
    #[must_use]
    pub(super) fn let_in(&self, spec: &Spec) -> Vec<(&'static str, TrustVerdict)> {
        let repository = Repository {
            workflow_name: self.workflow.clone(),
            ..Repository::of_spec(spec)
        };
        let written = |place: &Place| {
            let found = verdict(place.trust_written.as_ref()?, &repository)?;
            Some((place.name, found))
        };
        self.places.iter().filter_map(written).collect()
    }

    /// Actions that statements allow and the switch does not need, as they are written, with a resource each.
    #[must_use]
    pub(super) fn allowed_beside(&self) -> Vec<(String, String)> {
        let needed = [
            route53::CHANGE_RECORDS,
            route53::LIST_RECORDS,
            route53::GET_CHANGE,
        ];
        let all = self.places.iter().flat_map(|place| &place.allows);
        let other = |(action, _): &&(String, String)| {
            !needed
                .iter()
                .any(|needed| action.eq_ignore_ascii_case(needed))
        };
        let mut beside: Vec<(String, String)> = all.filter(other).cloned().collect();
        beside.sort();
        beside.dedup();
        beside
    }

    /// From now on the session of this principal may do no more than its own policy allows.
    pub(super) fn limit(&self, principal: &str, policy: Compiled) {
        self.with(|state| state.limits.insert(principal.to_owned(), policy));
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
        self.ask(
            &asked.principal,
            asked.action,
            &asked.resource,
            &asked.context,
        )
    }

    /// Decides what the role's session may do.
    #[must_use]
    pub(super) fn ask(
        &self,
        principal: &str,
        action: &str,
        resource: &str,
        context: &[(&'static str, Vec<String>)],
    ) -> Verdict {
        let role = self.own.arn.as_deref();
        let request = known::of_session((action, resource), role, &self.provider, context);
        let with = context
            .iter()
            .map(|(_, values)| values.join(" "))
            .collect::<Vec<_>>()
            .join(", ");
        let rights = |place: &Place| place.rights.clone();
        self.decide((principal, action, resource, with), &request, &rights)
    }

    /// Decides whether a token with these claims borrows the role for a session of this name.
    #[must_use]
    pub(super) fn token(&self, role: &str, session: &str, claims: &Map<String, Value>) -> bool {
        let text = |name: &str| claims.get(name).and_then(Value::as_str).unwrap_or_default();
        let subject = text("sub").to_owned();
        if self.own.arn.as_deref() != Some(role) {
            self.with(|state| {
                state.decided.push(Decided {
                    who: subject,
                    action: ASSUME_WITH_WEB_IDENTITY.to_owned(),
                    resource: role.to_owned(),
                    with: String::new(),
                    allowed: false,
                    open: Vec::new(),
                    why: vec![format!("there is no role `{role}`: {}", self.own.told)],
                });
            });
            return false;
        }
        self.trusts(claims, session, &self.provider)
    }

    /// Decides whether the trust policy lets a token of this provider in.
    #[must_use]
    pub(super) fn trusts(
        &self,
        claims: &Map<String, Value>,
        session: &str,
        provider: &str,
    ) -> bool {
        let mut claims = claims.clone();
        if let Some(workflow) = &self.workflow {
            let workflow = || workflow.clone().into();
            claims.entry("workflow").or_insert_with(workflow);
        }
        let subject = claims.get("sub").and_then(Value::as_str);
        let subject = subject.unwrap_or_default().to_owned();
        let role = self.own.arn.clone().unwrap_or_default();
        // A provider of tokens brings condition keys of its own, and no other's.
        let issuer = match provider.split_once(":oidc-provider/") {
            Some((_, issuer)) => issuer,
            None => self.issuer.as_str(),
        };
        let loan = self.loan(&role, session);
        let request = known::of_token(&claims, (provider, issuer), self.has_claim_keys, loan);
        let trust = |place: &Place| place.trust.clone();
        let asked = (
            subject.as_str(),
            ASSUME_WITH_WEB_IDENTITY,
            role.as_str(),
            String::new(),
        );
        self.decide(asked, &request, &trust) == Verdict::Allowed
    }

    /// Decides whether somebody with an identity of AWS's own, by its ARN, may borrow the role.
    #[must_use]
    pub(super) fn trusts_arn(&self, arn: &str, session: &str) -> bool {
        let trust = |place: &Place| place.trust.clone();
        let role = self.own.arn.clone().unwrap_or_default();
        let request = known::of_arn(arn, self.loan(&role, session));
        let asked = (arn, ASSUME_ROLE, role.as_str(), String::new());
        self.decide(asked, &request, &trust) == Verdict::Allowed
    }

    fn loan<'a>(&'a self, role: &'a str, session: &'a str) -> Loan<'a> {
        Loan {
            role,
            session,
            region: &self.region,
        }
    }

    /// What comes of a call. One that is not decided is let through, and that is kept with the decision.
    fn decide(
        &self,
        (who, action, resource, with): (&str, &str, &str, String),
        request: &Request,
        policies: &dyn Fn(&Place) -> Option<Compiled>,
    ) -> Verdict {
        let mut said = Vec::new();
        for place in &self.places {
            if let Some(compiled) = policies(place) {
                let decision = compiled.evaluate(request);
                said.push(Said::of(
                    place.name,
                    &decision,
                    compiled.may_allow(request),
                    reasons(place, action, &decision),
                ));
            }
        }
        let limit = self.with(|state| state.limits.get(who).cloned());
        if let Some(limit) = limit.filter(|_| !said.is_empty()) {
            let decision = limit.evaluate(request);
            let told = decision.why.iter().map(|why| format!("session: {why}"));
            let may = limit.may_allow(request);
            said.push(Said::of("session", &decision, may, told.collect()));
        }
        if said.is_empty() {
            said.push(Said {
                stance: Stance::Denies,
                explicitly: false,
                why: vec!["no policy for it is given".to_owned()],
                open: Vec::new(),
            });
        }
        self.with(|state| {
            let stance = if state.attacked {
                said.iter().map(|said| said.stance).max()
            } else {
                said.iter().map(|said| said.stance).min()
            };
            let stance = stance.unwrap_or(Stance::Denies);
            // A place that agrees with the decision says why; the other one has nothing to say.
            let own = said.iter().filter(|said| said.stance == stance);
            state.decided.push(Decided {
                who: who.to_owned(),
                action: action.to_owned(),
                resource: resource.to_owned(),
                with,
                allowed: stance != Stance::Denies,
                open: own.clone().flat_map(|said| said.open.clone()).collect(),
                why: own.flat_map(|said| said.why.clone()).collect(),
            });
            match stance {
                Stance::Allows | Stance::Open => Verdict::Allowed,
                Stance::Denies if said.iter().any(|said| said.explicitly) => Verdict::ExplicitDeny,
                Stance::Denies => Verdict::ImplicitDeny,
            }
        })
    }
}

/// What the policies of a place make of a call, the least first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Stance {
    Denies,
    /// It turns on what is not known here.
    Open,
    Allows,
}

/// What a place says of a call.
struct Said {
    stance: Stance,
    /// Whether a statement denies it.
    explicitly: bool,
    why: Vec<String>,
    open: Vec<String>,
}

impl Said {
    fn of(name: &str, decision: &Decision, may_allow: bool, why: Vec<String>) -> Self {
        // The last sentence is what could come of it.
        let open = decision.undecided.split_last();
        let open = open.map_or(&[][..], |(_, reasons)| reasons);
        let stance = match decision.word {
            Word::Allowed => Stance::Allows,
            Word::ImplicitDeny | Word::ExplicitDeny if may_allow => Stance::Open,
            Word::ImplicitDeny | Word::ExplicitDeny => Stance::Denies,
        };
        let open = open.iter().filter(|_| stance == Stance::Open);
        let open: Vec<String> = open.map(|why| format!("{name}: {why}")).collect();
        Self {
            stance,
            explicitly: stance == Stance::Denies && decision.word == Word::ExplicitDeny,
            why: if stance == Stance::Open {
                open.clone()
            } else {
                why
            },
            open,
        }
    }
}

/// What GitHub calls the committed workflow: its name, or without one its path (GitHub Docs, "Contexts", `github.workflow`).
/// Without a workflow the one that is generated is played.
fn called(spec: &Spec, workspace: &Workspace) -> Option<String> {
    let mut all = workspace.workflows.iter();
    let own = all.find(|artefact| artefact.role == Some(Role::Workflow));
    let Some(own) = own else {
        return Some("dns-failover".to_owned());
    };
    let name = own.model.name.as_ref();
    let name = name.map_or_else(|| spec.workflow_path(), |name| name.as_str().to_owned());
    (!name.contains("${{")).then_some(name)
}

/// Why a place decides so. What is missing comes before what the other policies say, in which there is nothing to mend.
fn reasons(place: &Place, action: &str, decision: &Decision) -> Vec<String> {
    let is_of = |role: &Role| match action {
        route53::CHANGE_RECORDS => *role == Role::ChangeRecords,
        route53::LIST_RECORDS | route53::GET_CHANGE => *role == Role::ReadZone,
        _ => false,
    };
    let silent = decision.word != Word::Allowed && decision.matched.is_empty();
    let missing = place.missing.iter();
    let missing = missing.filter(|(role, _)| silent && is_of(role));
    let mut told: Vec<String> = missing.map(|(_, told)| told.clone()).collect();
    if told.is_empty() {
        told.clone_from(&decision.why);
    }
    let name = place.name;
    told.iter().map(|why| format!("{name}: {why}")).collect()
}
