//! Name servers, asked one question each over and over.

use std::net::SocketAddr;

use crate::failover::Moment;
use crate::model::dns::RecordName;
use crate::propagation::Answer;

use super::Cancelled;

/// The type that is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QueryType {
    /// An IPv4 address.
    A,
    /// An IPv6 address.
    Aaaa,
    /// The servers of a zone.
    Ns,
}

/// A question to one server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    /// The caller's number for it; no other open question has it.
    pub id: usize,
    /// Where the server is. The next is tried only where there is no way to the one before.
    pub sockets: Vec<SocketAddr>,
    /// The name.
    pub name: RecordName,
    /// The type.
    pub kind: QueryType,
    /// Whether the server may ask others; if not, it is to answer with authority.
    pub recursive: bool,
}

/// What a server told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Told {
    /// The number of the question.
    pub id: usize,
    /// When it was heard.
    pub at: Moment,
    /// The answer; names of servers are its values for [`QueryType::Ns`].
    pub answer: Answer,
}

/// Name servers, asked over UDP, and over TCP when an answer was cut off.
pub trait NameServers {
    /// The resolvers that this system uses.
    ///
    /// # Errors
    /// Why they are not known, in words.
    fn of_system(&self) -> Result<Vec<SocketAddr>, String>;

    /// Asks what is not open already, then hears answers until `until`, or until nothing is open. Each question has a time of its
    /// own, after which its answer is [`Answer::Silent`]; what is open at the end is heard by a later call.
    ///
    /// # Errors
    /// When the job is ended before.
    fn ask(&mut self, asked: &[Asked], until: Moment) -> Result<Vec<Told>, Cancelled>;
}
