//! HTTP/1.1 written by hand, so that it can be wrong in every way.

use std::io;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};

use super::Entry;
use super::conduct::{BodyKind, SiteConduct};

/// The most that a request's head may have.
pub(super) const HEAD: usize = 16 * 1024;

pub(super) async fn say(stream: &mut (impl AsyncWrite + Unpin), text: &str) -> io::Result<()> {
    stream.write_all(text.as_bytes()).await?;
    stream.flush().await?;
    stream.shutdown().await
}

/// Answers the one request of a connection.
pub(super) async fn answer<S>(
    mut stream: S,
    conduct: &SiteConduct,
    mut seen: Entry,
) -> io::Result<()>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let head = match head(&mut stream).await {
        Ok(head) => head,
        Err(gone) => {
            seen.write();
            return Err(gone);
        }
    };
    let status = conduct.status_of(header(&head, "host").unwrap_or_default());
    seen.seen.head = Some(head);
    seen.write();
    if conduct.body == BodyKind::StallsBeforeHead {
        return std::future::pending().await;
    }
    if conduct.body == BodyKind::Nonsense {
        return say(&mut stream, "nonsense\r\n\r\n").await;
    }
    let mut text = String::new();
    if conduct.body == BodyKind::AfterHints {
        text.push_str("HTTP/1.1 103 Early Hints\r\nlink: </style.css>; rel=preload\r\n\r\n");
    }
    text.push_str(&format!(
        "HTTP/1.1 {status} Status\r\nconnection: close\r\n"
    ));
    for (name, value) in &conduct.headers {
        text.push_str(&format!("{name}: {value}\r\n"));
    }
    text.push_str(&framing(conduct.body));
    text.push_str("\r\n");
    stream.write_all(text.as_bytes()).await?;
    stream.flush().await?;
    body(&mut stream, conduct.body).await
}

/// The header that says where the body ends.
fn framing(kind: BodyKind) -> String {
    match kind {
        BodyKind::Long(bytes) => format!("content-length: {bytes}\r\n"),
        BodyKind::Whole | BodyKind::AfterHints | BodyKind::Stalls | BodyKind::CutOff => {
            "content-length: 3\r\n".to_owned()
        }
        BodyKind::Chunked | BodyKind::ChunkedCutOff => "transfer-encoding: chunked\r\n".to_owned(),
        BodyKind::ToTheEnd
        | BodyKind::ToNoEnd
        | BodyKind::Endless
        | BodyKind::Drips
        | BodyKind::StallsBeforeHead
        | BodyKind::Nonsense => String::new(),
    }
}

async fn body(stream: &mut (impl AsyncWrite + Unpin), kind: BodyKind) -> io::Result<()> {
    match kind {
        BodyKind::Whole | BodyKind::AfterHints | BodyKind::ToTheEnd => say(stream, "ok\n").await,
        BodyKind::Chunked => say(stream, "1\r\no\r\n2\r\nk\n\r\n0\r\n\r\n").await,
        BodyKind::ChunkedCutOff => say(stream, "1\r\no\r\n2\r\nk").await,
        BodyKind::Long(bytes) => {
            stream.write_all(&vec![b'x'; bytes]).await?;
            say(stream, "").await
        }
        BodyKind::ToNoEnd => {
            stream.write_all(b"ok\n").await?;
            stream.flush().await
        }
        BodyKind::Stalls => {
            stream.write_all(b"o").await?;
            stream.flush().await?;
            std::future::pending().await
        }
        BodyKind::CutOff => say(stream, "o").await,
        BodyKind::Endless => loop {
            stream.write_all(&[b'x'; 4096]).await?;
        },
        BodyKind::Drips => loop {
            stream.write_all(b"x").await?;
            stream.flush().await?;
            tokio::time::sleep(Duration::from_millis(5)).await;
        },
        BodyKind::StallsBeforeHead | BodyKind::Nonsense => Ok(()),
    }
}

/// The head of a request, up to the empty line.
async fn head(stream: &mut (impl AsyncRead + Unpin)) -> io::Result<String> {
    let mut read = Vec::new();
    while !read.ends_with(b"\r\n\r\n") {
        if read.len() >= HEAD {
            return Err(io::ErrorKind::InvalidData.into());
        }
        read.push(stream.read_u8().await?);
    }
    Ok(String::from_utf8_lossy(&read).into_owned())
}

/// A header's value.
pub(super) fn header<'a>(head: &'a str, name: &str) -> Option<&'a str> {
    let mut lines = head.lines().filter_map(|line| line.split_once(':'));
    let own = lines.find(|(own, _)| own.trim().eq_ignore_ascii_case(name));
    own.map(|(_, value)| value.trim())
}
