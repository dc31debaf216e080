//! The wire under the SDK: HTTP/1.1 over TLS, one new connection a call.
//!
//! A pool would save a handshake and could send the batch into a connection that died while the window was watched. A
//! fault here says at which stage it happened, so that a request which never went out is told apart from one whose
//! answer was lost. There is no proxy in it, so none can be set from outside, and a redirect is an answer like any other.

use std::error::Error;
use std::fmt;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use aws_smithy_runtime_api::client::http::{
    HttpClient, HttpConnector, HttpConnectorFuture, HttpConnectorSettings, SharedHttpConnector,
};
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_runtime_api::client::result::ConnectorError;
use aws_smithy_runtime_api::client::runtime_components::RuntimeComponents;
use aws_smithy_types::body::SdkBody;
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::body::Bytes;
use hyper::client::conn::http1;
use hyper::header::{HOST, HeaderValue};
use hyper::{Request, Response, Uri};
use hyper_util::rt::TokioIo;
use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpStream, lookup_host};
use tokio::time::{Instant, timeout, timeout_at};
use tokio_rustls::TlsConnector;

/// How long a connection may take, with name resolution and TLS, if nothing is said.
pub(super) const CONNECT: Duration = Duration::from_secs(4);

/// How long an answer may take, from the request on, if nothing is said.
pub(super) const ANSWER: Duration = Duration::from_secs(10);

/// The most bytes of an answer that are read; a page of 300 record sets has some hundred kilobytes.
const MOST: usize = 16 << 20;

/// Makes the SDK's connections.
#[derive(Debug, Clone)]
pub struct Wire {
    tls: Arc<ClientConfig>,
    rehearsal: bool,
}

impl Wire {
    /// A wire that trusts whom `tls` trusts. In a rehearsal it connects to loopback alone, without TLS if so told;
    /// otherwise with TLS alone.
    #[must_use]
    pub(super) fn new(tls: Arc<ClientConfig>, rehearsal: bool) -> Self {
        Self { tls, rehearsal }
    }
}

/// A failure of the wire.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct WireFault {
    /// Whether the request may have gone out.
    pub(super) sent: bool,
    /// A word for it.
    pub(super) code: &'static str,
    /// In one line.
    pub(super) message: String,
}

impl fmt::Display for WireFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl Error for WireFault {}

impl WireFault {
    fn unsent(code: &'static str, message: String) -> Self {
        Self {
            sent: false,
            code,
            message,
        }
    }

    fn lost(message: String) -> Self {
        Self {
            sent: true,
            code: "ConnectionLost",
            message,
        }
    }
}

impl HttpClient for Wire {
    fn http_connector(
        &self,
        settings: &HttpConnectorSettings,
        _components: &RuntimeComponents,
    ) -> SharedHttpConnector {
        SharedHttpConnector::new(Line {
            wire: self.clone(),
            connect: settings.connect_timeout().unwrap_or(CONNECT),
            answer: settings.read_timeout().unwrap_or(ANSWER),
        })
    }
}

/// A wire with its time-outs.
#[derive(Debug, Clone)]
struct Line {
    wire: Wire,
    connect: Duration,
    answer: Duration,
}

impl HttpConnector for Line {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        let line = self.clone();
        HttpConnectorFuture::new(async move {
            let answer = line.ask(request).await;
            answer.map_err(|fault| ConnectorError::other(Box::new(fault), None))
        })
    }
}

/// Whom a request goes to.
struct Target {
    host: String,
    port: u16,
    tls: bool,
}

impl Line {
    async fn ask(&self, request: HttpRequest) -> Result<HttpResponse, WireFault> {
        let unsent = |error: &dyn Error| {
            WireFault::unsent("RequestNotBuilt", format!("the request is none: {error}"))
        };
        let request = request.try_into_http1x().map_err(|error| unsent(&error))?;
        let target = self.target(request.uri())?;
        let request = in_origin_form(request, &target)?;
        let until = Instant::now() + self.connect;
        let tcp = connect(&target, until).await?;
        let answer = if target.tls {
            let stream = self.secure(tcp, &target, until).await?;
            timeout(self.answer, exchange(stream, request)).await
        } else {
            timeout(self.answer, exchange(tcp, request)).await
        };
        let late = |_elapsed| {
            let waited = self.answer.as_millis();
            WireFault::lost(format!(
                "`{}` did not answer within {waited} ms",
                target.host
            ))
        };
        let answer = answer.map_err(late)??;
        let answer = HttpResponse::try_from(answer);
        answer.map_err(|error| WireFault::lost(format!("the answer is none: {error}")))
    }

