//! Where the API is: `https://api.github.com`, `https://HOST/api/v3` of GitHub Enterprise Server, `https://api.NAME.ghe.com`.
//!
//! Source: GitHub REST API documentation, "Getting started"; RFC 3986, sections 2.1 and 5.2.

use std::fmt::Write as _;
use std::net::{IpAddr, SocketAddr};

use hyper::Uri;

use crate::adapters::executor::https::Place;

/// The API, as one server at one path.
#[derive(Debug, Clone)]
pub(super) struct Base {
    /// `https://HOST:PORT`, as redirects and pages must begin.
    origin: String,
    /// The name in TLS.
    pub(super) host: String,
    /// What is sent as Host.
    pub(super) authority: String,
    /// The path that all others stand below, without a final slash.
    path: String,
    /// The address, where it is asked in the clear; only loopback is.
    clear: Option<SocketAddr>,
    port: u16,
}

impl Base {
    /// Reads the URL of an API.
    ///
    /// # Errors
    /// Why it is none.
    pub(super) fn read(url: &str) -> Result<Self, String> {
        let wrong = |why: &str| format!("`{url}` is no address of GitHub's API: {why}");
        let uri: Uri = url.parse().map_err(|_malformed| wrong("it is no URL"))?;
        let (Some(scheme), Some(host)) = (uri.scheme_str(), uri.host()) else {
            return Err(wrong("it has no scheme or no host"));
        };
        let authority = uri.authority().map_or(host, |it| it.as_str());
        if authority.contains('@') || uri.query().is_some() {
            return Err(wrong("it has a user or a query in it"));
        }
        let clear = match scheme {
            "https" => None,
            "http" => {
                let socket = loopback(host, uri.port_u16());
                Some(socket.ok_or_else(|| wrong("the token would be sent in the clear"))?)
            }
            _ => return Err(wrong("it is asked over `https`")),
        };
        Ok(Self {
            origin: format!("{scheme}://{authority}"),
            host: host.to_owned(),
            authority: authority.to_owned(),
            path: uri.path().trim_end_matches('/').to_owned(),
            clear,
            port: uri.port_u16().unwrap_or(443),
        })
    }

    /// Where requests go, and whether they go in the clear.
    pub(super) fn place(&self) -> (Place, bool) {
        match self.clear {
            Some(socket) => (Place::Socket(socket), true),
            None => (Place::Name(self.host.clone(), self.port), false),
        }
    }

    /// The path that is asked for.
    pub(super) fn below(&self, path: &str) -> String {
        format!("{}{path}", self.path)
    }

    /// What the path of an absolute URL on this server is below the API's; `None` for another server: the token is not
    /// for others.
    pub(super) fn followed(&self, url: &str) -> Option<String> {
        let rest = match url.strip_prefix(self.origin.as_str()) {
            Some(rest) => rest,
            None => Some(url).filter(|url| url.starts_with('/') && !url.starts_with("//"))?,
        };
        let below = rest.strip_prefix(self.path.as_str())?;
        below.starts_with('/').then(|| below.to_owned())
    }
}

fn loopback(host: &str, port: Option<u16>) -> Option<SocketAddr> {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    let address: IpAddr = bare.parse().ok()?;
    let loopback = address.is_loopback();
    loopback.then_some(SocketAddr::new(address, port.unwrap_or(80)))
}

/// A ref in a path; slashes stay where the route takes more than one segment.
pub(super) fn encoded(text: &str, slashes: bool) -> String {
    let mut written = String::new();
    for byte in text.bytes() {
        let plain = byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte);
        if plain || slashes && byte == b'/' {
            written.push(char::from(byte));
        } else {
            let _ = write!(written, "%{byte:02X}");
        }
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_sent_over_tls_or_to_loopback_and_to_no_other_server() {
        for wrong in [
            "http://api.example.com",
            "ftp://api.example.com",
            "api.example.com",
            "https://user@api.example.com",
            "https://api.example.com/?x=1",
            "",
        ] {
            assert!(Base::read(wrong).is_err(), "{wrong}");
        }
        let base = Base::read("https://ghes.example.com/api/v3/").unwrap();
        assert_eq!(base.below("/repos/o/r"), "/api/v3/repos/o/r");
        for (url, followed) in [
            (
                "https://ghes.example.com/api/v3/repositories/7?page=2",
                Some("/repositories/7?page=2"),
            ),
            ("/api/v3/repositories/7", Some("/repositories/7")),
            ("https://ghes.example.com.evil.example/api/v3/x", None),
            ("https://ghes.example.com:8443/api/v3/x", None),
            ("https://ghes.example.com@evil.example/api/v3/x", None),
            ("//evil.example/api/v3/x", None),
            ("http://ghes.example.com/api/v3/x", None),
            ("https://ghes.example.com/api/v3x", None),
        ] {
            assert_eq!(base.followed(url).as_deref(), followed, "{url}");
        }
    }

    #[test]
    fn what_a_ref_may_hold_makes_no_other_request() {
        assert_eq!(
            encoded("refs/heads/a?b#c", false),
            "refs%2Fheads%2Fa%3Fb%23c"
        );
        assert_eq!(encoded("part/v1.0 é", true), "part/v1.0%20%C3%A9");
    }
}
