//! Whose certificates are believed: those of the system's authorities, or in a rehearsal those of its own authority alone.
//!
//! The system's authorities are read from where systems have them, and from nowhere else: `SSL_CERT_FILE` and
//! `SSL_CERT_DIR`, which other programs follow, would let whoever sets a variable of the job decide whose answers are
//! evidence.

use std::path::Path;
use std::sync::{Arc, OnceLock};

use rustls::client::Resumption;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use rustls::{ClientConfig, RootCertStore};

use crate::adapters::{World, read_file};

/// Where systems have all their authorities in one file (Go, `crypto/x509/root_linux.go`, with macOS and the BSDs).
const PLACES: [&str; 8] = [
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
    "/etc/pki/tls/cacert.pem",
    "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
    "/etc/ssl/cert.pem",
    "/usr/local/etc/ssl/cert.pem",
    "/usr/local/share/certs/ca-root-nss.crt",
];

/// Whose certificates are believed; clones share it.
#[derive(Debug, Clone)]
pub struct Trust {
    config: Arc<ClientConfig>,
}

/// Nobody's certificate can be believed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TrustFault {
    /// The system has no authorities.
    #[error(
        "no authority for certificates was found on this system ({0}); install the package `ca-certificates`"
    )]
    NoRoots(String),
    /// The rehearsal's authority cannot be read.
    #[error("the rehearsal's authority is no certificate in PEM")]
    Authority,
    /// TLS cannot be set up.
    #[error("TLS cannot be set up: {0}")]
    Setup(String),
}

/// The system's authorities, read once in a process.
static SYSTEM: OnceLock<Result<Trust, TrustFault>> = OnceLock::new();

impl Trust {
    /// Whom this world trusts. The system's authorities are read when they are first needed.
    ///
    /// # Errors
    /// When there is nobody.
    pub fn of(world: &World) -> Result<Self, TrustFault> {
        match world.detour() {
            None => SYSTEM.get_or_init(|| Self::in_files(&PLACES)).clone(),
            Some(detour) => {
                let read: Result<Vec<CertificateDer<'static>>, _> =
                    CertificateDer::pem_slice_iter(detour.authority.as_bytes()).collect();
                let certificates = read.map_err(|_unreadable| TrustFault::Authority)?;
                let roots = store(certificates);
                if roots.is_empty() {
                    return Err(TrustFault::Authority);
                }
                Self::only(roots)
            }
        }
    }

    /// The authorities of the first of these files that has any.
    fn in_files(places: &[&str]) -> Result<Self, TrustFault> {
        let mut why = Vec::new();
        for place in places {
            match authorities(Path::new(place)) {
                Ok(roots) => return Self::only(roots),
                Err(reason) => why.extend(reason),
            }
        }
        if why.is_empty() {
            why.push(format!("there is none of {}", places.join(", ")));
        }
        Err(TrustFault::NoRoots(why.join("; ")))
    }

    fn only(roots: RootCertStore) -> Result<Self, TrustFault> {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let mut config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(|error| TrustFault::Setup(error.to_string()))?
            .with_root_certificates(roots)
            .with_no_client_auth();
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        // A session taken up again shows no certificate.
        config.resumption = Resumption::disabled();
        Ok(Self {
            config: Arc::new(config),
        })
    }

    /// What connections are made with.
    #[must_use]
    pub fn config(&self) -> &Arc<ClientConfig> {
        &self.config
    }
}

/// The authorities in this file, or why there are none; without a word where there is no such file.
fn authorities(place: &Path) -> Result<RootCertStore, Option<String>> {
    let bytes = read_file(place).map_err(|fault| (!fault.missing).then(|| fault.to_string()))?;
    // What is no certificate among many is left out, as every TLS library does.
    let found = CertificateDer::pem_slice_iter(&bytes).filter_map(Result::ok);
    let roots = store(found.collect());
    if roots.is_empty() {
        return Err(Some(format!("{} holds no certificate", place.display())));
    }
    Ok(roots)
}

fn store(certificates: Vec<CertificateDer<'static>>) -> RootCertStore {
    let mut roots = RootCertStore::empty();
    // Old authorities that cannot be read are left out, as every TLS library does.
    roots.add_parsable_certificates(certificates);
    roots
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::adapters::add_to_file;

    /// The certificate of an authority whose key nobody has.
    const AUTHORITY: &str = "-----BEGIN CERTIFICATE-----
MIIBljCCAT2gAwIBAgIUQPkvpdIoLTFKwx/YCG4xf1AuKrEwCgYIKoZIzj0EAwIw
ITEfMB0GA1UEAwwWYW4gYXV0aG9yaXR5IG9mIGEgdGVzdDAeFw0yNjExMzAxOTUx
MDhaFw0zNjExMjcxOTUxMDhaMCExHzAdBgNVBAMMFmFuIGF1dGhvcml0eSBvZiBh
IHRlc3QwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAR7N9l/Oyzu/8RFCTUQtVuw
ZB+Ipqis6dujz3lqvRYGcKL21gdapMIKY1y9uUv41Q6D0Zz4uWCWKOEwYor/Jlaf
o1MwUTAdBgNVHQ4EFgQUBOpyXCa4bUpsXmPMQmPkGMl+flgwHwYDVR0jBBgwFoAU
BOpyXCa4bUpsXmPMQmPkGMl+flgwDwYDVR0TAQH/BAUwAwEB/zAKBggqhkjOPQQD
AgNHADBEAiBGXF/da6Z1DA9ngJ2NICRrwu5kIjMkug6df3J1f6fmXgIgeGkie8lo
FNfOSeUmQmow9YdcUmClFTcXPz5rY1hR66k=
-----END CERTIFICATE-----
";

    #[test]
    fn the_first_file_with_an_authority_counts_and_what_others_lack_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
        let (none, empty, torn, good) = (at("none"), at("empty"), at("torn"), at("good"));
        let begins = "-----BEGIN CERTIFICATE-----\nAAAA\n";
        for (place, text) in [
            (&empty, String::new()),
            (&torn, begins.to_owned()),
            (
                &good,
                format!("{begins}-----END CERTIFICATE-----\n{AUTHORITY}"),
            ),
        ] {
            add_to_file(Path::new(place), &text).unwrap();
        }
        let told = |places: &[&str]| Trust::in_files(places).unwrap_err().to_string();
        assert!(told(&[&none]).contains(&format!("(there is none of {none})")));
        let both = told(&[&none, &empty, &torn]);
        assert!(both.contains("empty holds no certificate; "), "{both}");
        assert!(
            both.contains("install the package `ca-certificates`"),
            "{both}"
        );
        assert!(Trust::in_files(&[&none, &torn, &good]).is_ok());
    }
}
