//! GitHub's OIDC token, by which the role is borrowed (GitHub documentation, "OpenID Connect in cloud providers": a job
//! with `id-token: write` asks `$ACTIONS_ID_TOKEN_REQUEST_URL` for an audience, and gets `value`). Neither the token nor
//! what it is asked with is ever shown.

use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use hyper::Uri;
use hyper::header::{AUTHORIZATION, HeaderValue};

use crate::failover::{Fault, FaultKind};
use crate::ports::Stop;

use super::https::{Get, Place, Reply, Trust, get, get_in_the_clear};
use crate::adapters::{Runtime, World};

/// Whom the token is for: what `aws-actions/configure-aws-credentials` asks for, and what the trust policy fixes.
const AUDIENCE: &str = "sts.amazonaws.com";
/// How long one request may take.
const PATIENCE: Duration = Duration::from_secs(10);
/// The most of an answer that is read; a token has about 2 KiB.
const MOST: usize = 64 * 1024;

/// Where the token is had, and with what.
#[derive(Clone)]
pub struct GitHubToken {
    /// `ACTIONS_ID_TOKEN_REQUEST_URL`.
    pub url: String,
    /// `ACTIONS_ID_TOKEN_REQUEST_TOKEN`.
    pub bearer: String,
}

impl fmt::Debug for GitHubToken {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("GitHubToken")
            .finish_non_exhaustive()
    }
}

/// A token. It does not show itself.
#[derive(Clone, PartialEq, Eq)]
pub struct Token(String);

impl Token {
    /// Its text, for the one who needs it.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Token(..)")
    }
}

/// A request that is ready to go.
struct Prepared {
    place: Place,
    get: Get,
    clear: bool,
}

impl GitHubToken {
    /// Asks for a token: over TLS in the real world, in the clear on loopback in a rehearsal.
    ///
    /// # Errors
    /// What the endpoint answered, as a fault; or the end of the job.
    pub fn fetch(&self, runtime: &Runtime, world: &World) -> Result<Token, Stop> {
        let prepared = self.prepared(world)?;
        let host = prepared.get.authority.clone();
        let replied = if prepared.clear {
            runtime.run(get_in_the_clear(prepared.place, prepared.get, PATIENCE))?
        } else {
            let trust = Trust::of(world);
            let trust = trust.map_err(|fault| unavailable("NoTrust", fault.to_string()))?;
            runtime.run(get(trust, prepared.place, prepared.get, PATIENCE))?
        };
        let reply = replied.map_err(|why| {
            let word = why.word().replace('_', " ");
            unavailable("TokenEndpoint", format!("`{host}` gave no answer: {word}"))
        })?;
        Ok(token(&reply).map_err(|fault| Fault {
            message: format!("`{host}` {}", fault.message),
            ..fault
        })?)
    }

    fn prepared(&self, world: &World) -> Result<Prepared, Fault> {
        let asked = with_audience(&self.url);
        let uri: Uri = asked.parse().map_err(|_malformed| malformed("no URL"))?;
        let host = uri.host().ok_or_else(|| malformed("no absolute URL"))?;
        let authority = uri.authority().map_or(host, |authority| authority.as_str());
        if authority.contains('@') {
            return Err(malformed("a URL with a user in it"));
        }
        // What stands behind the host may be secret, the beginning is not.
        let beginning = format!("{}://{authority}", uri.scheme_str().unwrap_or("?"));
        let malformed = |what: &str| malformed(&format!("`{beginning}…`, {what}"));
        let (place, clear) = match (uri.scheme_str(), world.detour()) {
            (Some("https"), None) => {
                let port = uri.port_u16().unwrap_or(443);
                (Place::Name(host.to_owned(), port), false)
            }
            (Some("http"), Some(_)) => {
                let socket = loopback(host, uri.port_u16());
                let socket = socket.ok_or_else(|| malformed("not on loopback"))?;
                (Place::Socket(socket), true)
            }
            (_, None) => return Err(malformed("no `https` URL")),
            (_, Some(_)) => return Err(malformed("no `http` URL, as a rehearsal has it")),
        };
        let path = uri.path_and_query().map_or("/", |path| path.as_str());
        let bearer = HeaderValue::from_str(&format!("Bearer {}", self.bearer));
        let mut bearer = bearer.map_err(|_unsendable| Fault {
            kind: FaultKind::Rejected,
            code: "TokenRequest".to_owned(),
            message: "ACTIONS_ID_TOKEN_REQUEST_TOKEN cannot stand in a header".to_owned(),
        })?;
        bearer.set_sensitive(true);
        let get = Get {
            authority: authority.to_owned(),
            path: path.to_owned(),
            headers: vec![(AUTHORIZATION, bearer)],
            keep: MOST,
            ..Get::root(host)
        };
        Ok(Prepared { place, get, clear })
    }
}

