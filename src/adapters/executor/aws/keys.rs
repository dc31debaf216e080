//! Credentials as they are passed about: never printed, and shared between whoever gets them and whoever signs with them.

use std::cell::RefCell;
use std::fmt;
use std::rc::Rc;

use aws_credential_types::Credentials;

/// A text that is never printed.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Hides `text`.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The text itself.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("(secret)")
    }
}

/// Access keys as the variables `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY` and `AWS_SESSION_TOKEN` give them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Keys {
    /// The id of the key.
    pub id: String,
    /// The key.
    pub secret: Secret,
    /// The token of a session; without it the key is a user's own, and lives until somebody deletes it.
    pub token: Option<Secret>,
}

/// The credentials that calls are signed with now, shared by the identity and the zone.
#[derive(Clone, Default)]
pub(super) struct Session(Rc<RefCell<Option<Credentials>>>);

impl Session {
    pub(super) fn set(&self, credentials: Credentials) {
        *self.0.borrow_mut() = Some(credentials);
    }

    pub(super) fn get(&self) -> Option<Credentials> {
        self.0.borrow().clone()
    }
}

/// The first character that none of AWS's keys and tokens has, and that a header of HTTP may not take (RFC 9110, section
/// 5.5): the SDK does not look, and breaks on it.
fn odd(text: &str) -> Option<char> {
    text.chars().find(|letter| !letter.is_ascii_graphic())
}

/// The part of borrowed credentials that no request can carry, and the character that is in the way.
pub(super) fn misfit(credentials: &Credentials) -> Option<(&'static str, char)> {
    let parts = [
        ("AccessKeyId", Some(credentials.access_key_id())),
        ("SecretAccessKey", Some(credentials.secret_access_key())),
        ("SessionToken", credentials.session_token()),
    ];
    let mut parts = parts.into_iter();
    parts.find_map(|(name, text)| Some((name, odd(text?)?)))
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let there = self.0.borrow().is_some();
        f.write_str(if there { "Session" } else { "no session" })
    }
}

impl Keys {
    /// The first part that no request can carry, by its variable, and the character that is in the way.
    pub(super) fn misfit(&self) -> Option<(&'static str, char)> {
        let parts = [
            ("AWS_ACCESS_KEY_ID", Some(self.id.as_str())),
            ("AWS_SECRET_ACCESS_KEY", Some(self.secret.reveal())),
            ("AWS_SESSION_TOKEN", self.token.as_ref().map(Secret::reveal)),
        ];
        let mut parts = parts.into_iter();
        parts.find_map(|(name, text)| Some((name, odd(text?)?)))
    }

    pub(super) fn credentials(&self) -> Credentials {
        let token = self.token.as_ref().map(|token| token.0.clone());
        Credentials::new(&self.id, self.secret.reveal(), token, None, "environment")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_character_that_no_request_carries_is_found_with_its_variable() {
        let keys = |id: &str, secret: &str, token: &str| Keys {
            id: id.to_owned(),
            secret: Secret::new(secret),
            token: Some(Secret::new(token)),
        };
        assert_eq!(keys("AKID", "k+/=", "t+/=").misfit(), None);
        for (odd, at) in [
            (keys("AKID\n", "k", "t"), ("AWS_ACCESS_KEY_ID", '\n')),
            (keys("AKID", "k\r\n", "t"), ("AWS_SECRET_ACCESS_KEY", '\r')),
            (
                keys("AKID", "k", "t\u{e9}"),
                ("AWS_SESSION_TOKEN", '\u{e9}'),
            ),
        ] {
            assert_eq!(odd.misfit(), Some(at));
            assert!(misfit(&odd.credentials()).is_some());
        }
    }

    #[test]
    fn no_secret_is_ever_printed() {
        let keys = Keys {
            id: "AKIDEXAMPLE".to_owned(),
            secret: Secret::new("hidden-key"),
            token: Some(Secret::new("hidden-token")),
        };
        let session = Session::default();
        session.set(keys.credentials());
        let printed = format!("{keys:?} {session:?}");
        assert!(
            printed.contains("AKIDEXAMPLE") && !printed.contains("hidden"),
            "{printed}"
        );
    }
}
