//! A small authoritative name server on loopback, over UDP and TCP, which answers from shared records and can lag behind
//! them or fail.

use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use hickory_proto::op::{Message, OpCode, Query, ResponseCode};
use hickory_proto::rr::rdata::{A, AAAA, CNAME, NS, SOA, TXT};
use hickory_proto::rr::{Name, RData, Record};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream, UdpSocket};
use tokio::sync::mpsc::UnboundedReceiver;

use crate::model::dns::RecordName;

use super::background::{Background, Command, runtime};
use super::records::{Found, Records, SharedRecords, Values};

/// The most that an answer over UDP may have without EDNS (RFC 1035, section 4.2.1).
const DATAGRAM: usize = 512;
/// The longest chain of alias names that is followed.
const CHAIN: usize = 8;

/// What a name server does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NameServerConduct {
    /// It answers from the records as they are.
    Follows,
    /// It answers from the records as they were when it was told so.
    Lags,
    /// It does not answer.
    Silent,
    /// It answers every question with this code, as `REFUSED` or `SERVFAIL`.
    Fails(NameServerFault),
    /// It cuts off every answer over UDP.
    Truncates,
    /// It does not say that it has authority.
    NoAuthority,
    /// Before the right answer it sends others: of another id, to another question, and bytes that are no message.
    Babbles,
}

/// The code of a failing server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NameServerFault {
    /// `REFUSED`.
    Refused,
    /// `SERVFAIL`.
    ServerFailure,
}

/// A running name server.
#[derive(Debug)]
pub struct NameServer {
    socket: SocketAddr,
    background: Background<NameServerConduct>,
}

impl NameServer {
    /// Starts one on a port of 127.0.0.1 that is free for UDP and TCP.
    ///
    /// # Errors
    /// When the system gives no port.
    pub fn start(zone: &RecordName, records: SharedRecords) -> io::Result<Self> {
        let runtime = runtime()?;
        let (udp, tcp) = runtime.block_on(sockets())?;
        let socket = udp.local_addr()?;
        let server = Server {
            apex: name_of(zone).map_err(io::Error::other)?,
            zone: zone.clone(),
            records,
            conduct: NameServerConduct::Follows,
            frozen: None,
        };
        let background = Background::start(runtime, "name server", move |commands| {
            serve(server, udp, tcp, commands)
        })?;
        Ok(Self { socket, background })
    }

    /// Where it is.
    #[must_use]
    pub fn socket(&self) -> SocketAddr {
        self.socket
    }

    /// Changes what it does from now on; it holds when this comes back.
    pub fn conduct(&self, conduct: NameServerConduct) {
        self.background.tell(conduct);
    }
}

/// A port that both protocols have.
async fn sockets() -> io::Result<(UdpSocket, TcpListener)> {
    let mut last = io::ErrorKind::AddrInUse.into();
    for _attempt in 0..16 {
        let tcp = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        match UdpSocket::bind(tcp.local_addr()?).await {
            Ok(udp) => return Ok((udp, tcp)),
            Err(error) => last = error,
        }
    }
    Err(last)
}

async fn serve(
    mut server: Server,
    udp: UdpSocket,
    tcp: TcpListener,
    mut commands: UnboundedReceiver<Command<NameServerConduct>>,
) {
    let mut buffer = vec![0; 65_535];
    loop {
        tokio::select! {
            biased;
            command = commands.recv() => {
                let Some(command) = command else { return };
                server.turn(command.what);
                let _gone = command.done.send(());
            }
            received = udp.recv_from(&mut buffer) => {
                if let Ok((count, peer)) = received {
                    let heard = buffer.get(..count).unwrap_or_default();
                    for answer in server.over_udp(heard) {
                        // Who asked may be gone.
                        let _sent = udp.send_to(&answer, peer).await;
                    }
                }
            }
            accepted = tcp.accept() => {
                if let Ok((stream, _)) = accepted {
                    let server = server.clone();
                    tokio::spawn(async move {
                        let _visitor_gone = over_tcp(stream, &server).await;
                    });
                }
            }
        }
    }
}

async fn over_tcp(mut stream: TcpStream, server: &Server) -> io::Result<()> {
    loop {
        let count = stream.read_u16().await?;
        let mut heard = vec![0; count.into()];
        stream.read_exact(&mut heard).await?;
        if let Some(answer) = server.answer(&heard).and_then(|told| told.to_vec().ok()) {
            let length = u16::try_from(answer.len()).map_err(io::Error::other)?;
            stream
                .write_all(&[&length.to_be_bytes(), answer.as_slice()].concat())
                .await?;
        }
    }
}

#[derive(Debug, Clone)]
struct Server {
    zone: RecordName,
    apex: Name,
    records: SharedRecords,
    conduct: NameServerConduct,
    frozen: Option<Records>,
}

impl Server {
    fn turn(&mut self, conduct: NameServerConduct) {
        self.frozen = (conduct == NameServerConduct::Lags).then(|| self.records.now());
        self.conduct = conduct;
    }

    /// The datagrams that answer a datagram.
    fn over_udp(&self, heard: &[u8]) -> Vec<Vec<u8>> {
        let Some(answer) = self.answer(heard) else {
            return Vec::new();
        };
        let babbles = self.conduct == NameServerConduct::Babbles;
        let mut all = if babbles { babble(&answer) } else { Vec::new() };
        let whole = answer.to_vec().unwrap_or_default();
        let cut = self.conduct == NameServerConduct::Truncates || whole.len() > DATAGRAM;
        all.push(if cut {
            answer.truncate().to_vec().unwrap_or_default()
        } else {
            whole
        });
        all
    }