    fn target(&self, uri: &Uri) -> Result<Target, WireFault> {
        let refused = |why: &str| {
            WireFault::unsent(
                "EndpointRefused",
                format!("`{uri}` is not connected to: {why}"),
            )
        };
        let host = uri.host().ok_or_else(|| refused("it names no host"))?;
        let address: Option<IpAddr> = host.trim_matches(['[', ']']).parse().ok();
        if self.wire.rehearsal && !address.is_some_and(|address| address.is_loopback()) {
            return Err(refused("a rehearsal stays on loopback"));
        }
        let tls = match uri.scheme_str() {
            Some("https") => true,
            Some("http") if self.wire.rehearsal => false,
            _ => return Err(refused("only HTTPS is allowed")),
        };
        Ok(Target {
            host: host.to_owned(),
            port: uri.port_u16().unwrap_or(if tls { 443 } else { 80 }),
            tls,
        })
    }

    async fn secure(
        &self,
        tcp: TcpStream,
        target: &Target,
        until: Instant,
    ) -> Result<tokio_rustls::client::TlsStream<TcpStream>, WireFault> {
        let fault = |error: &dyn Error| {
            WireFault::unsent(
                "TlsFailure",
                format!("no TLS with `{}`: {error}", target.host),
            )
        };
        let name = ServerName::try_from(target.host.clone()).map_err(|error| fault(&error))?;
        let connector = TlsConnector::from(Arc::clone(&self.wire.tls));
        match timeout_at(until, connector.connect(name, tcp)).await {
            Ok(Ok(stream)) => Ok(stream),
            Ok(Err(error)) => Err(fault(&error)),
            Err(_elapsed) => Err(WireFault::unsent(
                "ConnectTimeout",
                format!("TLS with `{}` was not ready in time", target.host),
            )),
        }
    }
}

/// A connection to one of the target's addresses. Each but the last has half of the time that is left.
async fn connect(target: &Target, until: Instant) -> Result<TcpStream, WireFault> {
    let Target { host, port, .. } = target;
    let none = |error: &io::Error| {
        let message = format!("the name `{host}` could not be resolved: {error}");
        WireFault::unsent("DnsFailure", message)
    };
    let slow = || {
        let message = format!("no connection to `{host}` port {port} in time");
        WireFault::unsent("ConnectTimeout", message)
    };
    let found = timeout_at(until, lookup_host((host.as_str(), *port))).await;
    let addresses = found.map_err(|_elapsed| slow())?;
    let mut addresses: Vec<SocketAddr> = addresses.map_err(|error| none(&error))?.collect();
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

/// The request with its path alone in the first line, and the host in its header.
fn in_origin_form(
    request: Request<SdkBody>,
    target: &Target,
) -> Result<Request<Full<Bytes>>, WireFault> {
    let unsent = |why: String| WireFault::unsent("RequestNotBuilt", why);
    let (mut parts, body) = request.into_parts();
    let body = body.bytes().map(Bytes::copy_from_slice);
    let body = body.ok_or_else(|| unsent("the request's body is a stream".to_owned()))?;
    let host = match parts.uri.port_u16() {
        Some(port) => format!("{}:{port}", target.host),
        None => target.host.clone(),
    };
    let path = parts.uri.path_and_query().map_or("/", |path| path.as_str());
    parts.uri = path
        .parse()
        .map_err(|error| unsent(format!("the request's path is none: {error}")))?;
    let host = HeaderValue::from_str(&host)
        .map_err(|error| unsent(format!("the request's host is none: {error}")))?;
    parts.headers.entry(HOST).or_insert(host);
    Ok(Request::from_parts(parts, Full::new(body)))
}

/// Sends the request and reads the whole answer.
async fn exchange<S>(
    stream: S,
    request: Request<Full<Bytes>>,
) -> Result<Response<SdkBody>, WireFault>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let lost = |error: &dyn Error| WireFault::lost(told(error));
    let opened = http1::handshake(TokioIo::new(stream)).await;
    let (mut sender, connection) = opened.map_err(|error| lost(&error))?;
    let mut connection = pin!(connection);
    let mut answer = pin!(async move {
        let answer = sender.send_request(request).await;
        let (parts, body) = answer.map_err(|error| lost(&error))?.into_parts();
        let body = Limited::new(body, MOST).collect().await;
        let body = body.map_err(|error| lost(&*error))?.to_bytes();
        Ok(Response::from_parts(parts, SdkBody::from(body)))
    });
    tokio::select! {
        biased;
        answer = &mut answer => answer,
        _ended = &mut connection => answer.await,
    }
}

/// An error with its causes.
fn told(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(cause) = next {
        text.push_str(": ");
        text.push_str(&cause.to_string());
        next = cause.source();
    }
    text
}
