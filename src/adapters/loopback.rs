//! An HTTP endpoint on 127.0.0.1, for one kind of request: a form comes in, text goes out. What comes in is bounded in size,
//! in time and in number, so that no client keeps the others from being served.

use std::convert::Infallible;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use http_body_util::{BodyExt as _, Full, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;

use crate::iam::simulator::{Reply, not_a_form, too_large};
use crate::ports::{Cancelled, Endpoint, Respond};

use super::Runtime;

/// The longest body that is read.
const MAX_BODY: usize = 8 * 1024 * 1024;
/// How long a client may take for its headers, and again for its body.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long one connection lives, whatever happens on it.
const CONNECTION: Duration = Duration::from_secs(120);
/// How many connections are open at once; others wait.
const CONNECTIONS: usize = 64;

/// An endpoint that listens.
#[derive(Debug)]
pub struct Loopback {
    runtime: Runtime,
    listener: TcpListener,
    address: SocketAddr,
    patience: Duration,
}

impl Loopback {
    /// Listens on `port` of 127.0.0.1; 0 takes a free one.
    ///
    /// # Errors
    /// When the port is taken, or the system gives none.
    pub fn open(port: u16) -> io::Result<Self> {
        let runtime = Runtime::new()?;
        let bound = runtime.run(TcpListener::bind((Ipv4Addr::LOCALHOST, port)));
        let listener =
            bound.map_err(|_cancelled| io::Error::from(io::ErrorKind::Interrupted))??;
        Ok(Self {
            address: listener.local_addr()?,
            patience: PATIENCE,
            runtime,
            listener,
        })
    }

    /// The same, for clients that are this quick: with headers, and again with a body.
    #[must_use]
    pub fn with_patience(self, patience: Duration) -> Self {
        Self { patience, ..self }
    }
}

impl Endpoint for Loopback {
    fn address(&self) -> SocketAddr {
        self.address
    }

    fn serve(&self, answers: Respond) {
        // It ends by a signal alone.
        let Err(Cancelled) = self
            .runtime
            .run(accept(&self.listener, answers, self.patience));
    }
}

async fn accept(listener: &TcpListener, answer: Respond, patience: Duration) -> Infallible {
    let places = Arc::new(Semaphore::new(CONNECTIONS));
    let number = Arc::new(AtomicU64::new(0));
    loop {
        let place = Arc::clone(&places).acquire_owned().await;
        let Ok((stream, _)) = listener.accept().await else {
            // Out of file handles, or a client that has gone already: the next may do better.
            tokio::time::sleep(Duration::from_millis(50)).await;
            continue;
        };
        let number = Arc::clone(&number);
        let served = tokio::spawn(async move {
            let one = connection(stream, answer, patience, &number);
            drop(tokio::time::timeout(CONNECTION, one).await);
            drop(place);
        });
        drop(served);
    }
}

async fn connection(stream: TcpStream, answer: Respond, patience: Duration, number: &AtomicU64) {
    let service = service_fn(async |request: Request<Incoming>| {
        let number = number.fetch_add(1, Ordering::Relaxed) + 1;
        let id = format!("00000000-0000-4000-8000-{number:012x}");
        Ok::<_, Infallible>(respond(request, answer, patience, &id).await)
    });
    let served = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(patience)
        .serve_connection(TokioIo::new(stream), service)
        .await;
    // A client that breaks off has no one to be told.
    drop(served);
}

async fn respond(
    request: Request<Incoming>,
    answer: Respond,
    patience: Duration,
    id: &str,
) -> Response<Full<Bytes>> {
    if request.method() != Method::POST {
        return response(not_a_form(id), id);
    }
    let body = Limited::new(request.into_body(), MAX_BODY).collect();
    match tokio::time::timeout(patience, body).await {
        Ok(Ok(body)) => response(answer(&body.to_bytes(), id), id),
        Ok(Err(error)) if error.is::<http_body_util::LengthLimitError>() => {
            response(too_large(MAX_BODY, id), id)
        }
        Ok(Err(_)) => response(not_a_form(id), id),
        Err(_elapsed) => {
            let mut late = Response::new(Full::default());
            *late.status_mut() = StatusCode::REQUEST_TIMEOUT;
            close(late)
        }
    }
}

fn response(reply: Reply, id: &str) -> Response<Full<Bytes>> {
    let too_large = reply.status == 413;
    let built = Response::builder()
        .status(reply.status)
        .header("content-type", "text/xml")
        .header("x-amzn-requestid", id)
        .body(Full::from(reply.body));
    let response = built.unwrap_or_default();
    if too_large { close(response) } else { response }
}

/// A response behind which the connection ends: the rest of the request is not read.
fn close(mut response: Response<Full<Bytes>>) -> Response<Full<Bytes>> {
    let value = hyper::header::HeaderValue::from_static("close");
    response
        .headers_mut()
        .insert(hyper::header::CONNECTION, value);
    response
}
