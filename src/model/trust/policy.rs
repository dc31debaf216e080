//! Which parts of a trust policy are about GitHub's tokens.

use crate::model::policy::{Condition, PolicyDocument, Principal, Statement};
use crate::model::spec::IssuerKind;
use crate::text::Text;

/// The action that a token's holder asks for.
pub const ASSUME_WITH_WEB_IDENTITY: &str = "sts:AssumeRoleWithWebIdentity";

/// A statement that allows or denies the role to tokens of GitHub's issuer.
#[derive(Debug, Clone, Copy)]
pub struct GitHubStatement<'a> {
    /// The statement.
    pub statement: &'a Statement,
}

/// What is wrong with a principal that means GitHub's provider.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProviderFault {
    /// Under `AWS` or another key.
    #[error("the provider stands under `{0}`, and only `Federated` names one")]
    NotFederated(String),
    /// A scheme or a final slash.
    #[error(
        "the provider's ARN holds a URL; it ends with the host, `oidc-provider/token.actions.githubusercontent.com`"
    )]
    Url,
    /// No ARN of a provider.
    #[error(
        "it is no ARN of a provider; `arn:aws:iam::ACCOUNT:oidc-provider/token.actions.githubusercontent.com` is expected"
    )]
    NoArn,
}

/// The statements that allow or deny [`ASSUME_WITH_WEB_IDENTITY`] to GitHub's tokens: by their principal, or by asking for
/// GitHub's claims.
pub fn github_statements(document: &PolicyDocument) -> impl Iterator<Item = GitHubStatement<'_>> {
    document
        .statements
        .iter()
        .map(|statement| GitHubStatement { statement })
        .filter(|one| {
            one.statement.covers_action(ASSUME_WITH_WEB_IDENTITY)
                && (one.principals().any(means_github) || one.claims().next().is_some())
        })
}

/// The statements that are about GitHub's tokens in the same way, whatever action they are for.
pub fn statements_about_github(
    document: &PolicyDocument,
) -> impl Iterator<Item = GitHubStatement<'_>> {
    document
        .statements
        .iter()
        .map(|statement| GitHubStatement { statement })
        .filter(|one| one.principals().any(means_github) || one.claims().next().is_some())
}

/// Whether a principal means GitHub's provider, rightly or not.
#[must_use]
pub fn means_github(principal: &Principal) -> bool {
    let value = principal.value.text.as_str().to_ascii_lowercase();
    let issuer = value
        .rsplit_once("oidc-provider/")
        .map_or(value.as_str(), |(_, issuer)| issuer);
    value.contains("githubusercontent") || IssuerKind::of(issuer).is_some()
}

impl<'a> GitHubStatement<'a> {
    /// Its principals.
    pub fn principals(self) -> impl Iterator<Item = &'a Principal> {
        self.statement
            .principals
            .iter()
            .flat_map(|principals| &principals.entries)
    }

    /// The principals that mean GitHub's provider, rightly or not.
    pub fn providers(self) -> impl Iterator<Item = &'a Principal> {
        self.principals()
            .filter(|principal| means_github(principal))
    }

    /// The conditions on claims of one of GitHub's issuers, with the claim.
    pub fn claims(self) -> impl Iterator<Item = (&'a Condition, &'a str)> {
        self.statement.conditions.iter().filter_map(|condition| {
            claim_of(condition.key.as_str()).map(|claim| (condition, claim))
        })
    }

    /// The conditions on one claim.
    pub fn claim(self, wanted: &'a str) -> impl Iterator<Item = &'a Condition> {
        self.claims()
            .filter(move |(_, claim)| claim.eq_ignore_ascii_case(wanted))
            .map(|(condition, _)| condition)
    }
}

/// The claim that a condition key asks for, if it is one of GitHub's tokens.
#[must_use]
pub fn claim_of(key: &str) -> Option<&str> {
    let (issuer, claim) = key.rsplit_once(':')?;
    IssuerKind::of(issuer).map(|_| claim)
}

/// The issuer whose provider `arn` names rightly, if it is one of GitHub's.
#[must_use]
pub fn issuer_of(arn: &str) -> Option<&str> {
    let segments: Vec<&str> = arn.splitn(6, ':').collect();
    let ["arn", partition, "iam", "", account, resource] = segments.as_slice() else {
        return None;
    };
    let is_account = account.len() == 12 && account.bytes().all(|digit| digit.is_ascii_digit());
    let issuer = resource.strip_prefix("oidc-provider/")?;
    // A provider's name is written in lower case, and ARNs are compared letter by letter.
    let is_right = partition.starts_with("aws")
        && is_account
        && IssuerKind::of(issuer).is_some()
        && !issuer
            .split('/')
            .next()?
            .bytes()
            .any(|byte| byte.is_ascii_uppercase());
    is_right.then_some(issuer)
}

/// The account that a principal is of: its number alone, or the one in its ARN.
#[must_use]
pub fn account_of(value: &str) -> Option<&str> {
    let number = if value.starts_with("arn:") {
        value.split(':').nth(4)?
    } else {
        value
    };
    let is_number = number.len() == 12 && number.bytes().all(|digit| digit.is_ascii_digit());
    is_number.then_some(number)
}

/// What is wrong with a principal that means the provider of one of GitHub's issuers.
#[must_use]
pub fn provider_fault(principal: &Principal) -> Option<ProviderFault> {
    let kind = principal.kind.as_ref().map_or("*", Text::as_str);
    let value = principal.value.text.as_str();
    if kind != "Federated" {
        return Some(ProviderFault::NotFederated(kind.to_owned()));
    }
    if value.contains("://") || value.ends_with('/') {
        return Some(ProviderFault::Url);
    }
    issuer_of(value).is_none().then_some(ProviderFault::NoArn)
}
