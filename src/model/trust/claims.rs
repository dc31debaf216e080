//! The claims of a token, and which of them AWS hands to trust policies.

use std::collections::BTreeMap;
use std::sync::LazyLock;

/// The lines of the table: claim, day, source.
static CLAIM_KEYS: LazyLock<Vec<&'static str>> = LazyLock::new(|| {
    let lines = include_str!("claim_keys.txt").lines();
    let claims = lines.filter(|line| !line.starts_with('#'));
    claims
        .filter_map(|line| line.split_whitespace().next())
        .collect()
});

/// The claims that AWS maps to condition keys `ISSUER:CLAIM`, in alphabetic order: the table `claim_keys.txt`.
#[must_use]
pub fn claim_keys() -> &'static [&'static str] {
    &CLAIM_KEYS
}

/// The claims of one token, as far as AWS looks at them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Claims {
    claims: BTreeMap<&'static str, String>,
}

impl Claims {
    /// The same with `claim`; a claim that AWS does not hand on is left out.
    #[must_use]
    pub fn with(mut self, claim: &str, value: impl Into<String>) -> Self {
        if let Some(known) = claim_keys().iter().find(|known| **known == claim) {
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
