//! Whether a trust policy lets in the legitimate token alone, over all tokens: the question that `prove trust` asks too.

use crate::iam::prove::{Answer, Bounds, Question, Realm, Side, ask};
use crate::iam::{NamedPolicy, Request, RequestPrincipal};
use crate::model::policy::{PolicyDocument, PolicyKind};
use crate::model::spec::OIDC_AUDIENCE;
use crate::model::trust::{ASSUME_WITH_WEB_IDENTITY, Claims, Repository, Subject};
use crate::syntax::json;
use crate::text::SourceMap;

use super::attacks::{Attack, Threat};

/// The policy that lets in the job of `repository` alone, as JSON. Tags and a source identity come with the same call.
#[must_use]
pub fn intended(
    repository: &Repository,
    provider: &str,
    audience: Option<&str>,
) -> serde_json::Value {
    let key = format!("{}:sub", repository.issuer);
    let mut demanded = serde_json::Map::new();
    demanded.insert(key, repository.claims().subject().into());
    if let Some(audience) = audience {
        demanded.insert(format!("{}:aud", repository.issuer), audience.into());
    }
    serde_json::json!({
        "Version": "2012-10-17",
        "Statement": [{
            "Effect": "Allow",
            "Principal": { "Federated": provider },
            "Action": [ASSUME_WITH_WEB_IDENTITY, "sts:SetSourceIdentity", "sts:TagSession"],
            "Condition": { "StringEquals": demanded },
        }],
    })
}

/// What the prover found of the tokens that come through one provider.
#[derive(Debug, Default)]
pub(super) struct Beyond {
    /// Tokens that are let in beside the job's.
    pub(super) attacks: Vec<Attack>,
    /// Why there may be another one.
    pub(super) open: Vec<String>,
}

/// Tokens with another subject or audience that `document` lets in through `providers`.
pub(super) fn beyond(
    document: &PolicyDocument,
    repository: &Repository,
    providers: &[String],
) -> Beyond {
    let mut found = Beyond::default();
    for provider in providers {
        let Some(intended) = read(&intended(repository, provider, Some(OIDC_AUDIENCE)).to_string())
        else {
            continue;
        };
        let answer = asked(document, &intended, provider, repository);
        let tokens = answer
            .witnesses
            .iter()
            .map(|witness| &witness.request)
            .filter(|request| {
                request
                    .action()
                    .eq_ignore_ascii_case(ASSUME_WITH_WEB_IDENTITY)
            });
        found
            .attacks
            .extend(tokens.map(|request| attack(request, repository)));
        found.open.extend(answer.open);
    }
    found
}

fn read(text: &str) -> Option<PolicyDocument> {
    let mut sources = SourceMap::default();
    let file = sources.add("the repository's own job", text.to_owned());
    let root = json::read(&sources.text(file)?).documents.pop()?;
    Some(PolicyDocument::read(root, Some(PolicyKind::Trust), None))
}

fn asked(
    document: &PolicyDocument,
    intended: &PolicyDocument,
    provider: &str,
    repository: &Repository,
) -> Answer {
    let side = |name, document| Side {
        policies: vec![NamedPolicy { name, document }],
    };
    ask(
        &Question {
            granted: vec![side("the trust policy", document)],
            not_granted: vec![side("the repository's own job", intended)],
            realm: Realm::Sent,
            principal: Some(RequestPrincipal::Federated(provider.to_owned())),
            home: Some(repository),
            aside: Vec::new(),
        },
        Bounds::default(),
    )
}

/// The token of a request, and who may have it as far as its subject says.
fn attack(request: &Request, repository: &Repository) -> Attack {
    let prefix = format!("{}:", repository.issuer);
    let mut claims = Claims::default();
    for (key, value) in request.entries() {
        let claim = key.strip_prefix(&prefix.to_ascii_lowercase());
        let claim = claim.or_else(|| key.strip_prefix(&prefix));
        if let (Some(claim), Some(value)) = (claim, value.values().first()) {
            claims = claims.with(claim, value.clone());
        }
    }
    let subject = claims.subject();
    let own = repository.subject_repository(repository.format).to_string();
    let owner = own.split('/').next().unwrap_or_default();
    let (threat, name) = if subject.is_empty() {
        (Threat::MissingClaim, "a token without a subject")
    } else if subject == repository.claims().subject() {
        let name = "the job's token for another audience";
        (Threat::MissingClaim, name)
    } else if subject.starts_with(&format!("repo:{own}:")) {
        (Threat::SameRepository, "another job of this repository")
    } else if subject.starts_with(&format!("repo:{owner}/")) {
        (Threat::SameOwner, "another repository of the same owner")
    } else if Subject::parse(subject).is_err() {
        (
            Threat::Unwritten,
            "a token that GitHub is not known to write",
        )
    } else {
        (Threat::Anyone, "a job of a stranger's repository")
    };
    Attack {
        threat,
        name: name.to_owned(),
        claims,
    }
}
