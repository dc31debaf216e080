//! A site over TLS on loopback whose conduct can be changed while it runs.

use std::collections::BTreeMap;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rustls::ServerConfig;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::mpsc::UnboundedReceiver;
use tokio_rustls::LazyConfigAcceptor;
use tokio_rustls::rustls::server::Acceptor;

use super::authority::{Authority, CertificateKind};
use super::background::{Background, Command, runtime};

/// The most that a request's head may have.
const HEAD: usize = 16 * 1024;

/// What happens before HTTP.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConnectionKind {
    /// TLS with this certificate.
    Tls(CertificateKind),
    /// The port is closed.
    Refuses,
    /// The connection is accepted and broken once something came.
    Resets,
    /// The connection is accepted, and then nothing.
    Stalls,
    /// The connection is accepted and ended in the middle of the handshake.
    HangsUp,
    /// HTTP without TLS: whatever comes is answered with status 400, as nginx does.
    PlainHttp,
    /// Something else without TLS.
    OtherProtocol,
}

/// How the answer is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BodyKind {
    /// At once and whole.
    Whole,
    /// Whole, of this many bytes.
    Long(usize),
    /// Whole, its end told by the end of the connection.
    ToTheEnd,
    /// Nothing, not even the head.
    StallsBeforeHead,
    /// The head, a part of the body, and then nothing.
    Stalls,
    /// The head, and then a body without end, as quick as it goes.
    Endless,
    /// The head, and then a byte now and again, without end.
    Drips,
    /// The head, a part of the body, and the end of the connection.
    CutOff,
    /// No HTTP at all.
    Nonsense,
}

/// What a site does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SiteConduct {
    /// Before HTTP.
    pub connection: ConnectionKind,
    /// The status of every host but those of `statuses`.
    pub status: u16,
    /// Statuses by host.
    pub statuses: BTreeMap<String, u16>,
    /// How the answer is given.
    pub body: BodyKind,
    /// Further headers: `location`, the site's name.
    pub headers: Vec<(String, String)>,
}

impl Default for SiteConduct {
    fn default() -> Self {
        Self {
            connection: ConnectionKind::Tls(CertificateKind::Right),
            status: 200,
            statuses: BTreeMap::new(),
            body: BodyKind::Whole,
            headers: Vec::new(),
        }
    }
}

impl SiteConduct {
    /// The usual, but with this before HTTP.
    #[must_use]
    pub fn connecting(connection: ConnectionKind) -> Self {
        Self {
            connection,
            ..Self::default()
        }
    }

    /// The usual, but with this certificate.
    #[must_use]
    pub fn showing(certificate: CertificateKind) -> Self {
        Self::connecting(ConnectionKind::Tls(certificate))
    }

    /// The usual, but with this status.
    #[must_use]
    pub fn answering(status: u16) -> Self {
        Self {
            status,
            ..Self::default()
        }
    }

    /// The usual, but with the answer given so.
    #[must_use]
    pub fn giving(body: BodyKind) -> Self {
        Self {
            body,
            ..Self::default()
        }
    }

    /// The same with one more header.
    #[must_use]
    pub fn with_header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    fn status_of(&self, host: &str) -> u16 {
        self.statuses.get(host).copied().unwrap_or(self.status)
    }
}

/// What a site saw of one connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seen {
    /// Who came.
    pub peer: SocketAddr,
    /// The name asked for in TLS.
    pub sni: Option<String>,
    /// The head of the request, if one came.
    pub head: Option<String>,
}

impl Seen {
    /// A header's value.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.head.as_deref().and_then(|head| header(head, name))
    }
}

type Log = Arc<Mutex<Vec<Seen>>>;
type Configs = BTreeMap<CertificateKind, Arc<ServerConfig>>;

/// A running site.
#[derive(Debug)]
pub struct Site {
    socket: SocketAddr,
    seen: Log,
    background: Background<SiteConduct>,
}

