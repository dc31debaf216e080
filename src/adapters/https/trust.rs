//! Whose certificates are believed: those of the system's authorities, or in a rehearsal those of its own authority alone.

use std::sync::{Arc, OnceLock};

use rustls::client::Resumption;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use rustls::{ClientConfig, RootCertStore};

use crate::adapters::World;

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
        "no authority for certificates was found on this system{0}; install the package `ca-certificates`"
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
            None => SYSTEM.get_or_init(Self::of_the_system).clone(),
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

    fn of_the_system() -> Result<Self, TrustFault> {
        let found = rustls_native_certs::load_native_certs();
        let roots = store(found.certs);
        if roots.is_empty() {
            let told = found.errors.first();
            let why = told.map_or_else(String::new, |error| format!(" ({error})"));
            return Err(TrustFault::NoRoots(why));
        }
        Self::only(roots)
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

fn store(certificates: Vec<CertificateDer<'static>>) -> RootCertStore {
    let mut roots = RootCertStore::empty();
    // Old authorities that cannot be read are left out, as every TLS library does.
    roots.add_parsable_certificates(certificates);
    roots
}
