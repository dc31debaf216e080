//! What a run wants done. Every step gives at most some notes and then exactly one effect that waits for an answer, or
//! the end.

use std::net::IpAddr;

use crate::model::dns::RecordName;

use super::batch::Batch;
use super::fault::Fault;
use super::moment::Moment;
use super::outcome::Outcome;
use super::topology::{SiteId, Topology};

/// What is to be done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect {
    /// Ask GitHub for a token.
    FetchToken,
    /// Borrow the role with it.
    AssumeRole,
    /// Read every record set of the switched names, whatever the number of pages, but for no longer than until this moment.
    ReadRecords(Moment),
    /// Ask a site over HTTPS.
    Ask(Ask),
    /// Do nothing until then.
    Wait(Moment),
    /// Send this change, but not after this moment: what it rests on would be too old.
    Write(Batch, Moment),
    /// Ask how far this change is.
    AskChange(String),
    /// Ask the zone's authoritative servers for the switched records.
    AskServers,
    /// Tell this; nothing is answered.
    Note(Note),
    /// The run has ended.
    Finish(Outcome),
}

impl Effect {
    /// Whether it waits for an answer.
    #[must_use]
    pub fn is_answered(&self) -> bool {
        !matches!(self, Self::Note(_) | Self::Finish(_))
    }
}

/// What is asked over HTTPS, and where.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ask {
    /// Who is asked.
    pub whom: Whom,
    /// For what.
    pub hosts: Hosts,
}

/// Who is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Whom {
    /// A site, at its own addresses.
    Site(SiteId),
    /// The control target, by ordinary name resolution.
    Control,
}

/// Which hosts are asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Hosts {
    /// The one that the site is probed with.
    Probe,
    /// All others that the site serves.
    Others,
}

/// One request: `https://HOST/` with the address pinned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Request<'a> {
    /// The host: the name in the URL, in SNI and in the certificate.
    pub host: &'a RecordName,
    /// The address; `None` for the control target.
    pub address: Option<IpAddr>,
}

impl Ask {
    /// The site's usual probe.
    #[must_use]
    pub fn probe(site: SiteId) -> Self {
        Self {
            whom: Whom::Site(site),
            hosts: Hosts::Probe,
        }
    }

    /// Its requests: each host at each address of the site.
    #[must_use]
    pub fn requests<'a>(&self, topology: &'a Topology) -> Vec<Request<'a>> {
        let Whom::Site(id) = self.whom else {
            let control = topology.control().into_iter();
            let request = |host| Request {
                host,
                address: None,
            };
            return control.map(request).collect();
        };
        let Some(site) = topology.site(id) else {
            return Vec::new();
        };
        let (skip, take) = match self.hosts {
            Hosts::Probe => (0, 1),
            Hosts::Others => (1, usize::MAX),
        };
        let hosts = site.hosts().iter().skip(skip).take(take);
        let pinned = |host: &'a RecordName| {
            let addresses = site.addresses().iter();
            addresses.map(move |address| Request {
                host,
                address: Some(*address),
            })
        };
        hosts.flat_map(pinned).collect()
    }
}

/// What a person should know about a run, beside its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Note {
    /// The records shall point at this site, and why.
    Decided(SiteId, Why),
    /// A host does not answer at the site that visitors are sent to, or shall return to.
    Host(SiteId, RecordName, String),
    /// An address record of a type that is not switched stays behind.
    LeftBehind(RecordName, String),
    /// A call failed and is made again.
    Again(Fault, Moment),
    /// Fresh credentials were not to be had; the old ones still live.
    OldCredentials(Fault),
    /// The evidence became too old, or the records changed: everything is asked once more.
    DecidesAgain,
    /// `GetChange` is not allowed; the list and the servers are asked instead.
    CannotFollow(Fault),
    /// An authoritative server does not show the change yet.
    Lags(String),
    /// An authoritative server gave no answer.
    Silent(String),
    /// The authoritative servers could not be asked.
    Unasked(Fault),
}

/// Why the records shall point at a site.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Why {
    /// Home does not answer, and this site does.
    HomeIsDown,
    /// The records are half switched and home does not answer.
    Half,
    /// Home answered often enough in a row, with every host.
    HomeIsBack,
    /// Home answers and the standby that serves does not.
    QuickReturn,
    /// A person says so.
    Pinned,
}

impl Why {
    /// All of them with their words.
    pub const WORDS: [(Self, &'static str); 5] = [
        (Self::HomeIsDown, "home-is-down"),
        (Self::Half, "half-switched"),
        (Self::HomeIsBack, "home-is-back"),
        (Self::QuickReturn, "quick-return"),
        (Self::Pinned, "pinned"),
    ];

    /// In a few words.
    #[must_use]
    pub fn describe(self) -> &'static str {
        match self {
            Self::HomeIsDown => "home does not answer, this site does",
            Self::Half => "the records are half switched and home does not answer",
            Self::HomeIsBack => "home answered every probe in a row and every host",
            Self::QuickReturn => "the standby that serves does not answer, home does",
            Self::Pinned => "a person pinned it and it answers",
        }
    }
}

impl Note {
    /// Whether it is a warning rather than a step of the ordinary course.
    #[must_use]
    pub fn is_warning(&self) -> bool {
        match self {
            Self::Decided(..) | Self::Again(..) | Self::DecidesAgain => false,
            Self::Host(..)
            | Self::LeftBehind(..)
            | Self::OldCredentials(_)
            | Self::CannotFollow(_)
            | Self::Lags(_)
            | Self::Silent(_)
            | Self::Unasked(_) => true,
        }
    }

    /// In one line.
    #[must_use]
    pub fn describe(&self, topology: &Topology) -> String {
        match self {
            Self::Decided(site, why) => {
                format!(
                    "visitors shall go to `{}`: {}",
                    topology.name(*site),
                    why.describe()
                )
            }
            Self::Host(site, host, answer) => {
                format!("`{host}` answers {answer} at `{}`", topology.name(*site))
            }
            Self::LeftBehind(name, kind) => format!(
                "`{name}` has an {kind} record, which is not switched; whoever uses it stays where it points"
            ),
            Self::Again(fault, until) => {
                let (fault, millis) = (fault.describe(), until.millis());
                format!(
                    "{fault}; once more at {}.{:03} s",
                    millis / 1000,
                    millis % 1000
                )
            }
            Self::OldCredentials(fault) => {
                format!(
                    "credentials could not be renewed: {}; the old ones still live",
                    fault.describe()
                )
            }
            Self::DecidesAgain => {
                "the evidence no longer holds; everything is asked once more".to_owned()
            }
            Self::CannotFollow(fault) => format!(
                "the change cannot be followed: {}; allow `route53:GetChange`; the list and the servers are asked instead",
                fault.describe()
            ),
            Self::Lags(server) => format!(
                "server `{}` does not show the change yet",
                server.escape_debug()
            ),
            Self::Silent(server) => format!(
                "server `{}` gave no answer; whether it shows the change is not known",
                server.escape_debug()
            ),
            Self::Unasked(fault) => format!(
                "the name servers could not be asked: {}; whether they show the change is not known",
                fault.describe()
            ),
        }
    }
}
