//! Name servers of any kind, authoritative ones and resolvers, each asked without waiting for the others.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use hickory_proto::op::{Message, ResponseCode};
use hickory_proto::rr::{Name, RData, Record, RecordType as DnsType};
use tokio::task::{Id, JoinSet};
use tokio::time::timeout;

use crate::failover::Moment;
use crate::ports::{Asked, Cancelled, Clock as _, NameServers, QueryType, Told};
use crate::propagation::Answer;

use super::super::system_resolvers::system_resolvers;
use super::question::Question;
use super::{TRY, no_way};
use crate::adapters::Runtime;

/// The longest chain of alias names that is followed.
const CHAIN: usize = 16;

/// Asks name servers on this machine's network.
#[derive(Debug)]
pub struct DnsClient {
    runtime: Runtime,
    patience: Duration,
    tasks: JoinSet<Answer>,
    open: Vec<(Id, usize)>,
}

impl DnsClient {
    /// Nothing is asked yet.
    #[must_use]
    pub fn new(runtime: Runtime) -> Self {
        Self {
            runtime,
            patience: TRY,
            tasks: JoinSet::new(),
            open: Vec::new(),
        }
    }

    /// The same with another time for each question, which is 2 s.
    #[must_use]
    pub fn patient_for(self, patience: Duration) -> Self {
        Self { patience, ..self }
    }

    fn number(&mut self, task: Id) -> Option<usize> {
        let place = self.open.iter().position(|(id, _)| *id == task)?;
        Some(self.open.swap_remove(place).1)
    }
}

impl NameServers for DnsClient {
    fn of_system(&self) -> Result<Vec<SocketAddr>, String> {
        system_resolvers()
    }

    fn ask(&mut self, asked: &[Asked], until: Moment) -> Result<Vec<Told>, Cancelled> {
        let is_open = |id: usize| self.open.iter().any(|(_, open)| *open == id);
        let fresh: Vec<Asked> = asked.iter().filter(|it| !is_open(it.id)).cloned().collect();
        let (runtime, patience) = (self.runtime.clone(), self.patience);
        let rest = until.since(runtime.now());
        let mut ended = Vec::new();
        let (tasks, open) = (&mut self.tasks, &mut self.open);
        runtime.run(async {
            for question in fresh {
                let id = question.id;
                let task = tasks.spawn(answer(question, patience));
                open.push((task.id(), id));
            }
            let hearing = async {
                while let Some(done) = tasks.join_next_with_id().await {
                    ended.push((runtime.now(), done));
                }
            };
            // What has not ended is heard next time.
            let _all_ended = timeout(rest, hearing).await;
        })?;
        let mut told = Vec::new();
        for (at, done) in ended {
            let (task, answer) = match done {
                Ok(done) => done,
                Err(broken) => (broken.id(), Answer::Unreachable(broken.to_string())),
            };
            if let Some(id) = self.number(task) {
                told.push(Told { id, at, answer });
            }
        }
        Ok(told)
    }
}

/// What the server says within its time.
async fn answer(asked: Asked, patience: Duration) -> Answer {
    let Some(question) = Question::new(&asked.name, kind(asked.kind), asked.recursive) else {
        return Answer::Unreachable("the name cannot be asked for over DNS".to_owned());
    };
    let mut last = Answer::Unreachable("it has no address".to_owned());
    for socket in &asked.sockets {
        last = match timeout(patience, question.exchange(*socket)).await {
            Ok(Ok(message)) => return read(&message, question.name(), &asked),
            Ok(Err(error)) if no_way(&error) => unreachable(&error),
            Ok(Err(error)) => return unreachable(&error),
            Err(_) => return Answer::Silent,
        };
    }
    last
}

/// The system's words without its numbers, which differ from system to system.
fn unreachable(error: &io::Error) -> Answer {
    Answer::Unreachable(error.kind().to_string())
}

fn kind(kind: QueryType) -> DnsType {
    match kind {
        QueryType::A => DnsType::A,
        QueryType::Aaaa => DnsType::AAAA,
        QueryType::Ns => DnsType::NS,
    }
}

fn read(message: &Message, name: &Name, asked: &Asked) -> Answer {
    let code = message.metadata.response_code;
    if code != ResponseCode::NoError && code != ResponseCode::NXDomain {
        return Answer::Failed(word(code));
    }
    if !asked.recursive && !message.metadata.authoritative {
        return Answer::NoAuthority;
    }
    let chain = Chain::follow(&message.answers, name, kind(asked.kind));
    if chain.values.is_empty() {
        return if code == ResponseCode::NXDomain {
            Answer::NoName
        } else {
            Answer::NoData
        };
    }
    Answer::Values {
        values: chain.values,
        ttl: chain.ttl,
        through: chain.through,
    }
}

/// The code as DNS people write it.
fn word(code: ResponseCode) -> String {
    let known = WORDS.iter().find(|(known, _)| *known == code);
    known.map_or_else(
        || format!("code {}", u16::from(code)),
        |(_, word)| (*word).to_owned(),
    )
}

