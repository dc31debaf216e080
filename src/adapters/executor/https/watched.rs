//! A connection whose first received bytes are remembered, so that plain HTTP on the port of HTTPS can be told from other
//! faults of TLS.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

const HTTP: &[u8] = b"HTTP/";

#[derive(Debug)]
pub(super) struct Watched {
    stream: TcpStream,
    first: Vec<u8>,
}

impl Watched {
    pub(super) fn new(stream: TcpStream) -> Self {
        Self {
            stream,
            first: Vec::with_capacity(HTTP.len()),
        }
    }

    /// Whether the other side began with the status line of HTTP/1.
    pub(super) fn speaks_http(&self) -> bool {
        self.first == HTTP
    }
}

impl AsyncRead for Watched {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.stream).poll_read(context, buffer))?;
        let missing = HTTP.len().saturating_sub(self.first.len());
        let fresh = buffer.filled().iter().skip(before).take(missing).copied();
        self.first.extend(fresh);
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Watched {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
