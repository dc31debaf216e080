//! The authoritative servers of a name, found as resolvers find them: the NS records of its zone, then their addresses.

use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use crate::app::exit::AppError;
use crate::model::dns::RecordName;
use crate::ports::{Asked, Clock, NameServers, QueryType};
use crate::propagation::{Answer, Role, Server};

/// The port of DNS.
const DNS: u16 = 53;
/// How long one resolver may take for one question, all its tries together.
const LONGEST: Duration = Duration::from_secs(5);
/// How often a question is put.
const TRIES: usize = 2;

/// A server and where it is.
#[derive(Debug, Clone)]
pub(in crate::app) struct Place {
    /// What is shown of it.
    pub(in crate::app) server: Server,
    /// Its sockets; the first to which there is a way is asked.
    pub(in crate::app) sockets: Vec<SocketAddr>,
}

impl Place {
    /// A server without a name.
    pub(in crate::app) fn at(socket: SocketAddr, role: Role) -> Self {
        Self::named(shown(socket), vec![socket], role)
    }

    fn named(name: String, sockets: Vec<SocketAddr>, role: Role) -> Self {
        let address = sockets.first().map(|socket| shown(*socket));
        Self {
            server: Server {
                name,
                address: address.unwrap_or_default(),
                role,
            },
            sockets,
        }
    }
}

/// The port is shown where it is another than that of DNS.
fn shown(socket: SocketAddr) -> String {
    if socket.port() == DNS {
        socket.ip().to_string()
    } else {
        socket.to_string()
    }
}

/// The resolvers that were given, or else the system's.
///
/// # Errors
/// When there are none.
pub(in crate::app) fn resolvers(
    given: &[SocketAddr],
    servers: &dyn NameServers,
) -> Result<Vec<SocketAddr>, AppError> {
    if !given.is_empty() {
        return Ok(given.to_vec());
    }
    servers.of_system().map_err(|reason| AppError::Outside {
        message: format!("the system's resolvers are not known: {reason}"),
        hint: Some("give one, as `--resolver 192.0.2.53`"),
    })
}

/// The authoritative servers of `name`: those of `zone` if that is known, else of the nearest name above that has some.
///
/// # Errors
/// When no resolver tells them.
pub(in crate::app) fn authoritative(
    name: &RecordName,
    zone: Option<&RecordName>,
    resolvers: &[SocketAddr],
    clock: &mut dyn Clock,
    servers: &mut dyn NameServers,
) -> Result<Vec<Place>, AppError> {
    let mut finder = Finder {
        resolvers,
        clock,
        servers,
        trouble: None,
    };
    let above = std::iter::successors(Some(name.clone()), RecordName::parent);
    let zones: Vec<RecordName> = match zone {
        Some(zone) => vec![zone.clone()],
        None => above.filter(|zone| !zone.is_wildcard()).collect(),
    };
    for zone in zones {
        let Some(names) = finder.ask(&zone, QueryType::Ns)? else {
            continue;
        };
        let mut places = Vec::new();
        for server in names {
            let sockets = finder.sockets(&server)?;
            let bare = server.trim_end_matches('.').to_ascii_lowercase();
            places.push(Place::named(bare, sockets, Role::Authoritative));
        }
        if !places.is_empty() {
            return Ok(places);
        }
    }
    let why = finder.trouble.map(|why| format!(": {why}"));
    Err(AppError::Outside {
        message: format!(
            "the authoritative servers of `{}` are not found{}",
            name.dns(),
            why.unwrap_or_default()
        ),
        hint: Some("give them, as `--server 192.0.2.1`, or another `--resolver`"),
    })
}

struct Finder<'a> {
    resolvers: &'a [SocketAddr],
    clock: &'a mut dyn Clock,
    servers: &'a mut dyn NameServers,
    /// The last resolver that said nothing, and what it said instead.
    trouble: Option<String>,
}

impl Finder<'_> {
    /// The values of a name's own record, from the first resolver that knows; `None` where there is none.
    fn ask(&mut self, name: &RecordName, kind: QueryType) -> Result<Option<Vec<String>>, AppError> {
        for socket in self.resolvers {
            for _try in 0..TRIES {
                match self.once(*socket, name, kind)? {
                    // The servers of an alias name's target are not those of the name.
                    Answer::Values {
                        values, through, ..
                    } => return Ok(through.is_empty().then_some(values)),
                    Answer::NoData | Answer::NoName => return Ok(None),
                    trouble @ (Answer::NoAuthority
                    | Answer::Failed(_)
                    | Answer::Silent
                    | Answer::Unreachable(_)) => {
                        self.trouble = Some(format!("{}: {trouble}", shown(*socket)));
                    }
                }
            }
        }
        Ok(None)
    }

    fn once(
        &mut self,
        socket: SocketAddr,
        name: &RecordName,
        kind: QueryType,
    ) -> Result<Answer, AppError> {
        let asked = Asked {
            id: 0,
            sockets: vec![socket],
            name: name.clone(),
            kind,
            recursive: true,
        };
        let until = self.clock.now().after(LONGEST);
        let told = self.servers.ask(&[asked], until);
        let told = told.map_err(|cancelled| AppError::Outside {
            message: cancelled.to_string(),
            hint: None,
        })?;
        let answer = told.into_iter().next().map(|told| told.answer);
        Ok(answer.unwrap_or(Answer::Silent))
    }

    /// Where a server is: its IPv4 addresses, or those of IPv6 where it has no other.
    fn sockets(&mut self, server: &str) -> Result<Vec<SocketAddr>, AppError> {
        let Ok(name) = RecordName::parse(server) else {
            return Ok(Vec::new());
        };
        for kind in [QueryType::A, QueryType::Aaaa] {
            let values = self.ask(&name, kind)?.unwrap_or_default();
            let addresses = values.iter().filter_map(|it| it.parse::<IpAddr>().ok());
            let sockets: Vec<SocketAddr> = addresses.map(|it| SocketAddr::new(it, DNS)).collect();
            if !sockets.is_empty() {
                return Ok(sockets);
            }
        }
        Ok(Vec::new())
    }
}
