//! Counterexamples before the evaluator: as cases of `simulate`, and with the other side's reasons.
//!
//! A policy that names an account alone lets that account's own policies decide. Then the account is given leave for
//! everything, and the resource is taken to be another account's, so that the policy in question still decides.

use serde_json::{Value, json};

use crate::iam::prove::Witness;
use crate::iam::{Compiled, NamedPolicy, Policies, Request, Word};
use crate::model::policy::PolicyKind;
use crate::report::{CounterExample, request_json};

use super::documents::{Named, made, side};

/// What whoever asks is allowed by its own account: everything, where that matters.
pub(super) struct Leave(Option<Named>);

/// Accounts of resources.
const ACCOUNTS: [&str; 2] = ["210987654321", "109876543210"];

impl Leave {
    /// The leave that `request` needs to be allowed by `allowing`; the request's resource is moved to another account
    /// where it needs one.
    pub(super) fn of(request: &mut Request, allowing: &[&Named]) -> Self {
        let alone = Self(None);
        let names_principals = allowing
            .iter()
            .any(|policy| policy.document.kind.has_principals());
        if !names_principals || alone.decide(allowing, request) == Some(Word::Allowed) {
            return alone;
        }
        let everything = json!({
            "Version": "2012-10-17",
            "Statement": [{ "Effect": "Allow", "Action": "*", "Resource": "*" }],
        });
        let Ok(everything) = made("its own account", &everything, PolicyKind::Identity) else {
            return alone;
        };
        let given = Self(Some(everything));
        let mut moved = request.clone();
        let own = request.principal.as_ref().map(|who| who.as_str());
        let other = ACCOUNTS
            .iter()
            .find(|account| !own.is_some_and(|own| own.contains(**account)));
        moved.resource_account = other.map(ToString::to_string);
        if given.decide(allowing, &moved) != Some(Word::Allowed) {
            return alone;
        }
        *request = moved;
        given
    }

    /// Whether there is any.
    pub(super) fn is_given(&self) -> bool {
        self.0.is_some()
    }

    /// The policies of a side, as the evaluator takes them.
    fn decider(&self, policies: &[&Named]) -> Compiled {
        let resource = policies
            .iter()
            .find(|policy| policy.document.kind.has_principals());
        let own = self.0.iter().map(|own| NamedPolicy {
            name: &own.name,
            document: &own.document,
        });
        Compiled::new(&Policies {
            identity: match resource {
                Some(_) => own.collect(),
                None => side(policies).policies,
            },
            resource: resource.map(|policy| NamedPolicy {
                name: &policy.name,
                document: &policy.document,
            }),
            ..Policies::default()
        })
    }

    /// What `policies` decide; `None` where that cannot be known.
    pub(super) fn decide(&self, policies: &[&Named], request: &Request) -> Option<Word> {
        self.decider(policies).decide(request)
    }

    /// Why they decide so.
    pub(super) fn why(&self, policies: &[&Named], request: &Request) -> Vec<String> {
        self.decider(policies).evaluate(request).why
    }

    /// The request as a case of `simulate`: how the policies decide.
    pub(super) fn case(
        &self,
        id: &str,
        request: &Request,
        policies: &[&Named],
        word: Word,
    ) -> Value {
        let sources: Vec<&Value> = policies.iter().map(|policy| &policy.source).collect();
        let trust = policies
            .iter()
            .any(|policy| policy.document.kind.has_principals());
        let policies = if trust {
            let own: Vec<&Value> = self.0.iter().map(|own| &own.source).collect();
            json!({ "identity": own, "resource": sources.first() })
        } else {
            json!({ "identity": sources })
        };
        json!({
            "id": id,
            "policies": policies,
            "request": request_json(request),
            "expected": { "decision": word.word() },
        })
    }

    /// A witness with the other side's reasons.
    pub(super) fn told(&self, witness: Witness, other: &[&Named]) -> CounterExample {
        let denied = if other.is_empty() {
            Vec::new()
        } else {
            self.why(other, &witness.request)
        };
        CounterExample {
            known_action: witness.known_action,
            allowed_by: witness.allowed_by,
            by_account: self.is_given(),
            written: witness.written,
            request: witness.request,
            denied,
        }
    }
}
