//! `AssumeRoleWithWebIdentity` (STS API reference): whoever has a token that the role trusts gets a session.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::model::calendar::moment;
use crate::model::session::{SECONDS, name_fault};

use super::call::{Now, pairs, value};
use super::refusal::Refusal;
use super::{token, xml};

/// Whether the role of this ARN trusts a token with these claims, for a session of this name.
pub type Trust = Box<dyn FnMut(&str, &str, &Map<String, Value>) -> bool + Send>;

/// A session that was given out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Borrowed {
    /// Who acts with it: `arn:aws:sts::123456789012:assumed-role/ROLE/SESSION`.
    pub principal: String,
    /// When it ends, in seconds since 1970; `None`: never.
    pub until: Option<u64>,
    /// What must come with it as `X-Amz-Security-Token`.
    pub token: Option<String>,
}

/// Sessions by the id of their access key.
pub(super) type Sessions = BTreeMap<String, Borrowed>;

/// Answers a form with XML.
pub(super) fn answer(
    form: &str,
    now: Now,
    longest: u64,
    trust: &mut Trust,
    sessions: &mut Sessions,
) -> Result<String, Refusal> {
    let form = pairs(form);
    let field = |name: &str| value(&form, name).unwrap_or_default();
    session_name(field("RoleSessionName"))?;
    let claims = valid(field("WebIdentityToken"), now)?;
    let role = field("RoleArn");
    let session = field("RoleSessionName");
    let seconds = match field("DurationSeconds") {
        "" => 3600,
        written => written.parse().unwrap_or(0),
    };
    if !SECONDS.contains(&seconds) {
        let message =
            "1 validation error detected: Value at 'durationSeconds' failed to satisfy constraint";
        return Err(Refusal::new(400, "ValidationError", message));
    }
    let Some((account, name)) = parts(role) else {
        let message = format!("{role} is invalid");
        return Err(Refusal::new(400, "ValidationError", &message));
    };
    if !trust(role, session, &claims) {
        let message = "Not authorized to perform sts:AssumeRoleWithWebIdentity";
        return Err(Refusal::new(403, "AccessDenied", message));
    }
    if seconds > longest {
        let message =
            "The requested DurationSeconds exceeds the MaxSessionDuration set for this role.";
        return Err(Refusal::new(400, "ValidationError", message));
    }
    let number = sessions.len() + 1;
    let key = format!("ASIADRILL{number:011}");
    let borrowed = Borrowed {
        principal: format!("arn:aws:sts::{account}:assumed-role/{name}/{session}"),
        until: Some(now.wall + seconds),
        token: Some(format!("drill-session-{number}")),
    };
    let text = |name: &str| claims.get(name).and_then(Value::as_str).unwrap_or_default();
    let answer = written(&key, &borrowed, text("sub"), text("aud"));
    sessions.insert(key, borrowed);
    Ok(answer)
}

/// That a session may be called so.
fn session_name(name: &str) -> Result<(), Refusal> {
    let Some(must) = name_fault(name) else {
        return Ok(());
    };
    let message = format!(
        "1 validation error detected: Value '{name}' at 'roleSessionName' failed to satisfy constraint: Member must {must}"
    );
    Err(Refusal::new(400, "ValidationError", &message))
}

/// The account and the name in a role's ARN.
fn parts(role: &str) -> Option<(&str, &str)> {
    let rest = role.strip_prefix("arn:aws:iam::")?;
    let (account, path) = rest.split_once(":role/")?;
    Some((account, path.rsplit('/').next()?))
}

/// The claims of a token that is one and has not run out.
fn valid(written: &str, now: Now) -> Result<Map<String, Value>, Refusal> {
    let invalid = |message: &str| Refusal::new(400, "InvalidIdentityToken", message);
    let claims = token::claims(written)
        .ok_or_else(|| invalid("The ID Token provided is not a valid JWT."))?;
    if claims.get("aud").and_then(Value::as_str) != Some("sts.amazonaws.com") {
        return Err(invalid("Incorrect token audience"));
    }
    let until = claims
        .get("exp")
        .and_then(Value::as_u64)
        .unwrap_or_default();
    if until <= now.wall {
        let message = format!(
            "Token expired: current date/time {} must be before the expiration date/time {until}",
            now.wall
        );
        return Err(Refusal::new(400, "ExpiredTokenException", &message));
    }
    Ok(claims)
}

fn written(key: &str, session: &Borrowed, subject: &str, audience: &str) -> String {
    let until = moment(session.until.unwrap_or_default().cast_signed());
    let credentials = [
        xml::leaf("AccessKeyId", key),
        xml::leaf("SecretAccessKey", "drill-secret"),
        xml::leaf("SessionToken", session.token.as_deref().unwrap_or_default()),
        xml::leaf("Expiration", &until),
    ];
    let user = [
        xml::leaf("AssumedRoleId", "AROADRILL:session"),
        xml::leaf("Arn", &session.principal),
    ];
    let result = [
        xml::leaf("SubjectFromWebIdentityToken", subject),
        xml::leaf("Audience", audience),
        xml::element("AssumedRoleUser", &user.concat()),
        xml::element("Credentials", &credentials.concat()),
    ];
    let inner = xml::element("AssumeRoleWithWebIdentityResult", &result.concat());
    xml::document("AssumeRoleWithWebIdentityResponse", xml::STS, &inner)
}
