//! Whom a trust policy lets in: the repository's own job, and nobody else.

use std::collections::{BTreeMap, BTreeSet};

use crate::app::{AppError, spec};
use crate::iam::trust::intended;
use crate::iam::{self, ContextValue, RequestPrincipal, Word};
use crate::model::policy::{PolicyDocument, PolicyKind};
use crate::model::spec::OIDC_AUDIENCE;
use crate::model::trust::{ASSUME_WITH_WEB_IDENTITY, Repository, issuer_of};
use crate::report::{Claim, CounterExample, Standing};

use super::Desk;
use super::documents::{Named, made};
use super::witnesses::Leave;

/// An account that stands for any.
const ACCOUNT: &str = "123456789012";

impl Desk<'_> {
    /// Without a repository and a spec, whom the policy lets in is told, and nothing is claimed.
    pub(super) fn trust_theorem(
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
        if named_provider(&policy.document, None).is_some() || names_everyone(&policy.document) {
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
        let named = named_provider(&policy.document, Some(&repository.issuer));
        let beside = || named_provider(&policy.document, None);
        let account = |arn: String| arn.split(':').nth(4).map(str::to_owned);
        let in_account =
            |account: String| format!("arn:aws:iam::{account}:oidc-provider/{}", repository.issuer);
        let provider = repository.provider.clone();
        let provider = provider
            .or(named)
            // The job's tokens are another issuer's than the one that is named.
            .or_else(|| beside().and_then(account).map(in_account))
            .or_else(|| names_everyone(&policy.document).then(|| in_account(ACCOUNT.to_owned())));
        let Some(provider) = provider else {
            return Err(AppError::usage(
                format!("`{}` names no provider of GitHub's tokens", policy.name),
                "a trust policy for GitHub has a `Federated` principal such as `arn:aws:iam::123456789012:oidc-provider/token.actions.githubusercontent.com`",
            ));
        };
        let job = made(
            "the repository's own job",
            &intended(repository, &provider, Some(OIDC_AUDIENCE)),
            PolicyKind::Trust,
        )?;
        self.home = Some(repository.clone());
        self.no_more(&[policy], &[&job]);
        self.own_job(policy, repository, provider);
        self.rights(&[policy]);
        Ok(())
    }

    /// Whether the repository's own job gets in. A claim whose value is not known here leaves that open.
    fn own_job(&mut self, policy: &Named, repository: &Repository, provider: String) {
        let mut request = own_request(repository, provider);
        let prefix = format!("{}:", repository.issuer.to_ascii_lowercase());
        let statements = policy.document.statements.iter();
        let keys = statements.flat_map(|one| one.conditions.iter().map(|test| test.key.as_str()));
        let asked = keys.filter(|key| key.to_ascii_lowercase().starts_with(&prefix));
        let unknown: BTreeSet<&str> = asked.filter(|key| request.context(key).is_none()).collect();
        let leave = Leave::of(&mut request, &[policy]);
        let word = leave.decide(&[policy], &request);
        let standing = match word {
            _ if !unknown.is_empty() => Standing::Undecided,
            Some(Word::Allowed) => Standing::Proved,
            Some(Word::ImplicitDeny | Word::ExplicitDeny) => Standing::Refuted,
            None => Standing::Undecided,
        };
        let mut claim = Claim {
            text: format!("{} lets in the repository's own job", policy.name),
            standing,
            witnesses: Vec::new(),
            open: Vec::new(),
            kinds: 1,
        };
        match (standing, word) {
            (Standing::Refuted, Some(word)) => {
                let id = self.next_id();
                self.cases.push(leave.case(&id, &request, &[policy], word));
                claim.witnesses.push(CounterExample {
                    denied: leave.why(&[policy], &request),
                    request,
                    known_action: Some(true),
                    allowed_by: Vec::new(),
                    by_account: false,
                    written: BTreeMap::new(),
                });
            }
            (Standing::Undecided, _) if unknown.is_empty() => {
                claim
                    .open
                    .push("a part of the policy is not known".to_owned());
            }
            (Standing::Undecided, _) => claim.open.extend(
                unknown
                    .iter()
                    .map(|key| format!("what the job's token has under `{key}` is not known")),
            ),
            (Standing::Refuted | Standing::Proved, _) => {}
        }
        self.proof.claims.push(claim);
    }
}

/// What the repository's own job asks for, with the claims that are known of its token.
fn own_request(repository: &Repository, provider: String) -> iam::Request {
    let account = provider.split(':').nth(4).unwrap_or_default().to_owned();
    let role = format!("arn:aws:iam::{account}:role/dns-failover");
    let mut request =
        iam::Request::new(ASSUME_WITH_WEB_IDENTITY, role).by(RequestPrincipal::Federated(provider));
    let (claims, unknown) = (repository.claims(), repository.unknown_claims());
    let known = claims.iter().filter(|(claim, _)| !unknown.contains(claim));
    for (claim, value) in known {
        request.set(
            &format!("{}:{claim}", repository.issuer),
            ContextValue::Single(value.to_owned()),
        );
    }
    request
}

/// The provider of GitHub's tokens that is named first; only one of `issuer`, where that is said.
fn named_provider(document: &PolicyDocument, issuer: Option<&str>) -> Option<String> {
    let principals = document
        .statements
        .iter()
        .filter_map(|statement| statement.principals.as_ref());
    let mut entries = principals.flat_map(|principals| principals.entries.iter());
    let provider = entries.find(|entry| {
        let own = issuer_of(entry.value.text.as_str());
        own.is_some_and(|own| issuer.is_none_or(|issuer| issuer == own))
    })?;
    Some(provider.value.text.as_str().to_owned())
}

/// Whether everyone is named.
fn names_everyone(document: &PolicyDocument) -> bool {
    let principals = document.statements.iter();
    let principals = principals.filter_map(|statement| statement.principals.as_ref());
    let mut entries = principals.flat_map(|principals| principals.entries.iter());
    entries.any(|entry| entry.value.text.as_str() == "*")
}
