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
use hyper::header::{AUTHORIZATION, CONTENT_TYPE};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;

use super::call::{Call, Now, Reply, pairs};
use super::cloud::Cloud;

/// The most bytes of a request's body.
const MOST: usize = 1 << 20;

/// The longest that a connection is kept.
const LONGEST: Duration = Duration::from_secs(120);

/// A running endpoint.
#[derive(Debug)]
pub struct Endpoint {
    address: SocketAddr,
    cloud: Arc<Mutex<Cloud>>,
    end: Arc<Notify>,
    thread: Option<JoinHandle<()>>,
}

impl Endpoint {
    /// Serves `cloud` on a free port of 127.0.0.1.
    ///
    /// # Errors
    /// When there is no port, thread or event queue to be had.
    pub fn start(cloud: Cloud) -> io::Result<Self> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        let listener = runtime.block_on(TcpListener::bind((Ipv4Addr::LOCALHOST, 0)))?;
        let address = listener.local_addr()?;
        let cloud = Arc::new(Mutex::new(cloud));
        let end = Arc::new(Notify::new());
        let (served, ended) = (Arc::clone(&cloud), Arc::clone(&end));
        let thread = thread::Builder::new()
            .name("drill".to_owned())
            .spawn(move || {
                runtime.block_on(async {
                    tokio::select! {
                        () = ended.notified() => {}
                        () = serve(listener, served) => {}
                    }
                });
                // Connections that are still open end with the runtime.
                runtime.shutdown_background();
            })?;
        Ok(Self {
            address,
            cloud,
            end,
            thread: Some(thread),
        })
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

    /// Looks at the services, or changes them.
    pub fn with<T>(&self, look: impl FnOnce(&mut Cloud) -> T) -> T {
        look(&mut self.cloud.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Drop for Endpoint {
    fn drop(&mut self) {
        self.end.notify_one();
        if let Some(thread) = self.thread.take() {
            // It ends in any case; a panic in it has been told.
            let _ended = thread.join();
        }
    }
}

async fn serve(listener: TcpListener, cloud: Arc<Mutex<Cloud>>) {
    let began = Instant::now();
    while let Ok((stream, _)) = listener.accept().await {
        let cloud = Arc::clone(&cloud);
        tokio::spawn(async move {
            // Whatever becomes of a connection, the next one is served.
            let _ended = tokio::time::timeout(LONGEST, connection(stream, cloud, began)).await;
        });
    }
}

async fn connection(stream: TcpStream, cloud: Arc<Mutex<Cloud>>, began: Instant) -> io::Result<()> {
    let service = service_fn(|request| answer(request, &cloud, began));
    let served = http1::Builder::new().serve_connection(TokioIo::new(stream), service);
    served.await.map_err(io::Error::other)
}

/// Answers a request; an error closes its connection without an answer.
async fn answer(
    request: Request<Incoming>,
    cloud: &Mutex<Cloud>,
    began: Instant,
) -> io::Result<Response<Full<Bytes>>> {
    let call = read(request).await?;
    let now = Now {
        since: began.elapsed(),
        wall: SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .map_or(0, |wall| wall.as_secs()),
    };
    let reply = cloud
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .answer(&call, now);
    let Reply::Answer {
        http,
        kind,
        body,
        late,
    } = reply
    else {
        return Err(io::Error::other("this connection is lost by script"));
    };
    tokio::time::sleep(late).await;
    let answer = Response::builder().status(http).header(CONTENT_TYPE, kind);
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
        body: String::from_utf8_lossy(&body.to_bytes()).into_owned(),
    })
}
