//! The zone's authoritative name servers, asked directly: no recursion, no cache. Route 53 says `INSYNC` on its own word;
//! these are what resolvers hear.

mod client;
mod question;

use std::cell::RefCell;
use std::io;
use std::net::SocketAddr;
use std::rc::Rc;
use std::time::Duration;

use crate::failover::{Fault, FaultKind, Record, ServerAnswer};
use crate::ports::{AuthoritativeServers, Stop};

use super::resolve::resolve;
use super::together::together;
use crate::adapters::{Runtime, World};
use question::Question;

pub use client::DnsClient;

/// The port of DNS.
const DNS: u16 = 53;
/// How often a server is asked for one record.
const TRIES: usize = 2;
/// How long one try may take.
const TRY: Duration = Duration::from_secs(2);

/// The names of the zone's servers, as far as they are known; clones share them. Whoever reads the zone's NS record set
/// writes them here.
#[derive(Debug, Clone, Default)]
pub struct ServerNames {
    names: Rc<RefCell<Vec<String>>>,
}

impl ServerNames {
    /// These are the servers.
    pub fn set(&self, names: impl IntoIterator<Item = String>) {
        let bare = |name: String| name.trim_end_matches('.').to_ascii_lowercase();
        let mut names: Vec<String> = names.into_iter().map(bare).collect();
        names.sort();
        names.dedup();
        self.names.replace(names);
    }

    /// The servers, in lower case, without the final dot, sorted.
    #[must_use]
    pub fn get(&self) -> Vec<String> {
        self.names.borrow().clone()
    }
}

/// The servers of this world.
#[derive(Debug)]
pub struct DnsServers {
    runtime: Runtime,
    world: World,
    names: ServerNames,
    patience: Duration,
}

impl DnsServers {
    /// Asks the servers that `names` has by then.
    #[must_use]
    pub fn new(runtime: Runtime, world: World, names: ServerNames) -> Self {
        Self {
            runtime,
            world,
            names,
            patience: TRY,
        }
    }

    /// The same with another time for each of its tries, which is 2 s.
    #[must_use]
    pub fn patient_for(self, patience: Duration) -> Self {
        Self { patience, ..self }
    }
}

impl AuthoritativeServers for DnsServers {
    fn ask(&mut self, records: &[Record]) -> Result<Vec<ServerAnswer>, Stop> {
        let names = self.names.get();
        if names.is_empty() {
            return Err(unknown().into());
        }
        let questions: Option<Vec<Question>> = records.iter().map(Question::of).collect();
        let questions = questions.ok_or_else(unaskable)?;
        let asked = names.iter().map(|name| {
            let place = Place::of(&self.world, name);
            server(place, questions.clone(), self.patience)
        });
        let answers = self.runtime.run(together(asked))?;
        let told = names.iter().zip(answers);
        Ok(told
            .map(|(name, values)| ServerAnswer {
                server: name.clone(),
                values: values.flatten(),
            })
            .collect())
    }
}

fn unknown() -> Fault {
    Fault {
        kind: FaultKind::Unavailable,
        code: "ServersUnknown".to_owned(),
        message: "the zone's authoritative servers are not known: its NS record set was not read"
            .to_owned(),
    }
}

fn unaskable() -> Fault {
    Fault {
        kind: FaultKind::Rejected,
        code: "NoDnsName".to_owned(),
        message: "a record's name cannot be asked for over DNS".to_owned(),
    }
}

/// Where a server is.
#[derive(Debug)]
enum Place {
    Sockets(Vec<SocketAddr>),
    Name(String),
}

impl Place {
    fn of(world: &World, name: &str) -> Self {
        match world.detour() {
            // The final dot keeps search lists and the hosts file out.
            None => Self::Name(format!("{name}.")),
            Some(detour) => Self::Sockets(detour.servers.get(name).copied().into_iter().collect()),
        }
    }

    /// Its sockets, those of IPv4 first: more runners have that.
    async fn sockets(self, patience: Duration) -> Vec<SocketAddr> {
        let mut sockets = match self {
            Self::Sockets(sockets) => sockets,
            Self::Name(name) => {
                let found = tokio::time::timeout(patience, resolve(name, DNS)).await;
                found.ok().and_then(Result::ok).unwrap_or_default()
            }
        };
        sockets.sort_by_key(|socket| !socket.is_ipv4());
        sockets
    }
}

/// What one server says of all records; `None` when it leaves one unanswered.
async fn server(
    place: Place,
    questions: Vec<Question>,
    patience: Duration,
) -> Option<Vec<Vec<String>>> {
    let sockets = place.sockets(patience * 2).await;
    let asked = questions.into_iter().map(|question| {
        let sockets = sockets.clone();
        async move { record(&sockets, &question, patience).await }
    });
    let answers = together(asked).await;
    answers.into_iter().map(Option::flatten).collect()
}

/// What one server says of one record. Another of its addresses is tried only where there is no way to the one before.
async fn record(
    sockets: &[SocketAddr],
    question: &Question,
    patience: Duration,
) -> Option<Vec<String>> {
    for socket in sockets {
        for _try in 0..TRIES {
            match tokio::time::timeout(patience, question.ask(*socket)).await {
                Ok(Ok(answer)) => return answer.values(),
                Ok(Err(error)) if no_way(&error) => break,
                Ok(Err(_)) | Err(_) => {}
            }
        }
    }
    None
}

fn no_way(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NetworkUnreachable
            | io::ErrorKind::HostUnreachable
            | io::ErrorKind::AddrNotAvailable
            | io::ErrorKind::Unsupported
    )
}
