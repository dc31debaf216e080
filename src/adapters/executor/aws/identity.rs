//! The right to read and write the zone: what the job was given, or the role borrowed with GitHub's token.
//!
//! `AssumeRoleWithWebIdentity` (STS API reference) is not signed; the token is the proof. A token lives for about five
//! minutes, so it is fetched when it is needed and used once.

use std::fmt;
use std::time::{Duration, UNIX_EPOCH};

use aws_credential_types::Credentials;

use crate::failover::{Fault, FaultKind};
use crate::ports::{Clock as _, Identity, Stop};

#[cfg(feature = "aws")]
use super::chain::UsualPlaces;
use super::client::Aws;
use super::fault;
use super::keys::{self, Keys, Secret};

/// Where a web identity's token comes from.
pub trait TokenSource {
    /// A fresh token for the audience of AWS.
    ///
    /// # Errors
    /// A fault of the endpoint, or the end of the job.
    fn fetch(&mut self) -> Result<Secret, Stop>;
}

impl<F: FnMut() -> Result<Secret, Stop>> TokenSource for F {
    fn fetch(&mut self) -> Result<Secret, Stop> {
        self()
    }
}

/// A role that is borrowed with a token.
pub struct WebIdentity {
    /// The role's ARN.
    pub role: String,
    /// The region whose STS is asked.
    pub region: String,
    /// The name of the session, for the audit log; what is not allowed in one is replaced.
    pub session_name: String,
    /// Seconds that the session shall live.
    pub seconds: u32,
    /// Where the token comes from.
    pub tokens: Box<dyn TokenSource>,
}

impl fmt::Debug for WebIdentity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WebIdentity")
            .field("role", &self.role)
            .field("region", &self.region)
            .field("session_name", &self.session_name)
            .finish_non_exhaustive()
    }
}

/// The means at hand. Keys that are given are used first; whatever is left renews them.
#[derive(Debug, Default)]
pub struct Means {
    /// What the job or the person has in the environment.
    pub keys: Option<Keys>,
    /// The variable that is missing where half a key is there.
    pub half_key: Option<&'static str>,
    /// The role and the source of tokens; without both there is none.
    pub web: Option<WebIdentity>,
    /// Where the AWS CLI would look, for a run by hand.
    #[cfg(feature = "aws")]
    pub usual: Option<UsualPlaces>,
}

/// The right to use the zone; what it gets it gives to the zone of the same [`Aws`].
#[derive(Debug)]
pub struct AwsIdentity {
    aws: Aws,
    means: Means,
    next: Next,
    /// Keys of a session that were used and now have aged.
    spent: bool,
}

/// What was fetched last, and the role is borrowed with.
#[derive(Debug)]
enum Next {
    Nothing,
    Keys(Keys),
    Token(Secret),
    #[cfg(feature = "aws")]
    Usual(UsualPlaces),
}

impl AwsIdentity {
    pub(super) fn new(aws: Aws, means: Means) -> Self {
        Self {
            aws,
            means,
            next: Next::Nothing,
            spent: false,
        }
    }

    fn missing(&self) -> Fault {
        let mut fault = missing(self.spent);
        if let Some(variable) = self.means.half_key {
            fault.message = format!(
                "half a key is set: {variable} is missing; {}",
                fault.message
            );
        }
        fault
    }

    fn use_session(&self, credentials: Credentials) -> Option<Duration> {
        let now = Duration::from_millis(self.aws.runtime.wall_millis());
        let until = credentials.expiry();
        self.aws.session.set(credentials);
        let until = until?.duration_since(UNIX_EPOCH).unwrap_or_default();
        Some(until.saturating_sub(now))
    }

    fn borrow(&self, web: &WebIdentity, token: &Secret) -> Result<Credentials, Stop> {
        let seconds = i32::try_from(web.seconds).unwrap_or(i32::MAX);
        let client = self.aws.sts(&web.region);
        let call = client
            .assume_role_with_web_identity()
            .role_arn(&web.role)
            .role_session_name(session_name(&web.session_name))
            .web_identity_token(token.reveal())
            .duration_seconds(seconds);
        let answer = self.aws.runtime.run(call.send())?;
        let answer = answer.map_err(|error| about(web, fault::of(ASSUME, &error)))?;
        let got = answer
            .credentials
            .ok_or_else(|| fault::unreadable("it has no credentials"))?;
        let until = u64::try_from(got.expiration.secs()).unwrap_or_default();
        let expires = UNIX_EPOCH.checked_add(Duration::from_secs(until));
        let credentials = Credentials::new(
            got.access_key_id,
            got.secret_access_key,
            Some(got.session_token),
            expires,
            "web identity",
        );
        match keys::misfit(&credentials) {
            None => Ok(credentials),
            Some((part, letter)) => Err(fault::unreadable(&format!(
                "its {part} has the character `{}`, which no request can carry",
                letter.escape_debug()
            ))
            .into()),
        }
    }
}

