//! One question to one server (RFC 1035, section 4): over UDP, and over TCP when the answer was cut off. A datagram that
//! is not the answer to this question is as if it had not come.

use std::io;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};

use hickory_proto::op::{Message, MessageType, OpCode, Query, ResponseCode};
use hickory_proto::rr::{DNSClass, Name, RData, RecordType as DnsType};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpStream, UdpSocket};

use crate::failover::Record;
use crate::model::dns::{RecordName, RecordType};

/// The most that a datagram can have.
const DATAGRAM: usize = 65_535;

/// A record that is asked for.
#[derive(Debug, Clone)]
pub(super) struct Question {
    name: Name,
    kind: DnsType,
    recursive: bool,
}

/// What a server answered.
#[derive(Debug)]
pub(super) struct Answer {
    message: Message,
    name: Name,
}

impl Question {
    /// Asks for this record; a wildcard record is asked for by its own name, star and all.
    pub(super) fn of(record: &Record) -> Option<Self> {
        let kind = match record.kind {
            RecordType::A => DnsType::A,
            RecordType::Aaaa => DnsType::AAAA,
        };
        Self::new(&record.name, kind, false)
    }

    /// Asks for what this name has of this type; `recursive` lets the server ask others.
    pub(super) fn new(name: &RecordName, kind: DnsType, recursive: bool) -> Option<Self> {
        let mut name = Name::from_labels(name.labels()).ok()?;
        name.set_fqdn(true);
        Some(Self {
            name,
            kind,
            recursive,
        })
    }

    /// The name that is asked for.
    pub(super) fn name(&self) -> &Name {
        &self.name
    }

    /// Asks the server there, until it answers yes or no.
    pub(super) async fn ask(&self, server: SocketAddr) -> io::Result<Answer> {
        let message = self.exchange(server).await?;
        // A server that is in trouble may do better when it is asked again.
        let code = message.metadata.response_code;
        if code != ResponseCode::NoError && code != ResponseCode::NXDomain {
            return Err(io::Error::other(code.to_str()));
        }
        Ok(Answer {
            message,
            name: self.name.clone(),
        })
    }

    /// Asks the server there, until it answers anything.
    pub(super) async fn exchange(&self, server: SocketAddr) -> io::Result<Message> {
        // A random id each time: a late answer to an earlier try is none to this one.
        let mut message = Message::query();
        message.metadata.recursion_desired = self.recursive;
        message.add_query(Query::query(self.name.clone(), self.kind));
        let bytes = message.to_vec().map_err(io::Error::other)?;
        let id = message.metadata.id;
        let heard = self.over_udp(server, &bytes, id).await?;
        if heard.metadata.truncation {
            self.over_tcp(server, &bytes, id).await
        } else {
            Ok(heard)
        }
    }

    async fn over_udp(&self, server: SocketAddr, query: &[u8], id: u16) -> io::Result<Message> {
        let own: SocketAddr = if server.is_ipv4() {
            (Ipv4Addr::UNSPECIFIED, 0).into()
        } else {
            (Ipv6Addr::UNSPECIFIED, 0).into()
        };
        let socket = UdpSocket::bind(own).await?;
        // Connected, it hears this server alone.
        socket.connect(server).await?;
        socket.send(query).await?;
        let mut buffer = vec![0; DATAGRAM];
        loop {
            let count = socket.recv(&mut buffer).await?;
            let heard = buffer.get(..count).unwrap_or_default();
            if let Some(message) = self.answered(heard, id) {
                return Ok(message);
            }
        }
    }

    async fn over_tcp(&self, server: SocketAddr, query: &[u8], id: u16) -> io::Result<Message> {
        let length = u16::try_from(query.len()).map_err(io::Error::other)?;
        let mut stream = TcpStream::connect(server).await?;
        stream
            .write_all(&[&length.to_be_bytes(), query].concat())
            .await?;
        let count = stream.read_u16().await?;
        let mut heard = vec![0; count.into()];
        stream.read_exact(&mut heard).await?;
        let message = self.answered(&heard, id);
        message.ok_or_else(|| io::ErrorKind::InvalidData.into())
    }

    /// The message, if it answers this question.
    fn answered(&self, heard: &[u8], id: u16) -> Option<Message> {
        let message = Message::from_vec(heard).ok()?;
        let asked = |query: &Query| {
            query.name == self.name
                && query.query_type == self.kind
                && query.query_class == DNSClass::IN
        };
        let ours = message.metadata.id == id
            && message.metadata.message_type == MessageType::Response
            && message.metadata.op_code == OpCode::Query
            && message.queries.len() == 1
            && message.queries.iter().all(asked);
        ours.then_some(message)
    }
}

impl Answer {
    /// The values of the record, sorted; an alias name as it is. `None` when the server has no authority to say.
    pub(super) fn values(&self) -> Option<Vec<String>> {
        if !self.message.metadata.authoritative {
            return None;
        }
        let own = self.message.answers.iter();
        let own = own.filter(|record| record.name == self.name);
        let mut values: Vec<String> = own.filter_map(|record| value(&record.data)).collect();
        values.sort();
        Some(values)
    }
}

#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "the library's list is open; signatures and the like are no values"
)]
fn value(data: &RData) -> Option<String> {
    match data {
        RData::A(address) => Some(address.to_string()),
        RData::AAAA(address) => Some(address.to_string()),
        RData::CNAME(target) => Some(target.to_string()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn question(kind: RecordType) -> Option<Question> {
        Question::of(&Record {
            name: RecordName::parse("\\052.example.com").ok()?,
            kind,
        })
    }

    #[test]
    fn a_wildcard_is_asked_for_by_its_own_name() {
        let question = question(RecordType::Aaaa).unwrap();
        assert_eq!(question.name.to_string(), "*.example.com.");
        assert_eq!(question.kind, DnsType::AAAA);
    }

    proptest! {
        #[test]
        fn any_bytes_are_an_answer_or_not(bytes in prop::collection::vec(any::<u8>(), 0..600), id: u16) {
            let question = question(RecordType::A).unwrap();
            prop_assert!(question.answered(&bytes, id).is_none());
        }

        #[test]
        fn an_answer_with_a_changed_byte_is_read_or_not_heard(at in 0..200_usize, to: u8) {
            let question = question(RecordType::A).unwrap();
            let mut message = Message::response(7, OpCode::Query);
            message.metadata.authoritative = true;
            message.add_query(Query::query(question.name.clone(), question.kind));
            let address = RData::A(Ipv4Addr::new(203, 0, 113, 20).into());
            let record = hickory_proto::rr::Record::from_rdata(question.name.clone(), 300, address);
            message.add_answer(record);
            let mut bytes = message.to_vec().unwrap();
            let whole = question.answered(&bytes, 7);
            let name = question.name.clone();
            let told = whole.and_then(|message| Answer { message, name }.values());
            prop_assert_eq!(told, Some(vec!["203.0.113.20".to_owned()]));
            if let Some(byte) = bytes.get_mut(at) {
                *byte = to;
            }
            if let Some(message) = question.answered(&bytes, 7) {
                let name = question.name;
                let _told = Answer { message, name }.values();
            }
        }
    }
}
