//! What can happen to a run: its order, the answers to its effects, and the end of its job.

use std::time::Duration;

use super::fault::Fault;
use super::moment::Moment;
use super::records::RecordSet;

/// Something that happened, and when.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// When, on the run's own clock; a clock that goes back is taken to stand still.
    pub at: Moment,
    /// What.
    pub what: Happened,
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Happened {
    /// The run was started; the first event of every run.
    Started(Order),
    /// Answer to [`Effect::FetchToken`](super::Effect): a token is at hand. The token itself stays with the shell.
    TokenFetched,
    /// Answer to [`Effect::AssumeRole`](super::Effect).
    RoleAssumed {
        /// How long the session lives; `None`: not known.
        lives: Option<Duration>,
    },
    /// Answer to [`Effect::ReadRecords`](super::Effect): every record set of the switched names.
    Records(Vec<RecordSet>),
    /// Answer to [`Effect::Ask`](super::Effect): one for each of its requests, in their order.
    Answered(Vec<Answer>),
    /// Answer to [`Effect::Wait`](super::Effect).
    Woke,
    /// Answer to [`Effect::Write`](super::Effect): accepted, under this change id.
    Accepted(String),
    /// Answer to [`Effect::Write`](super::Effect): not sent, since its time had passed.
    Late,
    /// Answer to [`Effect::AskChange`](super::Effect).
    Change(ChangeStatus),
    /// Answer to [`Effect::AskServers`](super::Effect): one for each authoritative server.
    Servers(Vec<ServerAnswer>),
    /// Answer to any call to AWS or GitHub: it failed.
    Failed(Fault),
    /// The job is being ended (SIGTERM); may come at any time.
    Cancelled,
    /// The program itself can do no more: it has nobody to trust, or a part of it broke; may come at any time.
    Broken(Fault),
}

/// What a run was started with. Nothing in it can name an address.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Order {
    /// The text of the pin's variable, as it stood when the run began.
    pub pin: Option<String>,
    /// Whether to stop before the write.
    pub dry_run: bool,
    /// Where the random parts of waits come from.
    pub jitter: u64,
}

/// The answer to one request of a probe.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Answer {
    /// An HTTP answer, whole and in time, over TLS with the right certificate.
    Status {
        /// The status.
        code: u16,
        /// The site that the answer says it comes from, if it says so.
        site: Option<String>,
    },
    /// None.
    None(NoAnswer),
}

impl Answer {
    /// A plain answer with this status.
    #[must_use]
    pub fn status(code: u16) -> Self {
        Self::Status { code, site: None }
    }

    /// Whether it has this status.
    #[must_use]
    pub fn is(&self, status: u16) -> bool {
        matches!(self, Self::Status { code, .. } if *code == status)
    }

    /// In one or two words.
    #[must_use]
    pub fn describe(&self) -> String {
        match self {
            Self::Status { code, .. } => code.to_string(),
            Self::None(why) => why.word().replace('_', " "),
        }
    }
}

/// Why there was no HTTP answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NoAnswer {
    /// Nothing came in time.
    Timeout,
    /// The connection was refused.
    Refused,
    /// The connection broke.
    Reset,
    /// The answer began and was not whole in time.
    SlowBody,
    /// The certificate is for another name.
    CertificateName,
    /// The certificate is out of date.
    CertificateExpired,
    /// The certificate's issuer is not trusted.
    CertificateUntrusted,
    /// Another fault of TLS.
    Tls,
    /// Plain HTTP on the port of HTTPS.
    PlainHttp,
    /// There is no way to the address.
    Unreachable,
    /// The run's own time was up.
    Stopped,
    /// Anything else.
    Other,
}

impl NoAnswer {
    /// All of them with their words, which are those of the decision scenarios.
    pub const WORDS: [(Self, &'static str); 12] = [
        (Self::Timeout, "timeout"),
        (Self::Refused, "refused"),
        (Self::Reset, "reset"),
        (Self::SlowBody, "slow_body"),
        (Self::CertificateName, "tls_name_mismatch"),
        (Self::CertificateExpired, "tls_expired"),
        (Self::CertificateUntrusted, "tls_untrusted"),
        (Self::Tls, "tls"),
        (Self::PlainHttp, "http_on_443"),
        (Self::Unreachable, "icmp_unreachable"),
        (Self::Stopped, "stop"),
        (Self::Other, "other"),
    ];

    /// Its word.
    #[must_use]
    pub fn word(self) -> &'static str {
        let own = Self::WORDS.iter().find(|(why, _)| *why == self);
        own.map_or("other", |(_, word)| word)
    }

    /// The one with this word.
    #[must_use]
    pub fn of_word(word: &str) -> Option<Self> {
        let own = Self::WORDS.iter().find(|(_, own)| *own == word);
        own.map(|(why, _)| *why)
    }
}

/// What `GetChange` says about a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ChangeStatus {
    /// Not at all authoritative servers yet.
    Pending,
    /// At all of them.
    InSync,
}

/// What one authoritative server answers for the switched records.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ServerAnswer {
    /// The server.
    pub server: String,
    /// The values of each record, in the topology's order; `None`: no answer.
    pub values: Option<Vec<Vec<String>>>,
}