impl Identity for AwsIdentity {
    fn fetch_token(&mut self) -> Result<(), Stop> {
        self.next = Next::Nothing;
        if let Some(keys) = &self.means.keys {
            if let Some((variable, letter)) = keys.misfit() {
                return Err(misfit(variable, letter).into());
            }
            let lasting = keys.token.is_none();
            if lasting || !self.spent {
                self.spent = true;
                self.next = Next::Keys(keys.clone());
                return Ok(());
            }
        }
        if let Some(web) = &mut self.means.web {
            self.next = Next::Token(web.tokens.fetch()?);
            return Ok(());
        }
        #[cfg(feature = "aws")]
        if let Some(usual) = &self.means.usual {
            self.next = Next::Usual(usual.clone());
            return Ok(());
        }
        Err(self.missing().into())
    }

    fn assume_role(&mut self) -> Result<Option<Duration>, Stop> {
        let credentials = match (&self.next, &self.means.web) {
            (Next::Keys(keys), _) => keys.credentials(),
            (Next::Token(token), Some(web)) => self.borrow(web, token)?,
            #[cfg(feature = "aws")]
            (Next::Usual(usual), _) => {
                let found = usual.look(&self.aws)?;
                if let Some((part, letter)) = keys::misfit(&found) {
                    return Err(misfit(part, letter).into());
                }
                found
            }
            (Next::Nothing | Next::Token(_), _) => return Err(self.missing().into()),
        };
        Ok(self.use_session(credentials))
    }
}

/// The call that borrows a role.
const ASSUME: &str = "AssumeRoleWithWebIdentity";

/// A fault of the call that borrows a role: whoever reads of it wants to know which role, and where.
fn about(web: &WebIdentity, fault: Fault) -> Fault {
    let said = match fault.message.as_str() {
        "" => "no more is said",
        said => said,
    };
    let message = format!(
        "{ASSUME} of the role `{}` at STS in `{}`: {said}",
        web.role, web.region
    );
    Fault { message, ..fault }
}

/// Credentials that no request can carry.
fn misfit(part: &str, letter: char) -> Fault {
    Fault {
        kind: FaultKind::Denied,
        code: "MalformedCredentials".to_owned(),
        message: format!(
            "{part} has the character `{}`, which no key of AWS has; set it again without what a copy or a file added",
            letter.escape_debug()
        ),
    }
}

/// Nothing is at hand, or nothing but a session that has had its time.
fn missing(spent: bool) -> Fault {
    let (code, message) = if spent {
        (
            "SessionNotRenewable",
            "the session in AWS_SESSION_TOKEN was used and cannot be renewed: ACTIONS_ID_TOKEN_REQUEST_URL and \
             ACTIONS_ID_TOKEN_REQUEST_TOKEN are not set; give the job `id-token: write`, or start again with a new session",
        )
    } else {
        (
            "NoCredentials",
            "neither AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY nor ACTIONS_ID_TOKEN_REQUEST_URL and \
             ACTIONS_ID_TOKEN_REQUEST_TOKEN are set; give the job `id-token: write`, or borrow the role before the run",
        )
    };
    Fault {
        kind: FaultKind::Denied,
        code: code.to_owned(),
        message: message.to_owned(),
    }
}

/// A session's name as STS takes it: 2 to 64 of letters, digits and `_+=,.@-`.
fn session_name(written: &str) -> String {
    let fits = |c: char| c.is_ascii_alphanumeric() || "_+=,.@-".contains(c);
    let name: String = written
        .chars()
        .map(|c| if fits(c) { c } else { '-' })
        .take(64)
        .collect();
    if name.len() < 2 {
        "pointsman".to_owned()
    } else {
        name
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sessions_name_is_one_that_sts_takes() {
        assert_eq!(session_name("pointsman-4711"), "pointsman-4711");
        assert_eq!(session_name("run of/main"), "run-of-main");
        assert_eq!(session_name(""), "pointsman");
        assert_eq!(session_name(&"x".repeat(99)).len(), 64);
    }

    #[test]
    fn what_is_missing_is_told_with_what_to_do() {
        for spent in [false, true] {
            let fault = missing(spent);
            assert_eq!(fault.kind, FaultKind::Denied);
            assert!(fault.message.contains("ACTIONS_ID_TOKEN_REQUEST_URL"));
            assert!(fault.message.contains("`id-token: write`"));
        }
    }
}
