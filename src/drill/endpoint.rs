//! The services on a port of loopback: a thread of its own, which ends when the endpoint is dropped.
#![expect(
    clippy::disallowed_methods,
    reason = "this is the adapter of clocks and sockets for rehearsals"
)]

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use http_body_util::{BodyExt as _, Full, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::header::{AUTHORIZATION, CONTENT_TYPE, LOCATION, USER_AGENT};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;

use crate::adapters::Skipped;

use super::call::{Call, Now, Reply, pairs};
use super::cloud::Cloud;

/// The most bytes of a request's body.
const MOST: usize = 1 << 20;

/// The longest that a connection is kept.
const LONGEST: Duration = Duration::from_secs(120);

/// Something that answers calls, pure: it knows no socket and no clock.
pub trait Service: Send + 'static {
    /// Answers a call.
    fn answer(&mut self, call: &Call, now: Now) -> Reply;
}

impl Service for Cloud {
    fn answer(&mut self, call: &Call, now: Now) -> Reply {
        Self::answer(self, call, now)
    }
}

/// A running endpoint.
#[derive(Debug)]
pub struct Endpoint<S = Cloud> {
    address: SocketAddr,
    service: Arc<Mutex<S>>,
    clock: Clock,
    end: Arc<Notify>,
    thread: Option<JoinHandle<()>>,
}

impl<S: Service> Endpoint<S> {
    /// Serves `service` on a free port of 127.0.0.1.
    ///
    /// # Errors
    /// When there is no port, thread or event queue to be had.
    pub fn start(service: S) -> io::Result<Self> {
        Self::start_in(service, Skipped::default())
    }

    /// The same in a world in which time is skipped.
    ///
    /// # Errors
    /// When there is no port, thread or event queue to be had.
    pub fn start_in(service: S, skipped: Skipped) -> io::Result<Self> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        let listener = runtime.block_on(TcpListener::bind((Ipv4Addr::LOCALHOST, 0)))?;
        let address = listener.local_addr()?;
        let service = Arc::new(Mutex::new(service));
        let end = Arc::new(Notify::new());
        let (served, ended) = (Arc::clone(&service), Arc::clone(&end));
        let clock = Clock {
            began: Instant::now(),
            before: skipped.so_far(),
            skipped,
        };
        let shown = clock.clone();
        let thread = thread::Builder::new()
            .name("drill".to_owned())
            .spawn(move || {
                runtime.block_on(async {
                    tokio::select! {
                        () = ended.notified() => {}
                        () = serve(listener, served, clock) => {}
                    }
                });
                // Connections that are still open end with the runtime.
                runtime.shutdown_background();
            })?;
        Ok(Self {
            address,
            service,
            clock: shown,
            end,
            thread: Some(thread),
        })
    }

    /// Where it is.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The URL of Route 53 and of STS.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// What stands in `ACTIONS_ID_TOKEN_REQUEST_URL`.
    #[must_use]
    pub fn token_url(&self) -> String {
        format!("http://{}/token?api-version=2.0", self.address)
    }

    /// What time it is there.
    #[must_use]
    pub fn now(&self) -> Now {
        self.clock.now()
    }

    /// Looks at the services, or changes them.
    pub fn with<T>(&self, look: impl FnOnce(&mut S) -> T) -> T {
        look(&mut self.service.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl<S> Drop for Endpoint<S> {
    fn drop(&mut self) {
        self.end.notify_one();
        if let Some(thread) = self.thread.take() {
            // It ends in any case; a panic in it has been told.
            let _ended = thread.join();
        }
    }
}

/// What time it is for the services.
#[derive(Debug, Clone)]
struct Clock {
    began: Instant,
    skipped: Skipped,
    /// What had been skipped when they began.
    before: Duration,
}

impl Clock {
    fn now(&self) -> Now {
        let skipped = self.skipped.so_far();
        let wall = SystemTime::now().duration_since(UNIX_EPOCH);
        Now {
            since: self.began.elapsed() + skipped.saturating_sub(self.before),
            wall: wall.map_or(0, |wall| wall.saturating_add(skipped).as_secs()),
        }
    }
}

async fn serve<S: Service>(listener: TcpListener, service: Arc<Mutex<S>>, clock: Clock) {
    while let Ok((stream, _)) = listener.accept().await {
        let (service, clock) = (Arc::clone(&service), clock.clone());
        tokio::spawn(async move {
            // Whatever becomes of a connection, the next one is served.
            let one = connection(stream, service, clock);
            let _ended = tokio::time::timeout(LONGEST, one).await;
        });
    }
}

async fn connection<S: Service>(
    stream: TcpStream,
    service: Arc<Mutex<S>>,
    clock: Clock,
) -> io::Result<()> {
    let service = service_fn(|request| answer(request, &service, &clock));
    let served = http1::Builder::new().serve_connection(TokioIo::new(stream), service);
    served.await.map_err(io::Error::other)
}

/// Answers a request; an error closes its connection without an answer.
async fn answer<S: Service>(
    request: Request<Incoming>,
    service: &Mutex<S>,
    clock: &Clock,
) -> io::Result<Response<Full<Bytes>>> {
    let call = read(request).await?;
    let now = clock.now();
    let reply = service
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .answer(&call, now);
    let Reply::Answer {
        http,
        kind,
        body,
        location,
        late,
    } = reply
    else {
        return Err(io::Error::other("this connection is lost by script"));
    };
    tokio::time::sleep(late).await;
    let mut answer = Response::builder().status(http).header(CONTENT_TYPE, kind);
    if let Some(location) = location {
        answer = answer.header(LOCATION, location);
    }
    answer
        .body(Full::new(Bytes::from(body)))
        .map_err(io::Error::other)
}

async fn read(request: Request<Incoming>) -> io::Result<Call> {
    let (parts, body) = request.into_parts();
    let body = Limited::new(body, MOST)
        .collect()
        .await
        .map_err(io::Error::other)?;
    let header = |value: Option<&hyper::header::HeaderValue>| {
        value.map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned())
    };
    Ok(Call {
        method: parts.method.as_str().to_owned(),
        path: parts.uri.path().to_owned(),
        query: pairs(parts.uri.query().unwrap_or_default()),
        authorization: header(parts.headers.get(AUTHORIZATION)),
        session: header(parts.headers.get("x-amz-security-token")),
        content_type: header(parts.headers.get(CONTENT_TYPE)),
        agent: header(parts.headers.get(USER_AGENT)),
        version: header(parts.headers.get("x-github-api-version")),
        body: String::from_utf8_lossy(&body.to_bytes()).into_owned(),
    })
}
