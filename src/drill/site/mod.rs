//! A site over TLS on loopback whose conduct can be changed while it runs.

mod answer;
mod conduct;
mod door;

use std::collections::BTreeMap;
use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};

use rustls::ServerConfig;
use rustls::server::Acceptor;
use tokio::io::AsyncReadExt as _;
use tokio::net::TcpStream;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio_rustls::LazyConfigAcceptor;

use super::authority::{Authority, CertificateKind};
use super::background::{Background, Command, runtime};
use answer::{HEAD, answer, header, say};
pub use conduct::{BodyKind, ConnectionKind, SiteConduct};
use door::Door;

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

/// What TLS is set up with.
struct Configs {
    kinds: BTreeMap<CertificateKind, Arc<ServerConfig>>,
    older: Arc<ServerConfig>,
}

impl Configs {
    fn new(authority: &Authority, names: &[&str]) -> io::Result<Self> {
        let kinds = [
            CertificateKind::Right,
            CertificateKind::OtherName,
            CertificateKind::Expired,
            CertificateKind::NotYet,
            CertificateKind::Untrusted,
            CertificateKind::SelfIssued,
        ];
        let kinds = kinds.map(|kind| Ok((kind, authority.server(names, kind)?)));
        Ok(Self {
            kinds: kinds.into_iter().collect::<io::Result<_>>()?,
            older: authority.older_server(names)?,
        })
    }

    fn of(&self, kind: CertificateKind) -> io::Result<&Arc<ServerConfig>> {
        self.kinds.get(&kind).ok_or(io::ErrorKind::NotFound.into())
    }
}

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
        let configs = Arc::new(Configs::new(authority, names)?);
        let runtime = runtime()?;
        let entered = runtime.enter();
        let door = Door::open()?;
        drop(entered);
        let socket = door.socket;
        let seen = Log::default();
        let log = Arc::clone(&seen);
        let background = Background::start(runtime, "site", move |commands| {
            serve(door, configs, log, commands)
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
    seen: Entry,
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
        ConnectionKind::Tls(kind) => secured(stream, conduct, configs.of(kind)?, seen).await,
        ConnectionKind::OlderTls => secured(stream, conduct, &configs.older, seen).await,
    }
}

async fn secured(
    stream: TcpStream,
    conduct: &SiteConduct,
    config: &Arc<ServerConfig>,
    mut seen: Entry,
) -> io::Result<()> {
    let begun = LazyConfigAcceptor::new(Acceptor::default(), stream).await?;
    seen.seen.sni = begun.client_hello().server_name().map(str::to_owned);
    match begun.into_stream(Arc::clone(config)).await {
        Ok(secured) => answer(secured, conduct, seen).await,
        Err(refused) => {
            seen.write();
            Err(refused)
        }
    }
}

/// Reads the beginning of what comes.
async fn hello(stream: &mut TcpStream) -> io::Result<()> {
    let mut bytes = vec![0; HEAD];
    stream.read(&mut bytes).await.map(|_count| ())
}
