//! Who decides in the rehearsal's AWS: the evaluator, by the policies as they are committed. They stand in two places, in
//! files of their own and in Terraform; a call is let through only if both places let it through, since nobody knows from
//! the files which of them was applied. An attack is let through if one place does.

#![expect(
    clippy::disallowed_methods,
    reason = "AWS says the moment of a call to the policies"
)]

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Map, Value};

use crate::drill::{Asked, Verdict};
use crate::iam::{Compiled, ContextValue, Decision, Request, RequestPrincipal, Word};
use crate::model::calendar::moment;
use crate::model::policy::route53;
use crate::model::spec::Spec;
use crate::model::trust::{ASSUME_WITH_WEB_IDENTITY, claim_keys};
use crate::rules::{Role, Workspace};
use crate::text::SourceMap;

use super::granted::{OwnRole, Place, places};

/// Puts into a request what every call of the executor carries, whoever makes it (IAM User Guide, "AWS global condition
/// context keys": "always included").
fn signed(request: &mut Request) {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    let now = since.map_or(0, |since| since.as_secs());
    let moment = moment(i64::try_from(now).unwrap_or_default());
    set(request, "aws:CurrentTime", &moment);
    set(request, "aws:EpochTime", &now.to_string());
    set(request, "aws:SecureTransport", "true");
    set(request, "aws:ViaAWSService", "false");
}

fn set(request: &mut Request, key: &str, value: &str) {
    request.set(key, ContextValue::Single(value.to_owned()));
}

/// How an identity of AWS's own borrows a role.
const ASSUME_ROLE: &str = "sts:AssumeRole";

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

/// The judge; clones share what it decided.
#[derive(Debug, Clone)]
pub(super) struct Judge {
    places: Vec<Place>,
    provider: String,
    /// The issuer, before each condition key.
    issuer: String,
    /// Whether AWS knows keys of other claims than `aud` and `sub` of it.
    has_claim_keys: bool,
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
            own: OwnRole::of(spec, workspace),
            state: Arc::default(),
        }
    }

    /// The role that is borrowed.
    #[must_use]
    pub(super) fn own(&self) -> &OwnRole {
        &self.own
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
        let mut request = Request::new(action, resource);
        signed(&mut request);
        if let Some(role) = &self.own.arn {
            let account = role.split(':').nth(4).unwrap_or_default();
            set(&mut request, "aws:PrincipalArn", role);
            set(&mut request, "aws:PrincipalAccount", account);
            set(&mut request, "aws:PrincipalType", "AssumedRole");
        }
        // The only Region in which Route 53 can be asked.
        set(&mut request, "aws:RequestedRegion", "us-east-1");
        for (key, values) in context {
            request.set(key, ContextValue::Multi(values.clone()));
        }
        let with = context
            .iter()
            .map(|(_, values)| values.join(" "))
            .collect::<Vec<_>>()
            .join(", ");
        let rights = |place: &Place| place.rights.clone();
        let (allowed, denied) = self.decide((principal, action, resource, with), &request, &rights);
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
        if self.own.arn.as_deref() != Some(role) {
            self.with(|state| {
                state.decided.push(Decided {
                    who: subject,
                    action: ASSUME_WITH_WEB_IDENTITY.to_owned(),
                    resource: role.to_owned(),
                    with: String::new(),
                    allowed: false,
                    why: vec![format!("there is no role `{role}`: {}", self.own.told)],
                });
            });
            return false;
        }
        self.trusts(claims, &self.provider)
    }

    /// Decides whether the trust policy lets a token of this provider in.
    #[must_use]
    pub(super) fn trusts(&self, claims: &Map<String, Value>, provider: &str) -> bool {
        let text = |name: &str| claims.get(name).and_then(Value::as_str).unwrap_or_default();
        let subject = text("sub").to_owned();
        let role = self.own.arn.clone().unwrap_or_default();
        // A provider of tokens brings condition keys of its own, and no other's.
        let issuer = match provider.split_once(":oidc-provider/") {
            Some((_, issuer)) => issuer,
            None => self.issuer.as_str(),
        };
        let principal = RequestPrincipal::Federated(provider.to_owned());
        let mut request = Request::new(ASSUME_WITH_WEB_IDENTITY, "*").by(principal);
        signed(&mut request);
        let known = |claim: &&str| self.has_claim_keys || ["aud", "sub"].contains(claim);
        for claim in claim_keys().iter().copied().filter(known) {
            if let Some(value) = claims.get(claim).and_then(Value::as_str) {
                let key = format!("{issuer}:{claim}");
                request.set(&key, ContextValue::Single(value.to_owned()));
            }
        }
        let trust = |place: &Place| place.trust.clone();
        let asked = (
            subject.as_str(),
            ASSUME_WITH_WEB_IDENTITY,
            role.as_str(),
            String::new(),
        );
        self.decide(asked, &request, &trust).0
    }

    /// Decides whether somebody with an identity of AWS's own, by its ARN, may borrow the role.
    #[must_use]
    pub(super) fn trusts_arn(&self, arn: &str) -> bool {
        let mut request = Request::new(ASSUME_ROLE, "*").by(RequestPrincipal::Arn(arn.to_owned()));
        signed(&mut request);
        let trust = |place: &Place| place.trust.clone();
        let role = self.own.arn.clone().unwrap_or_default();
        let asked = (arn, ASSUME_ROLE, role.as_str(), String::new());
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
            why.push((decision.word, reasons(place, action, &decision)));
            words.push(decision.word);
        }
        if words.is_empty() {
            why.push((
                Word::ImplicitDeny,
                vec!["no policy for it is given".to_owned()],
            ));
        }
        let limit = self.with(|state| state.limits.get(who).cloned());
        if let Some(limit) = limit.filter(|_| !words.is_empty()) {
            let decision = limit.evaluate(request);
            let told = decision.why.iter().map(|why| format!("session: {why}"));
            why.push((decision.word, told.collect()));
            words.push(decision.word);
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
        let open = decision.undecided.iter();
        let open = open.map(|open| format!("not decided: {open}"));
        told = decision.why.iter().cloned().chain(open).collect();
    }
    let name = place.name;
    told.iter().map(|why| format!("{name}: {why}")).collect()
}
