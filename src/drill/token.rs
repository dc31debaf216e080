//! GitHub's token endpoint: tokens with the claims of a workflow's run, without a signature.
//!
//! Source: GitHub documentation, "OpenID Connect reference". A token lives for five minutes. Nothing here could pass at
//! AWS, which checks the signature.

use serde_json::{Map, Value, json};

use super::call::{Call, Now};
use super::refusal::Refusal;

/// Seconds that a token lives.
const LIFE: u64 = 300;

/// Who issues tokens, and for whom.
#[derive(Debug, Clone)]
pub struct Issuer {
    /// The text of `ACTIONS_ID_TOKEN_REQUEST_TOKEN`.
    pub bearer: String,
    /// Claims of every token; `aud`, `iat`, `nbf`, `exp` and `jti` are added.
    pub claims: Map<String, Value>,
    issued: u64,
}

impl Issuer {
    /// An issuer for runs of one branch of a repository. `subject` is the claim `sub`.
    #[must_use]
    pub fn new(bearer: &str, repository: &str, branch: &str, subject: &str) -> Self {
        let owner = repository.split('/').next().unwrap_or_default();
        let workflow =
            format!("{repository}/.github/workflows/dns-failover.yml@refs/heads/{branch}");
        let claims = json!({
            "iss": "https://token.actions.githubusercontent.com",
            "sub": subject,
            "repository": repository,
            "repository_owner": owner,
            "ref": format!("refs/heads/{branch}"),
            "ref_type": "branch",
            "event_name": "workflow_dispatch",
            "workflow_ref": workflow,
            "job_workflow_ref": workflow,
            "run_id": "1",
            "run_attempt": "1",
            "runner_environment": "github-hosted",
        });
        Self {
            bearer: bearer.to_owned(),
            claims: claims.as_object().cloned().unwrap_or_default(),
            issued: 0,
        }
    }

    /// Answers the endpoint's GET with JSON.
    pub(super) fn answer(&mut self, call: &Call, now: Now) -> Result<String, Refusal> {
        let bearer = call.authorization.as_deref().unwrap_or_default();
        let given = bearer.split_once(' ');
        let known = given.is_some_and(|(scheme, given)| {
            scheme.eq_ignore_ascii_case("bearer") && given == self.bearer
        });
        if !known {
            return Err(Refusal::new(
                401,
                "Unauthorized",
                "the bearer token is not known",
            ));
        }
        let audience = call.asked("audience").unwrap_or("https://github.com/acme");
        let token = self.issue(audience, now);
        Ok(json!({ "count": token.len(), "value": token }).to_string())
    }

    /// A token for this audience.
    pub fn issue(&mut self, audience: &str, now: Now) -> String {
        self.issued += 1;
        let mut claims = self.claims.clone();
        for (name, value) in [
            ("aud", json!(audience)),
            ("iat", json!(now.wall)),
            ("nbf", json!(now.wall)),
            ("exp", json!(now.wall + LIFE)),
            ("jti", json!(format!("drill-{}", self.issued))),
        ] {
            // A claim that the issuer was given stays, so that a token can be made that has run out.
            claims.entry(name).or_insert(value);
        }
        let head = json!({ "typ": "JWT", "alg": "none" }).to_string();
        let body = Value::Object(claims).to_string();
        format!("{}.{}.", base64(head.as_bytes()), base64(body.as_bytes()))
    }
}

/// The claims of a token, whoever made it.
pub(super) fn claims(token: &str) -> Option<Map<String, Value>> {
    let mut parts = token.split('.');
    let (_head, body, _signature) = (parts.next()?, parts.next()?, parts.next()?);
    let body: Value = serde_json::from_slice(&unbase64(body)?).ok()?;
    body.as_object().cloned()
}

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// Base64 for URLs without padding (RFC 4648, section 5).
fn base64(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let group = chunk
            .iter()
            .fold(0_u32, |group, byte| group << 8 | u32::from(*byte));
        let group = group << (8 * (3 - chunk.len()));
        for place in 0..=chunk.len() {
            let index = usize::try_from(group >> (18 - 6 * place) & 63).unwrap_or_default();
            text.extend(DIGITS.get(index).map(|digit| char::from(*digit)));
        }
    }
    text
}

fn unbase64(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len());
    let (mut group, mut bits) = (0_u32, 0_u32);
    for digit in text.bytes() {
        let index = DIGITS.iter().position(|own| *own == digit)?;
        group = group << 6 | u32::try_from(index).ok()?;
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            bytes.push(u8::try_from(group >> bits & 255).ok()?);
            group &= (1 << bits) - 1;
        }
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_that_of_the_rfc() {
        for (plain, coded) in [
            ("", ""),
            ("f", "Zg"),
            ("fo", "Zm8"),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg"),
            ("~~?", "fn4_"),
        ] {
            assert_eq!(base64(plain.as_bytes()), coded);
            assert_eq!(unbase64(coded).as_deref(), Some(plain.as_bytes()));
        }
        assert_eq!(unbase64("a b"), None);
    }

    #[test]
    fn a_token_has_the_claims_of_its_run() {
        let mut issuer = Issuer::new(
            "b",
            "acme/dns-failover",
            "main",
            "repo:acme/dns-failover:ref:refs/heads/main",
        );
        let now = Now {
            wall: 1000,
            ..Now::default()
        };
        let claims = claims(&issuer.issue("sts.amazonaws.com", now)).unwrap();
        assert_eq!(claims.get("aud"), Some(&json!("sts.amazonaws.com")));
        assert_eq!(claims.get("exp"), Some(&json!(1300)));
        assert_eq!(claims.get("repository_owner"), Some(&json!("acme")));
    }
}
