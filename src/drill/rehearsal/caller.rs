//! A plain HTTP request to one of the rehearsal's own endpoints, as Uptime Kuma makes it: one call, no second try.

use std::io::{self, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

/// How long an endpoint may take for its answer, in time that is not skipped.
const PATIENCE: Duration = Duration::from_secs(10);

/// The name that Uptime Kuma gives itself; GitHub asks for one.
const AGENT: &str = "Uptime-Kuma/2.5.3";

/// A request.
#[derive(Debug, Clone, Copy)]
pub(super) struct Outgoing<'a> {
    /// The method.
    pub method: &'a str,
    /// The path, with the query.
    pub path: &'a str,
    /// Headers, beside those that every request has.
    pub headers: &'a [(String, String)],
    /// The body.
    pub body: &'a str,
}

/// Asks, and gives the status and the body.
///
/// # Errors
/// When there is no answer.
pub(super) fn call(socket: SocketAddr, request: Outgoing<'_>) -> io::Result<(u16, String)> {
    let mut stream = TcpStream::connect(socket)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let Outgoing {
        method, path, body, ..
    } = request;
    let plain = |text: &str| text.replace(['\r', '\n'], " ");
    let mut head = format!(
        "{} {} HTTP/1.1\r\nHost: {socket}\r\nUser-Agent: {AGENT}\r\nConnection: close\r\nContent-Length: {}\r\n",
        plain(method),
        plain(path),
        body.len()
    );
    for (name, value) in request.headers {
        head.push_str(&format!("{}: {}\r\n", plain(name), plain(value)));
    }
    stream.write_all(format!("{head}\r\n{body}").as_bytes())?;
    let mut answer = Vec::new();
    stream.take(1 << 20).read_to_end(&mut answer)?;
    let answer = String::from_utf8_lossy(&answer).into_owned();
    let none = || io::Error::from(io::ErrorKind::UnexpectedEof);
    let (head, body) = answer.split_once("\r\n\r\n").ok_or_else(none)?;
    let status = head.split(' ').nth(1).and_then(|word| word.parse().ok());
    Ok((status.ok_or_else(none)?, body.to_owned()))
}
