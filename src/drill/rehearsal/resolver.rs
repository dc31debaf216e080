//! A resolver with a cache, as visitors have one: it asks an authoritative server, and keeps the answer as long as that says.

use std::collections::BTreeMap;
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, UdpSocket};
use std::time::Duration;

use hickory_proto::op::{Message, Query};
use hickory_proto::rr::{Name, RData, RecordType};

use crate::model::dns::RecordName;

/// How long a server may take, in time that is not skipped.
const PATIENCE: Duration = Duration::from_secs(10);

/// How long it is remembered that a name does not exist, or has no such record (the rehearsal's SOA).
const NOTHING: Duration = Duration::from_secs(300);

/// What is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Kept {
    values: Vec<IpAddr>,
    until: Duration,
}

/// A resolver.
#[derive(Debug, Default)]
pub(super) struct Resolver {
    cache: BTreeMap<(RecordName, bool), Kept>,
}

impl Resolver {
    /// The addresses of a name, from the cache or from the first of `servers` that answers; `None` when none does.
    pub(super) fn ask(
        &mut self,
        servers: &[SocketAddr],
        name: &RecordName,
        ipv6: bool,
        now: Duration,
    ) -> Option<Vec<IpAddr>> {
        let key = (name.clone(), ipv6);
        if let Some(kept) = self.cache.get(&key).filter(|kept| now < kept.until) {
            return Some(kept.values.clone());
        }
        let (values, ttl) = servers
            .iter()
            .find_map(|server| question(*server, name, ipv6).ok())?;
        let until = now.saturating_add(ttl);
        let kept = Kept { values, until };
        let values = kept.values.clone();
        self.cache.insert(key, kept);
        Some(values)
    }

    /// Everything that it keeps was had so much earlier.
    pub(super) fn age(&mut self, by: Duration) {
        for kept in self.cache.values_mut() {
            kept.until = kept.until.saturating_sub(by);
        }
    }

    /// It keeps nothing.
    pub(super) fn forget(&mut self) {
        self.cache.clear();
    }
}

fn question(
    server: SocketAddr,
    name: &RecordName,
    ipv6: bool,
) -> io::Result<(Vec<IpAddr>, Duration)> {
    let mut asked = Name::from_labels(name.labels()).map_err(io::Error::other)?;
    asked.set_fqdn(true);
    let kind = if ipv6 {
        RecordType::AAAA
    } else {
        RecordType::A
    };
    let mut message = Message::query();
    message.metadata.recursion_desired = true;
    message.add_query(Query::query(asked, kind));
    let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0))?;
    socket.set_read_timeout(Some(PATIENCE))?;
    socket.connect(server)?;
    socket.send(&message.to_vec().map_err(io::Error::other)?)?;
    let mut buffer = vec![0; 4096];
    loop {
        let count = socket.recv(&mut buffer)?;
        let heard = Message::from_vec(buffer.get(..count).unwrap_or_default());
        let Ok(heard) = heard else { continue };
        if heard.metadata.id == message.metadata.id {
            return Ok(read(&heard));
        }
    }
}

#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "the library's list is open; only addresses are looked at"
)]
fn read(answer: &Message) -> (Vec<IpAddr>, Duration) {
    let address = |data: &RData| match data {
        RData::A(address) => Some(IpAddr::V4(address.0)),
        RData::AAAA(address) => Some(IpAddr::V6(address.0)),
        _ => None,
    };
    let values = answer.answers.iter();
    let values: Vec<IpAddr> = values.filter_map(|record| address(&record.data)).collect();
    let ttl = answer.answers.iter().map(|record| record.ttl).min();
    let ttl = ttl.map_or(NOTHING, |ttl| Duration::from_secs(ttl.into()));
    (values, ttl)
}
