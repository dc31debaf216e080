//! What one name server says of one record at one time (RFC 1034, section 4.3; codes of RFC 1035, section 4.1.1).

use std::fmt;
use std::time::Duration;

/// What a server is asked as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// It has the zone: its answers are not from a cache.
    Authoritative,
    /// It asks others and keeps what it heard: its TTL is what is left of it.
    Resolver,
}

impl Role {
    /// The word for it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Authoritative => "authoritative",
            Self::Resolver => "resolver",
        }
    }
}

/// A server that is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Server {
    /// Its name, or its address where it has none.
    pub name: String,
    /// Its address, with the port.
    pub address: String,
    /// What it is asked as.
    pub role: Role,
}

/// An answer, or why there is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// The record is there.
    Values {
        /// Its values, sorted; the last alias name where the answer ends with one.
        values: Vec<String>,
        /// Seconds for which they may be kept: the least of the chain.
        ttl: u32,
        /// The alias names that the answer went through (`CNAME`), in their order.
        through: Vec<String>,
    },
    /// The name is there, a record of this type is not.
    NoData,
    /// The name is not there (`NXDOMAIN`).
    NoName,
    /// Asked as authoritative, the server says that it has no authority.
    NoAuthority,
    /// The server says that it cannot or will not answer: `SERVFAIL`, `REFUSED` and the like.
    Failed(String),
    /// Nothing came in time.
    Silent,
    /// There is no way to the server, in the system's words.
    Unreachable(String),
}

impl Answer {
    /// The values that this answer is sure of: none at all where the record is not there; `None` where nothing is known.
    #[must_use]
    pub fn values(&self) -> Option<&[String]> {
        match self {
            Self::Values { values, .. } => Some(values),
            Self::NoData | Self::NoName => Some(&[]),
            Self::NoAuthority | Self::Failed(_) | Self::Silent | Self::Unreachable(_) => None,
        }
    }

    /// Seconds for which the values may be kept.
    #[must_use]
    pub fn ttl(&self) -> Option<u32> {
        match self {
            Self::Values { ttl, .. } => Some(*ttl),
            Self::NoData
            | Self::NoName
            | Self::NoAuthority
            | Self::Failed(_)
            | Self::Silent
            | Self::Unreachable(_) => None,
        }
    }
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Values {
                values, through, ..
            } => {
                f.write_str(&values.join(", "))?;
                // The end of the chain may be the value itself.
                let way = through.iter().filter(|name| !values.contains(name));
                for (index, name) in way.enumerate() {
                    let before = if index == 0 { " by alias " } else { ", " };
                    write!(f, "{before}{name}")?;
                }
                Ok(())
            }
            Self::NoData => f.write_str("no record of this type"),
            Self::NoName => f.write_str("NXDOMAIN: no such name"),
            Self::NoAuthority => f.write_str("has no authority over the zone"),
            Self::Failed(code) => f.write_str(code),
            Self::Silent => f.write_str("no answer"),
            Self::Unreachable(why) => write!(f, "cannot be asked: {why}"),
        }
    }
}

/// What a server said, and when.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Observation {
    /// Since the watch began.
    pub at: Duration,
    /// Which server, by its place in the list.
    pub server: usize,
    /// What it said.
    pub answer: Answer,
}