impl Site {
    /// Starts one on a free port of 127.0.0.1, with certificates for `names`; it answers 200.
    ///
    /// # Errors
    /// When the system gives no port, or a name is none.
    pub fn start(authority: &Authority, names: &[&str]) -> io::Result<Self> {
        let kinds = [
            CertificateKind::Right,
            CertificateKind::OtherName,
            CertificateKind::Expired,
            CertificateKind::NotYet,
            CertificateKind::Untrusted,
            CertificateKind::SelfIssued,
        ];
        let configs = kinds
            .into_iter()
            .map(|kind| Ok((kind, authority.server(names, kind)?)))
            .collect::<io::Result<Configs>>()?;
        let runtime = runtime()?;
        let entered = runtime.enter();
        let door = Door::open()?;
        drop(entered);
        let socket = door.socket;
        let seen = Log::default();
        let log = Arc::clone(&seen);
        let background = Background::start(runtime, "site", move |commands| {
            serve(door, Arc::new(configs), log, commands)
        })?;
        Ok(Self {
            socket,
            seen,
            background,
        })
    }

    /// Where it is.
    #[must_use]
    pub fn socket(&self) -> SocketAddr {
        self.socket
    }

    /// Changes what it does with connections from now on; it holds when this comes back.
    pub fn conduct(&self, conduct: SiteConduct) {
        self.background.tell(conduct);
    }

