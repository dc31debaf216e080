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

/// An answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Incoming {
    /// Its status.
    pub status: u16,
    /// Where it sends the caller on to, for a redirect.
    pub location: Option<String>,
    /// Its body.
    pub body: String,
}

/// Asks, and gives the status and the body.
///
/// # Errors
/// When there is no answer.
pub(super) fn call(socket: SocketAddr, request: Outgoing<'_>) -> io::Result<(u16, String)> {
    once(socket, request).map(|answer| (answer.status, answer.body))
}

/// Asks as the client of Uptime Kuma does, which goes where it is sent on to at most so often: with 307 and 308 it repeats
/// itself, after 301, 302 and 303 a message becomes a question (RFC 9110, 15.4). Gives every status on the way, and the last
/// body.
///
/// # Errors
/// When there is no answer.
pub(super) fn call_on(
    socket: SocketAddr,
    request: Outgoing<'_>,
    most: u32,
) -> io::Result<(Vec<u16>, String)> {
    let mut ways = Vec::new();
    let (mut method, mut path, mut body) = (request.method, request.path.to_owned(), request.body);
    loop {
        let asked = Outgoing {
            method,
            path: &path,
            body,
            ..request
        };
        let answer = once(socket, asked)?;
        ways.push(answer.status);
        let sent_on = u32::try_from(ways.len()).unwrap_or(u32::MAX);
        let Some(next) = answer.location.filter(|_| sent_on <= most) else {
            return Ok((ways, answer.body));
        };
        path = next;
        if [301, 302, 303].contains(&answer.status) {
            (method, body) = ("GET", "");
        }
    }
}

fn once(socket: SocketAddr, request: Outgoing<'_>) -> io::Result<Incoming> {
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
    let fields = head.lines().filter_map(|line| line.split_once(':'));
    let mut fields = fields.filter(|(name, _)| name.eq_ignore_ascii_case("location"));
    Ok(Incoming {
        status: status.ok_or_else(none)?,
        location: fields.next().map(|(_, value)| value.trim().to_owned()),
        body: body.to_owned(),
    })
}
