//! How the role is borrowed, by the step of the workflow and by attacks: a form to STS, and a session from its answer.

use std::io;
use std::net::SocketAddr;

use super::caller::{Outgoing, call};

/// What STS is asked for (STS API reference, `AssumeRoleWithWebIdentity`).
#[derive(Debug, Clone, Copy)]
pub(super) struct Form<'a> {
    /// The role's ARN.
    pub role: &'a str,
    /// The token.
    pub token: &'a str,
    /// How many seconds the session lasts.
    pub seconds: &'a str,
    /// Its name.
    pub session: &'a str,
    /// Its policy.
    pub policy: Option<&'a str>,
}

/// A session of the role.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Session {
    /// The id of its key.
    pub key: String,
    /// Its secret.
    pub secret: String,
    /// Its token.
    pub token: String,
    /// Whose it is.
    pub principal: String,
}

impl Session {
    /// The session in an answer.
    #[must_use]
    pub(super) fn read(answer: &str) -> Option<Self> {
        let part = |name: &str| {
            let (_, rest) = answer.split_once(&format!("<{name}>"))?;
            rest.split_once('<').map(|(text, _)| text.to_owned())
        };
        Some(Self {
            key: part("AccessKeyId")?,
            secret: part("SecretAccessKey")?,
            token: part("SessionToken")?,
            principal: part("Arn")?,
        })
    }
}

/// Asks STS; gives the status and the body.
///
/// # Errors
/// When there is no answer.
pub(super) fn borrow(socket: SocketAddr, form: Form<'_>) -> io::Result<(u16, String)> {
    let mut body = "Action=AssumeRoleWithWebIdentity&Version=2011-06-15".to_owned();
    let fields = [
        ("DurationSeconds", Some(form.seconds)),
        ("RoleSessionName", Some(form.session)),
        ("RoleArn", Some(form.role)),
        ("WebIdentityToken", Some(form.token)),
        ("Policy", form.policy),
    ];
    for (name, value) in fields {
        if let Some(value) = value {
            body.push_str(&format!("&{name}={}", encoded(value)));
        }
    }
    let headers = [(
        "Content-Type".to_owned(),
        "application/x-www-form-urlencoded".to_owned(),
    )];
    let request = Outgoing {
        method: "POST",
        path: "/",
        headers: &headers,
        body: &body,
    };
    call(socket, request)
}

/// Percent escapes for everything but letters, digits and what is unreserved (RFC 3986, section 2.3).
fn encoded(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            encoded.push_str(&format!("%{byte:02X}"));
        }
    }
    encoded
}

/// The message of an answer in XML or JSON.
pub(super) fn said(body: &str) -> String {
    let xml = body
        .split_once("<Message>")
        .and_then(|(_, rest)| rest.split_once("</Message>"));
    let read: Result<serde_json::Value, _> = serde_json::from_str(body);
    let read = read.unwrap_or_default();
    let json = read.get("message").and_then(serde_json::Value::as_str);
    match xml {
        Some((text, _)) => plain(text),
        None => json.unwrap_or_default().to_owned(),
    }
}

/// The text of an XML document without its five entities (XML 1.0, section 4.6).
fn plain(text: &str) -> String {
    let entities = [
        ("&apos;", "'"),
        ("&quot;", "\""),
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&amp;", "&"),
    ];
    let mut plain = text.to_owned();
    for (entity, letter) in entities {
        plain = plain.replace(entity, letter);
    }
    plain
}
