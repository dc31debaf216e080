//! The wire under the SDK: HTTP/1.1 over TLS, one new connection a call.
//!
//! A pool would save a handshake and could send the batch into a connection that died while the window was watched. A
//! fault here says at which stage it happened, so that a request which never went out is told apart from one whose
//! answer was lost. There is no proxy in it, so none can be set from outside, and a redirect is an answer like any other.

use std::error::Error;
use std::fmt;
use std::net::IpAddr;
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
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::{Instant, timeout};

use super::connect::Target;

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
    pub(super) fn unsent(code: &'static str, message: String) -> Self {
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

impl Line {
    async fn ask(&self, request: HttpRequest) -> Result<HttpResponse, WireFault> {
        let unsent = |error: &dyn Error| {
            WireFault::unsent("RequestNotBuilt", format!("the request is none: {error}"))
        };
        let request = request.try_into_http1x().map_err(|error| unsent(&error))?;
        let target = self.target(request.uri())?;
        let request = in_origin_form(request)?;
        let until = Instant::now() + self.connect;
        let tcp = target.connect(until).await?;
        let answer = if target.tls {
            let stream = target.secure(tcp, &self.wire.tls, until).await?;
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
        let host = host.trim_matches(['[', ']']);
        let address: Option<IpAddr> = host.parse().ok();
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
}

/// The request with its path alone in the first line, and the host in its header.
fn in_origin_form(request: Request<SdkBody>) -> Result<Request<Full<Bytes>>, WireFault> {
    let unsent = |why: String| WireFault::unsent("RequestNotBuilt", why);
    let (mut parts, body) = request.into_parts();
    let body = body.bytes().map(Bytes::copy_from_slice);
    let body = body.ok_or_else(|| unsent("the request's body is a stream".to_owned()))?;
    let host = parts.uri.authority().map_or("", |host| host.as_str());
    let host = HeaderValue::from_str(host)
        .map_err(|error| unsent(format!("the request's host is none: {error}")))?;
    let path = parts.uri.path_and_query().map_or("/", |path| path.as_str());
    parts.uri = path
        .parse()
        .map_err(|error| unsent(format!("the request's path is none: {error}")))?;
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