    fn answer(&self, heard: &[u8]) -> Option<Message> {
        let asked = Message::from_vec(heard).ok()?;
        let mut answer = Message::response(asked.metadata.id, asked.metadata.op_code);
        answer.metadata.recursion_desired = asked.metadata.recursion_desired;
        answer.metadata.response_code = match (&self.conduct, asked.queries.as_slice()) {
            (NameServerConduct::Silent, _) => return None,
            (NameServerConduct::Fails(NameServerFault::Refused), _) => ResponseCode::Refused,
            (NameServerConduct::Fails(NameServerFault::ServerFailure), _) => ResponseCode::ServFail,
            _ if asked.metadata.op_code != OpCode::Query => ResponseCode::NotImp,
            (_, [query]) => self.look_up(query, &mut answer),
            _ => ResponseCode::FormErr,
        };
        answer.add_queries(asked.queries);
        Some(answer)
    }

    fn look_up(&self, query: &Query, answer: &mut Message) -> ResponseCode {
        let Ok(mut name) = RecordName::of_labels(query.name.iter()) else {
            return ResponseCode::Refused;
        };
        if !name.is_within(&self.zone) {
            return ResponseCode::Refused;
        }
        answer.metadata.authoritative = self.conduct != NameServerConduct::NoAuthority;
        let records = self.frozen.clone().unwrap_or_else(|| self.records.now());
        let kind = query.query_type.to_string();
        let mut owner = query.name.clone();
        for _link in 0..CHAIN {
            match records.find(&self.zone, &name, &kind) {
                Found::Set(set) => {
                    answer.add_answers(of_set(&owner, &kind, set));
                    return ResponseCode::NoError;
                }
                Found::Alias(set) => {
                    answer.add_answers(of_set(&owner, "CNAME", set));
                    let target = set
                        .1
                        .first()
                        .and_then(|target| RecordName::parse(target).ok());
                    let Some(target) = target.filter(|target| target.is_within(&self.zone)) else {
                        return ResponseCode::NoError;
                    };
                    let Ok(next) = name_of(&target) else {
                        return ResponseCode::ServFail;
                    };
                    (name, owner) = (target, next);
                }
                // The answer is in the name of whoever was asked for.
                Found::SameAs((_, target)) => {
                    let target = target.first().map(|target| RecordName::parse(target));
                    match target {
                        Some(Ok(target)) if target.is_within(&self.zone) => name = target,
                        Some(_) | None => return ResponseCode::ServFail,
                    }
                }
                Found::NoData => {
                    answer.add_authority(self.start_of_authority());
                    return ResponseCode::NoError;
                }
                Found::NoName => {
                    answer.add_authority(self.start_of_authority());
                    return ResponseCode::NXDomain;
                }
            }
        }
        ResponseCode::ServFail
    }

    fn start_of_authority(&self) -> Record {
        let soa = SOA::new(
            self.apex.clone(),
            self.apex.clone(),
            1,
            7200,
            900,
            1_209_600,
            300,
        );
        Record::from_rdata(self.apex.clone(), 300, RData::SOA(soa))
    }
}

/// Answers that are none to what was asked.
fn babble(answer: &Message) -> Vec<Vec<u8>> {
    let mut of_another = answer.clone();
    of_another.metadata.id = answer.metadata.id.wrapping_add(1);
    let mut to_another = answer.clone();
    for query in &mut to_another.queries {
        query.name = Name::root();
    }
    let wrong = A(Ipv4Addr::new(192, 0, 2, 66));
    for message in [&mut of_another, &mut to_another] {
        for record in &mut message.answers {
            record.data = RData::A(wrong);
        }
    }
    let told = [of_another, to_another];
    let mut all: Vec<Vec<u8>> = told.iter().filter_map(|told| told.to_vec().ok()).collect();
    all.push(b"no message".to_vec());
    all
}

/// Records as they go out; values that are no data of their type stay behind.
fn of_set(owner: &Name, kind: &str, (ttl, values): &Values) -> Vec<Record> {
    let data = values.iter().filter_map(|value| rdata(kind, value));
    data.map(|data| Record::from_rdata(owner.clone(), *ttl, data))
        .collect()
}

fn rdata(kind: &str, value: &str) -> Option<RData> {
    let name = || {
        let name = RecordName::parse(value).ok()?;
        name_of(&name).ok()
    };
    match (kind, value.parse::<IpAddr>()) {
        ("A", Ok(IpAddr::V4(address))) => Some(RData::A(A(address))),
        ("AAAA", Ok(IpAddr::V6(address))) => Some(RData::AAAA(AAAA(address))),
        ("CNAME", _) => name().map(|name| RData::CNAME(CNAME(name))),
        ("NS", _) => name().map(|name| RData::NS(NS(name))),
        ("TXT", _) => {
            let text = value.trim_matches('"').to_owned();
            Some(RData::TXT(TXT::new(vec![text])))
        }
        _ => None,
    }
}

fn name_of(name: &RecordName) -> Result<Name, hickory_proto::ProtoError> {
    let mut own = Name::from_labels(name.labels())?;
    own.set_fqdn(true);
    Ok(own)
}