const WORDS: [(ResponseCode, &str); 5] = [
    (ResponseCode::ServFail, "SERVFAIL"),
    (ResponseCode::Refused, "REFUSED"),
    (ResponseCode::NotImp, "NOTIMP"),
    (ResponseCode::FormErr, "FORMERR"),
    (ResponseCode::NotAuth, "NOTAUTH"),
];

/// From the name that was asked for, over alias names, to values.
struct Chain {
    values: Vec<String>,
    ttl: u32,
    through: Vec<String>,
}

impl Chain {
    fn follow(answers: &[Record], name: &Name, kind: DnsType) -> Self {
        let mut chain = Self {
            values: Vec::new(),
            ttl: u32::MAX,
            through: Vec::new(),
        };
        let mut owner = name.clone();
        for _link in 0..CHAIN {
            let own = answers.iter().filter(|record| record.name == owner);
            let (found, alias): (Vec<&Record>, Vec<&Record>) = own
                .filter(|record| [kind, DnsType::CNAME].contains(&record.record_type()))
                .partition(|record| record.record_type() == kind);
            if !found.is_empty() {
                for record in found {
                    chain.ttl = chain.ttl.min(record.ttl);
                    chain.values.extend(value(&record.data));
                }
                break;
            }
            let Some((record, target)) = alias.first().and_then(|record| target(record)) else {
                break;
            };
            chain.ttl = chain.ttl.min(record.ttl);
            chain.through.push(target.to_string());
            owner = target.clone();
        }
        // Where the chain leaves what this server knows, its end is all that there is.
        if chain.values.is_empty() {
            chain.values.extend(chain.through.last().cloned());
        }
        chain.values.sort();
        chain.values.dedup();
        chain
    }
}

fn target<'a>(record: &&'a Record) -> Option<(&'a Record, &'a Name)> {
    if let RData::CNAME(target) = &record.data {
        Some((record, target))
    } else {
        None
    }
}

#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "the library's list is open; only types that are asked for have values"
)]
fn value(data: &RData) -> Option<String> {
    match data {
        RData::A(address) => Some(address.to_string()),
        RData::AAAA(address) => Some(address.to_string()),
        RData::NS(name) => Some(name.to_string()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hickory_proto::op::{Message, OpCode};
    use hickory_proto::rr::rdata::{A, CNAME};
    use std::net::Ipv4Addr;

    use crate::model::dns::RecordName;

    fn name(text: &str) -> Name {
        Name::from_ascii(text).unwrap()
    }

    fn address(owner: &str, ttl: u32, last: u8) -> Record {
        let data = RData::A(A(Ipv4Addr::new(192, 0, 2, last)));
        Record::from_rdata(name(owner), ttl, data)
    }

    fn alias(owner: &str, ttl: u32, target: &str) -> Record {
        Record::from_rdata(name(owner), ttl, RData::CNAME(CNAME(name(target))))
    }

    fn told(records: Vec<Record>, code: ResponseCode) -> Answer {
        let mut message = Message::response(1, OpCode::Query);
        message.metadata.authoritative = true;
        message.metadata.response_code = code;
        message.add_answers(records);
        let asked = Asked {
            id: 0,
            sockets: Vec::new(),
            name: RecordName::parse("www.example.com").unwrap(),
            kind: QueryType::A,
            recursive: false,
        };
        read(&message, &name("www.example.com."), &asked)
    }

    #[test]
    fn a_chain_of_aliases_ends_at_its_values_with_the_least_of_its_ttls() {
        let answer = told(
            vec![
                alias("www.example.com.", 60, "a.example.com."),
                alias("a.example.com.", 20, "b.example.com."),
                address("b.example.com.", 300, 9),
                address("b.example.com.", 300, 10),
                address("elsewhere.example.com.", 1, 66),
            ],
            ResponseCode::NoError,
        );
        assert_eq!(answer.values().unwrap(), ["192.0.2.10", "192.0.2.9"]);
        assert_eq!(answer.ttl(), Some(20));
        assert_eq!(
            answer.to_string(),
            "192.0.2.10, 192.0.2.9 by alias a.example.com., b.example.com."
        );
    }

    #[test]
    fn an_alias_that_leads_elsewhere_is_the_value() {
        let alone = vec![alias("www.example.com.", 60, "a.example.net.")];
        let answer = told(alone, ResponseCode::NoError);
        assert_eq!(answer.values().unwrap(), ["a.example.net."]);
        assert_eq!(answer.to_string(), "a.example.net.");
    }

    #[test]
    fn a_circle_of_aliases_has_an_end() {
        let circle = vec![
            alias("www.example.com.", 60, "a.example.com."),
            alias("a.example.com.", 60, "www.example.com."),
        ];
        assert!(told(circle, ResponseCode::NoError).values().is_some());
    }

    #[test]
    fn codes_are_told_apart() {
        assert_eq!(told(Vec::new(), ResponseCode::NXDomain), Answer::NoName);
        assert_eq!(told(Vec::new(), ResponseCode::NoError), Answer::NoData);
        let failed = |code| told(Vec::new(), code).to_string();
        assert_eq!(failed(ResponseCode::ServFail), "SERVFAIL");
        assert_eq!(failed(ResponseCode::Refused), "REFUSED");
        assert_eq!(failed(ResponseCode::NXRRSet), "code 8");
    }
}