    /// What it saw since it was last asked.
    #[must_use]
    pub fn take_seen(&self) -> Vec<Seen> {
        std::mem::take(&mut *self.seen.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// A port that stays this site's own while it is closed: a second socket holds it and never listens.
struct Door {
    socket: SocketAddr,
    listener: Option<TcpListener>,
    _holder: TcpSocket,
}

impl Door {
    fn open() -> io::Result<Self> {
        let holder = shared_socket(SocketAddr::from((Ipv4Addr::LOCALHOST, 0)))?;
        let socket = holder.local_addr()?;
        let mut door = Self {
            socket,
            listener: None,
            _holder: holder,
        };
        door.set(true)?;
        Ok(door)
    }

    fn set(&mut self, open: bool) -> io::Result<()> {
        if !open {
            self.listener = None;
        } else if self.listener.is_none() {
            self.listener = Some(shared_socket(self.socket)?.listen(128)?);
        }
        Ok(())
    }

    async fn accept(&self) -> io::Result<(TcpStream, SocketAddr)> {
        match &self.listener {
            Some(listener) => listener.accept().await,
            None => std::future::pending().await,
        }
    }
}

fn shared_socket(at: SocketAddr) -> io::Result<TcpSocket> {
    let socket = TcpSocket::new_v4()?;
    socket.set_reuseaddr(true)?;
    socket.set_reuseport(true)?;
    socket.bind(at)?;
    Ok(socket)
}

async fn serve(
    mut door: Door,
    configs: Arc<Configs>,
    log: Log,
    mut commands: UnboundedReceiver<Command<SiteConduct>>,
) {
    let mut conduct = Arc::new(SiteConduct::default());
    loop {
        tokio::select! {
            biased;
            command = commands.recv() => {
                let Some(command) = command else { return };
                let open = command.what.connection != ConnectionKind::Refuses;
                if door.set(open).is_err() {
                    return;
                }
                conduct = Arc::new(command.what);
                let _gone = command.done.send(());
            }
            accepted = door.accept() => {
                if let Ok((stream, peer)) = accepted {
                    let seen = Entry::new(&log, peer);
                    let (conduct, configs) = (Arc::clone(&conduct), Arc::clone(&configs));
                    // A visitor that goes away is no concern of the site's.
                    tokio::spawn(async move {
                        let _visitor_gone = receive(stream, &conduct, &configs, seen).await;
                    });
                }
            }
        }
    }
}

/// The line of one connection in the log.
struct Entry {
    log: Log,
    seen: Seen,
}

impl Entry {
    fn new(log: &Log, peer: SocketAddr) -> Self {
        let seen = Seen {
            peer,
            sni: None,
            head: None,
        };
        let log = Arc::clone(log);
        Self { log, seen }
    }

    /// Writes it down, before anything is answered.
    fn write(self) {
        let mut log = self.log.lock().unwrap_or_else(PoisonError::into_inner);
        log.push(self.seen);
    }
}

async fn receive(
    mut stream: TcpStream,
    conduct: &SiteConduct,
    configs: &Configs,
    mut seen: Entry,
) -> io::Result<()> {
    match conduct.connection {
        ConnectionKind::Refuses | ConnectionKind::Resets => {
            seen.write();
            hello(&mut stream).await?;
            stream.set_zero_linger()
        }
        ConnectionKind::Stalls => {
            seen.write();
            std::future::pending().await
        }
        ConnectionKind::HangsUp => {
            seen.write();
            hello(&mut stream).await
        }
        ConnectionKind::PlainHttp => {
            seen.write();
            hello(&mut stream).await?;
            say(
                &mut stream,
                "HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n",
            )
            .await
        }
        ConnectionKind::OtherProtocol => {
            seen.write();
            hello(&mut stream).await?;
            say(&mut stream, "SSH-2.0-example\r\n").await
        }
        ConnectionKind::Tls(kind) => {
            let begun = LazyConfigAcceptor::new(Acceptor::default(), stream).await?;
            seen.seen.sni = begun.client_hello().server_name().map(str::to_owned);
            let config = configs.get(&kind).ok_or(io::ErrorKind::NotFound)?;
            match begun.into_stream(Arc::clone(config)).await {
                Ok(secured) => answer(secured, conduct, seen).await,
                Err(refused) => {
                    seen.write();
                    Err(refused)
                }
            }
        }
    }
}

/// Reads the beginning of what comes.
async fn hello(stream: &mut TcpStream) -> io::Result<()> {
    let mut bytes = vec![0; HEAD];
    stream.read(&mut bytes).await.map(|_count| ())
}

async fn say(stream: &mut (impl AsyncWrite + Unpin), text: &str) -> io::Result<()> {
    stream.write_all(text.as_bytes()).await?;
    stream.flush().await?;
    stream.shutdown().await
}

async fn answer<S>(mut stream: S, conduct: &SiteConduct, mut seen: Entry) -> io::Result<()>
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
    let length = match conduct.body {
        BodyKind::Long(bytes) => Some(bytes),
        BodyKind::ToTheEnd | BodyKind::Endless | BodyKind::Drips => None,
        BodyKind::Whole | BodyKind::Stalls | BodyKind::CutOff => Some(3),
        BodyKind::StallsBeforeHead => std::future::pending().await,
        BodyKind::Nonsense => return say(&mut stream, "nonsense\r\n\r\n").await,
    };
    let mut text = format!("HTTP/1.1 {status} Status\r\nconnection: close\r\n");
    for (name, value) in &conduct.headers {
        text.push_str(&format!("{name}: {value}\r\n"));
    }
    if let Some(length) = length {
        text.push_str(&format!("content-length: {length}\r\n"));
    }
    text.push_str("\r\n");
    stream.write_all(text.as_bytes()).await?;
    stream.flush().await?;
    body(&mut stream, conduct.body).await
}

async fn body(stream: &mut (impl AsyncWrite + Unpin), kind: BodyKind) -> io::Result<()> {
    match kind {
        BodyKind::Whole | BodyKind::ToTheEnd => say(stream, "ok\n").await,
        BodyKind::Long(bytes) => {
            stream.write_all(&vec![b'x'; bytes]).await?;
            say(stream, "").await
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

fn header<'a>(head: &'a str, name: &str) -> Option<&'a str> {
    let mut lines = head.lines().filter_map(|line| line.split_once(':'));
    let own = lines.find(|(own, _)| own.trim().eq_ignore_ascii_case(name));
    own.map(|(_, value)| value.trim())
}
