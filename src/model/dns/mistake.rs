//! Values that stand where a record's name should and are something else: a URL, an address, a placeholder.
//!
//! Route 53 would store most of them as names, character by character ("DNS domain name format"), so that only a reader
//! sees the mistake; no respelling of them is a name that anybody has.

use std::net::IpAddr;

/// What stands there instead of a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum NameMistake {
    /// Nothing, or the root.
    Empty,
    /// `arn:…`.
    Arn,
    /// An IP address, or a network.
    Address,
    /// `https://…`.
    Url,
    /// A host and a port.
    Port,
    /// A host and a path.
    Path,
    /// Several names in one string.
    List,
    /// White space at an end.
    Blank,
    /// `{{zone}}`, `<zone>`, `$ZONE`: nobody filled it in.
    Placeholder,
}

impl NameMistake {
    /// The mistake, if it is one of these. Values with a policy variable are not judged.
    #[must_use]
    pub fn of(value: &str) -> Option<Self> {
        let body = value.trim();
        let tests: [(bool, Self); 9] = [
            (matches!(body, "" | "."), Self::Empty),
            (body.starts_with("arn:"), Self::Arn),
            (is_address(body), Self::Address),
            (has_placeholder(body), Self::Placeholder),
            (is_list(body), Self::List),
            (body.contains("://"), Self::Url),
            (ends_in_a_port(body), Self::Port),
            (has_path(body), Self::Path),
            (body.len() < value.len(), Self::Blank),
        ];
        if value.contains("${") {
            return None;
        }
        let found = tests.into_iter().find(|(holds, _)| *holds);
        found.map(|(_, mistake)| mistake)
    }
}

fn is_address(body: &str) -> bool {
    let (address, length) = body.split_once('/').unwrap_or((body, ""));
    address.parse::<IpAddr>().is_ok() && length.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether something in it is as a template language or a shell writes what is to be filled in.
fn has_placeholder(body: &str) -> bool {
    let between = |open: char, close: char| {
        let inside = body.split_once(open).map(|(_, rest)| rest);
        inside
            .and_then(|rest| rest.split_once(close))
            .is_some_and(|(name, _)| !name.is_empty())
    };
    let in_a_shell = body.split('$').skip(1).any(|rest| {
        let first = rest.bytes().next();
        first.is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'_')
    });
    between('{', '}') || between('<', '>') || between('[', ']') || between('%', '%') || in_a_shell
}

fn is_list(body: &str) -> bool {
    let words = body.split_whitespace();
    body.contains([',', ';']) || words.filter(|word| word.contains('.')).count() > 1
}

fn ends_in_a_port(body: &str) -> bool {
    let port = body.rsplit_once(':').map(|(_, port)| port);
    port.is_some_and(|port| !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Whether a `/` follows a host. In reverse zones it stands inside of a label (RFC 2317).
fn has_path(body: &str) -> bool {
    let host = body.split_once('/').map(|(host, _)| host);
    let reverse = body.trim_end_matches('.').ends_with(".arpa");
    host.is_some_and(|host| body.ends_with('/') || host.contains('.') && !reverse)
}

#[cfg(test)]
mod tests {
    use super::*;
    use NameMistake as M;

    #[test]
    fn each_mistake_is_told_apart_and_names_are_none() {
        for (value, expected) in [
            ("", Some(M::Empty)),
            (".", Some(M::Empty)),
            ("arn:aws:route53:::hostedzone/Z1", Some(M::Arn)),
            ("192.0.2.1", Some(M::Address)),
            ("192.0.2.0/24", Some(M::Address)),
            ("2001:db8::1", Some(M::Address)),
            ("https://www.example.com", Some(M::Url)),
            ("www.example.com:443", Some(M::Port)),
            ("www.example.com/", Some(M::Path)),
            ("www.example.com/status", Some(M::Path)),
            ("a.example.com,b.example.com", Some(M::List)),
            ("a.example.com,", Some(M::List)),
            ("a.example.com b.example.com", Some(M::List)),
            (" www.example.com", Some(M::Blank)),
            ("www.example.com\n", Some(M::Blank)),
            ("www.{{zone}}", Some(M::Placeholder)),
            ("<name>.example.com", Some(M::Placeholder)),
            ("www.$ZONE", Some(M::Placeholder)),
            ("%NAME%.example.com", Some(M::Placeholder)),
            ("www.example.com", None),
            ("*.example.com", None),
            ("\\052.example.com", None),
            ("0/26.2.0.192.in-addr.arpa", None),
            ("a/b.example.com", None),
            ("${aws:PrincipalTag/zone}:443", None),
        ] {
            assert_eq!(NameMistake::of(value), expected, "{value:?}");
        }
    }
}
