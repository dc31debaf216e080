//! Where a request goes. A pinned place is one address and stays that address, whatever answers; only a name without a
//! pinned address is resolved.

use std::future::Future;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use tokio::net::TcpStream;
use tokio::task::JoinSet;

use crate::adapters::World;
use crate::adapters::executor::resolve::resolve;
use crate::failover::NoAnswer;

use super::fault;

/// The port of HTTPS.
const HTTPS: u16 = 443;
/// From one attempt to the next where a name has several addresses (RFC 8305, section 5).
const STAGGER: Duration = Duration::from_millis(250);

/// Where a request goes.
#[derive(Debug, Clone)]
pub(in crate::adapters) enum Place {
    /// There is no way: a rehearsal knows no such address or name.
    Nowhere,
    /// To this socket and no other.
    Socket(SocketAddr),
    /// To one of the name's addresses, as the system resolves it.
    Name(String, u16),
}

impl Place {
    /// Port 443 of an address.
    pub(in crate::adapters) fn pinned(world: &World, address: IpAddr) -> Self {
        match world.detour() {
            None => Self::Socket(SocketAddr::new(address, HTTPS)),
            Some(detour) => Self::known(detour.sockets.get(&address)),
        }
    }

    /// Port 443 of a host. The final dot keeps search lists and the hosts file out.
    pub(in crate::adapters) fn named(world: &World, host: &str) -> Self {
        match world.detour() {
            None => Self::Name(format!("{host}."), HTTPS),
            Some(detour) => Self::known(detour.names.get(host)),
        }
    }

    fn known(socket: Option<&SocketAddr>) -> Self {
        socket.map_or(Self::Nowhere, |socket| Self::Socket(*socket))
    }

    pub(super) async fn connect(&self) -> Result<TcpStream, NoAnswer> {
        let connected = match self {
            Self::Nowhere => return Err(NoAnswer::Unreachable),
            Self::Socket(socket) => TcpStream::connect(*socket).await,
            Self::Name(name, port) => {
                let found = resolve(name.clone(), *port).await;
                let sockets = found.map_err(|_lookup| NoAnswer::Unreachable)?;
                first_of(sockets.into_iter().map(TcpStream::connect)).await
            }
        };
        let stream = connected.map_err(|error| fault::of_io(&error))?;
        // A request is one small packet; waiting to fill it up only costs time.
        stream.set_nodelay(true).map_err(|_gone| NoAnswer::Reset)?;
        Ok(stream)
    }
}

/// The first attempt that succeeds, each begun a little after the one before; otherwise the last failure.
async fn first_of<T: Send + 'static>(
    attempts: impl Iterator<Item = impl Future<Output = io::Result<T>> + Send + 'static>,
) -> io::Result<T> {
    let mut running = JoinSet::new();
    let mut delay = Duration::ZERO;
    for attempt in attempts {
        running.spawn(async move {
            tokio::time::sleep(delay).await;
            attempt.await
        });
        delay = delay.saturating_add(STAGGER);
    }
    let mut last = io::ErrorKind::HostUnreachable.into();
    while let Some(ended) = running.join_next().await {
        match ended {
            Ok(Ok(first)) => return Ok(first),
            Ok(Err(error)) => last = error,
            Err(_broken_off) => {}
        }
    }
    Err(last)
}
