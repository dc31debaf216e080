//! One HTTPS request on a connection of its own: to one place, with the real name in SNI, Host and certificate check, in one
//! total time with the whole answer. The environment's proxies are not known here; a redirect is an answer like any other.
//! (Facts: the table of what `curl --resolve` does; reqwest lets `HTTPS_PROXY` override a pinned address.)

mod exchange;
mod fault;
mod place;
mod trust;
mod watched;

use std::sync::Arc;
use std::time::Duration;

use hyper::header::{HeaderMap, HeaderName, HeaderValue};
use rustls::pki_types::ServerName;
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

use crate::failover::NoAnswer;

pub(in crate::adapters) use place::Place;
pub use trust::{Trust, TrustFault};
use watched::Watched;

/// What programs call this one: `pointsman/0.1.0`.
const AGENT: &str = concat!("pointsman/", env!("CARGO_PKG_VERSION"));

/// A request.
#[derive(Debug, Clone)]
pub(in crate::adapters) struct Get {
    /// The name: in SNI, in Host, in the certificate.
    pub host: String,
    /// What is sent as Host; the name, with a port where the URL had one.
    pub authority: String,
    /// Path and query.
    pub path: String,
    /// Further headers.
    pub headers: Vec<(HeaderName, HeaderValue)>,
    /// How many bytes of the body are kept; all of it is read.
    pub keep: usize,
}

impl Get {
    /// `https://HOST/`, nothing of the body kept.
    pub(in crate::adapters) fn root(host: &str) -> Self {
        Self {
            host: host.to_owned(),
            authority: host.to_owned(),
            path: "/".to_owned(),
            headers: Vec::new(),
            keep: 0,
        }
    }
}

/// An answer, whole.
#[derive(Debug)]
pub(in crate::adapters) struct Reply {
    /// The status.
    pub status: u16,
    /// The headers.
    pub headers: HeaderMap,
    /// The beginning of the body.
    pub body: Vec<u8>,
}

/// Asks over TLS. When the time is up before the head was there, that is a time-out; later, the body was slow.
///
/// # Errors
/// Why there is no whole answer.
pub(in crate::adapters) async fn get(
    trust: Trust,
    place: Place,
    get: Get,
    timeout: Duration,
) -> Result<Reply, NoAnswer> {
    // One timer for all phases. It is looked at first: a body without end is always ready.
    let timer = tokio::time::sleep(timeout);
    tokio::pin!(timer);
    let opening = async {
        let stream = secured(&trust, place.connect().await?, &get.host).await?;
        exchange::ask(stream, &get).await
    };
    let opened = tokio::select! {
        biased;
        () = &mut timer => Err(NoAnswer::Timeout),
        opened = opening => opened,
    };
    let open = opened?;
    tokio::select! {
        biased;
        () = &mut timer => Err(NoAnswer::SlowBody),
        whole = open.whole(get.keep) => whole,
    }
}

/// Asks in the clear, which only a rehearsal does, and only on loopback.
///
/// # Errors
/// Why there is no whole answer.
pub(in crate::adapters) async fn get_in_the_clear(
    place: Place,
    get: Get,
    timeout: Duration,
) -> Result<Reply, NoAnswer> {
    let work = async {
        let stream = place.connect().await?;
        exchange::ask(stream, &get).await?.whole(get.keep).await
    };
    let timed = tokio::time::timeout(timeout, work).await;
    timed.unwrap_or(Err(NoAnswer::Timeout))
}

/// TLS over the connection, the certificate checked for the name.
async fn secured(
    trust: &Trust,
    stream: TcpStream,
    host: &str,
) -> Result<tokio_rustls::client::TlsStream<Watched>, NoAnswer> {
    let name = ServerName::try_from(host.to_owned()).ok();
    let name = name.ok_or(NoAnswer::Other)?;
    let connector = TlsConnector::from(Arc::clone(trust.config()));
    let begun = connector.connect(name, Watched::new(stream));
    begun.into_fallible().await.map_err(|(error, stream)| {
        if stream.speaks_http() {
            NoAnswer::PlainHttp
        } else {
            fault::of_io(&error)
        }
    })
}
