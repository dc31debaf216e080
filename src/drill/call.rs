//! A request to the endpoint and its answer, without sockets; and what the log keeps of them.

use std::time::Duration;

use super::zone::Edit;

/// When a call comes in.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Now {
    /// Since the endpoint began.
    pub since: Duration,
    /// Seconds since 1970, for what is valid until then.
    pub wall: u64,
}

/// An HTTP request.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Call {
    /// The method.
    pub method: String,
    /// The path, still percent-encoded.
    pub path: String,
    /// Names and values after `?`, decoded.
    pub query: Vec<(String, String)>,
    /// The header `Authorization`.
    pub authorization: Option<String>,
    /// The header `X-Amz-Security-Token`.
    pub session: Option<String>,
    /// The header `Content-Type`.
    pub content_type: Option<String>,
    /// The header `User-Agent`.
    pub agent: Option<String>,
    /// The header `X-GitHub-Api-Version`.
    pub version: Option<String>,
    /// The body.
    pub body: String,
}

impl Call {
    /// The query's value of this name.
    #[must_use]
    pub fn asked(&self, name: &str) -> Option<&str> {
        value(&self.query, name)
    }
}

/// The first value of this name.
pub(super) fn value<'a>(pairs: &'a [(String, String)], name: &str) -> Option<&'a str> {
    let own = pairs.iter().find(|(own, _)| own == name);
    own.map(|(_, value)| value.as_str())
}

/// Names and values of a form or a query, decoded.
pub(super) fn pairs(text: &str) -> Vec<(String, String)> {
    let pair = |pair: &str| {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        (decoded(name), decoded(value))
    };
    text.split('&')
        .filter(|part| !part.is_empty())
        .map(pair)
        .collect()
}

/// Percent escapes and plus signs taken back; what is no escape stays.
pub(super) fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((byte, after)) = rest.split_first() {
        rest = after;
        match (byte, after.split_first_chunk::<2>()) {
            (b'+', _) => bytes.push(b' '),
            (b'%', Some((digits, behind))) => match hexadecimal(digits) {
                Some(escaped) => {
                    bytes.push(escaped);
                    rest = behind;
                }
                None => bytes.push(b'%'),
            },
            (other, _) => bytes.push(*other),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn hexadecimal(digits: &[u8]) -> Option<u8> {
    let digits = std::str::from_utf8(digits).ok()?;
    u8::from_str_radix(digits, 16).ok()
}

/// The answer to a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reply {
    /// This status, kind of content and body, after so long.
    Answer {
        /// The status.
        http: u16,
        /// The kind of content.
        kind: &'static str,
        /// The body.
        body: String,
        /// Where it sends the caller on to, for a redirect.
        location: Option<String>,
        /// How late it comes.
        late: Duration,
    },
    /// The connection is closed without a word.
    Dropped,
}

/// The scope of a signature of version 4 (`Credential=` of the header).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scope {
    /// The id of the access key.
    pub key: String,
    /// The day.
    pub date: String,
    /// The region.
    pub region: String,
    /// The service.
    pub service: String,
}

impl Scope {
    /// Reads it from the header.
    #[must_use]
    pub fn read(authorization: &str) -> Option<Self> {
        let rest = authorization.strip_prefix("AWS4-HMAC-SHA256 ")?;
        let credential = rest
            .split(',')
            .find_map(|part| part.trim().strip_prefix("Credential="))?;
        let mut parts = credential.split('/').map(str::to_owned);
        let scope = Self {
            key: parts.next()?,
            date: parts.next()?,
            region: parts.next()?,
            service: parts.next()?,
        };
        (parts.next()? == "aws4_request").then_some(scope)
    }
}

/// A call, as the log keeps it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Logged {
    /// When.
    pub at: Duration,
    /// The operation: its API name, or `oidc_token`.
    pub op: String,
    /// What it was signed for.
    pub scope: Option<Scope>,
    /// The changes of a batch.
    pub edits: Vec<Edit>,
    /// The comment of a batch.
    pub comment: String,
    /// The status and, for an error, its code: `200`, `400 InvalidChangeBatch`; `dropped`.
    pub answer: String,
}
