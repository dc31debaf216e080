//! Certificates of a rehearsal: an authority of its own, right certificates and every wrong one.

use std::io;
use std::sync::Arc;

use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair, date_time_ymd,
};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::{ServerConfig, SupportedProtocolVersion};

/// What a site shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum CertificateKind {
    /// The right one.
    Right,
    /// One for `elsewhere.example.net`.
    OtherName,
    /// One that ran out in 2021.
    Expired,
    /// One that holds from 2090 on.
    NotYet,
    /// One of an authority that nobody knows.
    Untrusted,
    /// One that issued itself.
    SelfIssued,
}

/// An issuer of certificates.
#[derive(Clone)]
pub struct Authority {
    issuer: Arc<CertifiedIssuer<'static, KeyPair>>,
}

impl std::fmt::Debug for Authority {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Authority").finish_non_exhaustive()
    }
}

impl Authority {
    /// A new one, with a key of its own.
    ///
    /// # Errors
    /// When the system gives no randomness.
    pub fn new(name: &str) -> io::Result<Self> {
        let mut params = CertificateParams::default();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.distinguished_name.push(DnType::CommonName, name);
        let issuer = CertifiedIssuer::self_signed(params, key()?).map_err(io::Error::other)?;
        Ok(Self {
            issuer: Arc::new(issuer),
        })
    }

    /// Its certificate, in PEM.
    #[must_use]
    pub fn pem(&self) -> String {
        self.issuer.pem()
    }

    /// TLS for a server of these names (`*.example.com` is one), which speaks HTTP/1.1.
    ///
    /// # Errors
    /// When a name is none.
    pub fn server(&self, names: &[&str], kind: CertificateKind) -> io::Result<Arc<ServerConfig>> {
        self.server_of(names, kind, rustls::ALL_VERSIONS)
    }

    /// The same for TLS 1.2 alone, with the right certificate.
    ///
    /// # Errors
    /// When a name is none.
    pub fn older_server(&self, names: &[&str]) -> io::Result<Arc<ServerConfig>> {
        self.server_of(names, CertificateKind::Right, &[&rustls::version::TLS12])
    }

    fn server_of(
        &self,
        names: &[&str],
        kind: CertificateKind,
        versions: &[&'static SupportedProtocolVersion],
    ) -> io::Result<Arc<ServerConfig>> {
        let elsewhere: &[&str] = &["elsewhere.example.net"];
        let shown = if kind == CertificateKind::OtherName {
            elsewhere
        } else {
            names
        };
        let (certificate, key) = self.issue(shown, kind)?;
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let mut config = ServerConfig::builder_with_provider(provider)
            .with_protocol_versions(versions)
            .map_err(io::Error::other)?
            .with_no_client_auth()
            .with_single_cert(vec![certificate], key)
            .map_err(io::Error::other)?;
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(Arc::new(config))
    }

    fn issue(
        &self,
        names: &[&str],
        kind: CertificateKind,
    ) -> io::Result<(CertificateDer<'static>, PrivateKeyDer<'static>)> {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        let mut params = CertificateParams::new(names).map_err(io::Error::other)?;
        let (from, to) = match kind {
            CertificateKind::Expired => (2020, 2021),
            CertificateKind::NotYet => (2090, 2091),
            CertificateKind::Right
            | CertificateKind::OtherName
            | CertificateKind::Untrusted
            | CertificateKind::SelfIssued => (2020, 2090),
        };
        params.not_before = date_time_ymd(from, 1, 1);
        params.not_after = date_time_ymd(to, 1, 1);
        let own = key()?;
        let certificate = match kind {
            CertificateKind::SelfIssued => {
                params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
                params.self_signed(&own)
            }
            CertificateKind::Untrusted => {
                let stranger = Self::new("nobody knows this authority")?;
                params.signed_by(&own, &stranger.issuer)
            }
            CertificateKind::Right
            | CertificateKind::OtherName
            | CertificateKind::Expired
            | CertificateKind::NotYet => params.signed_by(&own, &self.issuer),
        };
        let certificate = certificate.map_err(io::Error::other)?;
        let der = PrivatePkcs8KeyDer::from(own.serialize_der());
        Ok((certificate.der().clone(), der.into()))
    }
}

fn key() -> io::Result<KeyPair> {
    KeyPair::generate().map_err(io::Error::other)
}
