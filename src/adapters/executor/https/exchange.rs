//! One request and its answer on an open connection, over HTTP/1.1.

use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::task::Poll;

use http_body_util::{BodyExt as _, Empty};
use hyper::body::{Bytes, Incoming};
use hyper::client::conn::http1;
use hyper::{Request, Response, header};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite};

use crate::failover::NoAnswer;

use super::{AGENT, Get, Reply, fault};

/// The most headers of an answer.
const HEADERS: usize = 2000;

type Connection<S> = http1::Connection<TokioIo<S>, Empty<Bytes>>;

/// An answer whose head is there.
pub(super) struct Open<S: AsyncRead + AsyncWrite + Unpin> {
    connection: Driven<S>,
    answer: Response<Incoming>,
}

/// A connection that moves while something else is waited for; it is closed when this is dropped.
struct Driven<S: AsyncRead + AsyncWrite + Unpin> {
    connection: Pin<Box<Connection<S>>>,
    over: bool,
}

impl<S: AsyncRead + AsyncWrite + Unpin> Driven<S> {
    async fn meanwhile<T>(&mut self, work: impl Future<Output = T>) -> T {
        let mut work = pin!(work);
        poll_fn(|context| {
            // What ends it is told to whoever waits for the answer.
            if !self.over
                && let Poll::Ready(_ended) = self.connection.as_mut().poll(context)
            {
                self.over = true;
            }
            work.as_mut().poll(context)
        })
        .await
    }
}

/// Sends the request and waits for the head of the answer.
pub(super) async fn ask<S>(stream: S, get: &Get) -> Result<Open<S>, NoAnswer>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let request = request(get).map_err(|_malformed| NoAnswer::Other)?;
    let begun = lenient().handshake(TokioIo::new(stream)).await;
    let (mut sender, connection) = begun.map_err(|error| fault::of_http(&error))?;
    let mut connection = Driven {
        connection: Box::pin(connection),
        over: false,
    };
    let answered = connection.meanwhile(sender.send_request(request)).await;
    let answer = answered.map_err(|error| fault::of_http(&error))?;
    Ok(Open { connection, answer })
}

/// As lenient as browsers and curl are: what visitors can read is an answer.
fn lenient() -> http1::Builder {
    let mut builder = http1::Builder::new();
    builder
        .max_headers(HEADERS)
        .allow_obsolete_multiline_headers_in_responses(true)
        .allow_spaces_after_header_name_in_responses(true)
        .ignore_invalid_headers_in_responses(true);
    builder
}

fn request(get: &Get) -> Result<Request<Empty<Bytes>>, hyper::http::Error> {
    let mut request = Request::get(get.path.as_str())
        .header(header::HOST, get.authority.as_str())
        .header(header::USER_AGENT, AGENT)
        .header(header::ACCEPT, "*/*")
        .header(header::CONNECTION, "close");
    for (name, value) in &get.headers {
        request = request.header(name, value);
    }
    request.body(Empty::new())
}

impl<S: AsyncRead + AsyncWrite + Unpin> Open<S> {
    /// Reads the body to its end and keeps its beginning.
    pub(super) async fn whole(mut self, keep: usize) -> Result<Reply, NoAnswer> {
        let (head, mut body) = self.answer.into_parts();
        // Only the end of the connection tells the end of such a body; curl and browsers take it without TLS's word.
        let to_the_end = !head.headers.contains_key(header::CONTENT_LENGTH)
            && !head.headers.contains_key(header::TRANSFER_ENCODING);
        let mut kept = Vec::new();
        while let Some(frame) = self.connection.meanwhile(body.frame()).await {
            let frame = match frame {
                Ok(frame) => frame,
                Err(error) if to_the_end && fault::is_end(&error) => break,
                Err(error) => return Err(fault::of_http(&error)),
            };
            if let Some(data) = frame.data_ref() {
                let room = keep.saturating_sub(kept.len());
                kept.extend(data.iter().take(room).copied());
            }
        }
        Ok(Reply {
            status: head.status.as_u16(),
            headers: head.headers,
            body: kept,
        })
    }
}
