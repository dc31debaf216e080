//! What a site on loopback does with its visitors: every fault that a prober must tell apart.

use std::collections::BTreeMap;

use crate::drill::authority::CertificateKind;

/// What happens before HTTP.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConnectionKind {
    /// TLS with this certificate.
    Tls(CertificateKind),
    /// TLS 1.2 with the right certificate.
    OlderTls,
    /// The port is closed.
    Refuses,
    /// The connection is accepted and broken once something came.
    Resets,
    /// The connection is accepted, and then nothing.
    Stalls,
    /// The connection is accepted and ended in the middle of the handshake.
    HangsUp,
    /// HTTP without TLS: whatever comes is answered with status 400, as nginx does.
    PlainHttp,
    /// Something else without TLS.
    OtherProtocol,
}

/// How the answer is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BodyKind {
    /// At once and whole.
    Whole,
    /// Whole, of this many bytes.
    Long(usize),
    /// Whole, in chunks.
    Chunked,
    /// Whole, after an early answer of status 103.
    AfterHints,
    /// Whole, its end told by the end of the connection.
    ToTheEnd,
    /// The same, but the connection ends without TLS saying so, as sloppy servers do.
    ToNoEnd,
    /// Nothing, not even the head.
    StallsBeforeHead,
    /// The head, a part of the body, and then nothing.
    Stalls,
    /// The head, and then a body without end, as quick as it goes.
    Endless,
    /// The head, and then a byte now and again, without end.
    Drips,
    /// The head, a part of the body, and the end of the connection.
    CutOff,
    /// The same in chunks.
    ChunkedCutOff,
    /// No HTTP at all.
    Nonsense,
}

/// What a site does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SiteConduct {
    /// Before HTTP.
    pub connection: ConnectionKind,
    /// The status of every host but those of `statuses`.
    pub status: u16,
    /// Statuses by host.
    pub statuses: BTreeMap<String, u16>,
    /// How the answer is given.
    pub body: BodyKind,
    /// Further headers: `location`, the site's name.
    pub headers: Vec<(String, String)>,
}

impl Default for SiteConduct {
    fn default() -> Self {
        Self {
            connection: ConnectionKind::Tls(CertificateKind::Right),
            status: 200,
            statuses: BTreeMap::new(),
            body: BodyKind::Whole,
            headers: Vec::new(),
        }
    }
}

impl SiteConduct {
    /// The usual, but with this before HTTP.
    #[must_use]
    pub fn connecting(connection: ConnectionKind) -> Self {
        Self {
            connection,
            ..Self::default()
        }
    }

    /// The usual, but with this certificate.
    #[must_use]
    pub fn showing(certificate: CertificateKind) -> Self {
        Self::connecting(ConnectionKind::Tls(certificate))
    }

    /// The usual, but with this status.
    #[must_use]
    pub fn answering(status: u16) -> Self {
        Self {
            status,
            ..Self::default()
        }
    }

    /// The usual, but with the answer given so.
    #[must_use]
    pub fn giving(body: BodyKind) -> Self {
        Self {
            body,
            ..Self::default()
        }
    }

    /// The same with one more header.
    #[must_use]
    pub fn with_header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    pub(super) fn status_of(&self, host: &str) -> u16 {
        self.statuses.get(host).copied().unwrap_or(self.status)
    }
}