/// The URL with the audience added to its query.
fn with_audience(url: &str) -> String {
    let url = url.split('#').next().unwrap_or(url);
    let joint = match url.split_once('?') {
        None => "?",
        Some((_, query)) if query.is_empty() || query.ends_with('&') => "",
        Some(_) => "&",
    };
    format!("{url}{joint}audience={AUDIENCE}")
}

fn loopback(host: &str, port: Option<u16>) -> Option<SocketAddr> {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    let address: IpAddr = bare.parse().ok()?;
    let loopback = address.is_loopback();
    loopback.then_some(SocketAddr::new(address, port.unwrap_or(80)))
}

fn token(reply: &Reply) -> Result<Token, Fault> {
    let told = |kind, message: String| Fault {
        kind,
        code: "TokenEndpoint".to_owned(),
        message,
    };
    let status = reply.status;
    match status {
        200..=299 => {}
        429 => return Err(told(FaultKind::Busy, format!("answered {status}"))),
        500.. => return Err(told(FaultKind::Unavailable, format!("answered {status}"))),
        400..=499 => {
            let message = format!("answered {status}; the job needs `id-token: write`");
            return Err(told(FaultKind::Denied, message));
        }
        _ => {
            let message = format!("answered {status}, which is no token and is not followed");
            return Err(told(FaultKind::Rejected, message));
        }
    }
    let read: Option<serde_json::Value> = serde_json::from_slice(&reply.body).ok();
    let value = read.as_ref().and_then(|read| read.get("value")?.as_str());
    let value = value.filter(|value| !value.is_empty());
    value.map(|value| Token(value.to_owned())).ok_or_else(|| {
        let message = format!("answered {status} without a `value` in JSON");
        told(FaultKind::Unavailable, message)
    })
}

fn unavailable(code: &str, message: String) -> Fault {
    Fault {
        kind: FaultKind::Unavailable,
        code: code.to_owned(),
        message,
    }
}

fn malformed(what: &str) -> Fault {
    Fault {
        kind: FaultKind::Rejected,
        code: "TokenRequest".to_owned(),
        message: format!("ACTIONS_ID_TOKEN_REQUEST_URL is {what}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_audience_is_added_to_any_query() {
        let cases = [
            (
                "https://a.example.com/t",
                "https://a.example.com/t?audience=sts.amazonaws.com",
            ),
            (
                "https://a.example.com/t?",
                "https://a.example.com/t?audience=sts.amazonaws.com",
            ),
            (
                "https://a.example.com/t?api-version=2.0",
                "https://a.example.com/t?api-version=2.0&audience=sts.amazonaws.com",
            ),
            (
                "https://a.example.com/t?x=1&#frag?",
                "https://a.example.com/t?x=1&audience=sts.amazonaws.com",
            ),
        ];
        for (url, asked) in cases {
            assert_eq!(with_audience(url), asked);
        }
    }

    #[test]
    fn nothing_secret_is_shown() {
        let source = GitHubToken {
            url: "https://a.example.com/secret".to_owned(),
            bearer: "secret".to_owned(),
        };
        let shown = format!("{source:?} {:?}", Token("secret".to_owned()));
        assert!(!shown.contains("secret"), "{shown}");
    }

    #[test]
    fn the_real_world_is_asked_over_tls_alone() {
        let urls = [
            ("http://127.0.0.1/t", "no `https` URL"),
            ("/t", "no absolute URL"),
            ("", "no URL"),
            ("https://user@a.example.com/t", "a URL with a user in it"),
            ("https://a b/", "no URL"),
        ];
        let runtime = Runtime::new().unwrap();
        for (url, told) in urls {
            let source = GitHubToken {
                url: url.to_owned(),
                bearer: "secret".to_owned(),
            };
            let Err(Stop::Failed(fault)) = source.fetch(&runtime, &World::default()) else {
                panic!("{url}");
            };
            assert_eq!(fault.kind, FaultKind::Rejected, "{url}");
            assert!(fault.message.contains(told), "{url}: {}", fault.message);
        }
        let split = GitHubToken {
            url: "https://a.example.com/t".to_owned(),
            bearer: "secret\r\nhost: b.example.com".to_owned(),
        };
        let refused = split.fetch(&runtime, &World::default());
        assert!(matches!(refused, Err(Stop::Failed(fault)) if !fault.message.contains("secret")));
    }
}
