//! The claims of a token, and which of them AWS hands to trust policies.

use std::collections::BTreeMap;

/// The claims that AWS maps to condition keys `ISSUER:CLAIM` (IAM User Guide, "Available keys for AWS OIDC federation";
/// AWS What's New, 2026-01, "STS supports validation of identity provider claims"; service data of 2026-09).
pub const CLAIM_KEYS: [&str; 12] = [
    "actor",
    "actor_id",
    "aud",
    "enterprise_id",
    "environment",
    "job_workflow_ref",
    "ref",
    "repository",
    "repository_id",
    "repository_owner_id",
    "sub",
    "workflow",
];

/// The claims of one token, as far as AWS looks at them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Claims {
    claims: BTreeMap<&'static str, String>,
}

impl Claims {
    /// The same with `claim`; a claim that AWS does not hand on is left out.
    #[must_use]
    pub fn with(mut self, claim: &str, value: impl Into<String>) -> Self {
        if let Some(known) = CLAIM_KEYS.into_iter().find(|known| *known == claim) {
            self.claims.insert(known, value.into());
        }
        self
    }

    /// The same without `claim`.
    #[must_use]
    pub fn without(mut self, claim: &str) -> Self {
        self.claims.remove(claim);
        self
    }

    /// The value of a claim.
    #[must_use]
    pub fn get(&self, claim: &str) -> Option<&str> {
        self.claims.get(claim).map(String::as_str)
    }

    /// The subject; empty when the token has none.
    #[must_use]
    pub fn subject(&self) -> &str {
        self.get("sub").unwrap_or_default()
    }

    /// All claims.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, &str)> {
        self.claims
            .iter()
            .map(|(claim, value)| (*claim, value.as_str()))
    }
}
