//! Connections to AWS: a name resolved, an address reached, TLS with that name, all in one time.

use std::error::Error;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout, timeout_at};
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use crate::adapters::executor::resolve::resolve;

use super::wire::WireFault;

/// Whom a request goes to.
pub(super) struct Target {
    /// A name or an address.
    pub(super) host: String,
    pub(super) port: u16,
    pub(super) tls: bool,
}

impl Target {
    /// A connection to one of the addresses. Each but the last has half of the time that is left.
    pub(super) async fn connect(&self, until: Instant) -> Result<TcpStream, WireFault> {
        let Self { host, port, .. } = self;
        let none = |error: &io::Error| {
            let message = format!("the name `{host}` could not be resolved: {error}");
            WireFault::unsent("DnsFailure", message)
        };
        let slow = || {
            let message = format!("no connection to `{host}` port {port} in time");
            WireFault::unsent("ConnectTimeout", message)
        };
        let address: Option<IpAddr> = host.parse().ok();
        let mut addresses = if let Some(address) = address {
            vec![SocketAddr::new(address, *port)]
        } else {
            // The final dot keeps search lists out.
            let found = timeout_at(until, resolve(format!("{host}."), *port)).await;
            let found = found.map_err(|_elapsed| slow())?;
            found.map_err(|error| none(&error))?
        };
        let mut last = none(&io::Error::other("it has no address"));
        // IPv4 first: runners often have no way for the other.
        addresses.sort_by_key(SocketAddr::is_ipv6);
        let mut left = addresses.len();
        for address in addresses {
            left -= 1;
            let rest = until.saturating_duration_since(Instant::now());
            let share = if left == 0 { rest } else { rest / 2 };
            last = match timeout(share, TcpStream::connect(address)).await {
                Ok(Ok(stream)) => {
                    // Only a matter of speed.
                    let _refused = stream.set_nodelay(true);
                    return Ok(stream);
                }
                Ok(Err(error)) => {
                    let refused = error.kind() == io::ErrorKind::ConnectionRefused;
                    let code = if refused {
                        "ConnectionRefused"
                    } else {
                        "ConnectFailure"
                    };
                    let message = format!("no connection to `{host}` port {port}: {error}");
                    WireFault::unsent(code, message)
                }
                Err(_elapsed) => slow(),
            };
        }
        Err(last)
    }

    /// TLS over a connection.
    pub(super) async fn secure(
        &self,
        tcp: TcpStream,
        tls: &Arc<ClientConfig>,
        until: Instant,
    ) -> Result<TlsStream<TcpStream>, WireFault> {
        let fault = |error: &dyn Error| {
            WireFault::unsent(
                "TlsFailure",
                format!("no TLS with `{}`: {error}", self.host),
            )
        };
        let name = ServerName::try_from(self.host.clone()).map_err(|error| fault(&error))?;
        let connector = TlsConnector::from(Arc::clone(tls));
        match timeout_at(until, connector.connect(name, tcp)).await {
            Ok(Ok(stream)) => Ok(stream),
            Ok(Err(error)) => Err(fault(&error)),
            Err(_elapsed) => Err(WireFault::unsent(
                "ConnectTimeout",
                format!("TLS with `{}` was not ready in time", self.host),
            )),
        }
    }
}
