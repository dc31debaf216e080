//! Why a call to Route 53, STS or GitHub's token endpoint failed, and what may be done about it.
//!
//! The codes are those of the service models `route53/2013-04-01` and `sts`; Route 53 answers throttling as
//! `Throttling` with status 400 (AWS re:Post, "avoid throttling errors").

use crate::text::cut;

/// How much of a service's code is shown, in bytes.
const LONGEST_CODE: usize = 100;

/// How much of a service's message is shown, in bytes; the journal has all of it.
const LONGEST_MESSAGE: usize = 1000;

/// A call that failed.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fault {
    /// What kind it is.
    pub kind: FaultKind,
    /// The service's code, or the adapter's word.
    pub code: String,
    /// The service's message.
    pub message: String,
}

/// What kind of fault it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FaultKind {
    /// Too many calls, or an earlier change is not done: wait and ask again.
    Busy,
    /// The service failed (5xx), or was not reached: wait and ask again.
    Unavailable,
    /// The request went out and its answer was lost: it may have been carried out.
    Lost,
    /// The token or the session has run out: a fresh one helps.
    Expired,
    /// Not allowed: asking again does not help.
    Denied,
    /// Refused as it is: a protected record, a wrong zone, an unknown change.
    Rejected,
}

impl FaultKind {
    /// All kinds with their words.
    pub const WORDS: [(Self, &'static str); 6] = [
        (Self::Busy, "busy"),
        (Self::Unavailable, "unavailable"),
        (Self::Lost, "lost"),
        (Self::Expired, "expired"),
        (Self::Denied, "denied"),
        (Self::Rejected, "rejected"),
    ];

    /// Whether the same call may be sent again.
    #[must_use]
    pub fn may_pass(self) -> bool {
        match self {
            Self::Busy | Self::Unavailable | Self::Lost | Self::Expired => true,
            Self::Denied | Self::Rejected => false,
        }
    }
}

impl Fault {
    /// The fault that an answer with this code and HTTP status means.
    #[must_use]
    pub fn answered(code: &str, http: Option<u16>, message: &str) -> Self {
        let kind = match code {
            "Throttling"
            | "ThrottlingException"
            | "ThrottledException"
            | "TooManyRequests"
            | "TooManyRequestsException"
            | "RequestLimitExceeded"
            | "SlowDown"
            | "PriorRequestNotComplete"
            | "PriorRequestNotCompleteException" => FaultKind::Busy,
            "ExpiredToken" | "ExpiredTokenException" | "RequestExpired" => FaultKind::Expired,
            "AccessDenied"
            | "AccessDeniedException"
            | "UnauthorizedOperation"
            | "NotAuthorized"
            | "InvalidIdentityToken"
            | "InvalidIdentityTokenException"
            | "IDPRejectedClaim"
            | "IDPRejectedClaimException"
            | "InvalidClientTokenId"
            | "SignatureDoesNotMatch"
            | "UnrecognizedClientException" => FaultKind::Denied,
            "ServiceUnavailable"
            | "ServiceUnavailableException"
            | "InternalFailure"
            | "InternalError"
            | "InternalServiceError"
            | "RequestTimeout"
            | "RequestTimeoutException"
            | "IDPCommunicationError"
            | "IDPCommunicationErrorException" => FaultKind::Unavailable,
            _ => match http {
                Some(429) => FaultKind::Busy,
                Some(500..) | None => FaultKind::Unavailable,
                Some(401 | 403) => FaultKind::Denied,
                Some(_) => FaultKind::Rejected,
            },
        };
        Self {
            kind: if matches!(
                code,
                "InvalidChangeBatch"
                    | "InvalidInput"
                    | "NoSuchHostedZone"
                    | "NoSuchChange"
                    | "NoSuchHealthCheck"
            ) {
                FaultKind::Rejected
            } else {
                kind
            },
            code: code.to_owned(),
            message: message.to_owned(),
        }
    }

    /// A request that went out and whose answer was lost.
    #[must_use]
    pub fn lost(message: &str) -> Self {
        Self {
            kind: FaultKind::Lost,
            code: "ConnectionLost".to_owned(),
            message: message.to_owned(),
        }
    }

    /// In one line, for a person.
    #[must_use]
    pub fn describe(&self) -> String {
        if self.message.is_empty() {
            format!("`{}`", cut(&self.code, LONGEST_CODE).escape_debug())
        } else {
            format!(
                "`{}` ({})",
                cut(&self.code, LONGEST_CODE).escape_debug(),
                on_one_line(&cut(&self.message, LONGEST_MESSAGE))
            )
        }
    }
}

/// What no terminal should see is escaped; quotes and backslashes, as in `name='\052.example.com.'`, stay as AWS writes them.
fn on_one_line(text: &str) -> String {
    let letters = text.chars().map(|letter| match letter {
        '\'' | '"' | '\\' => letter.to_string(),
        _ => letter.escape_debug().to_string(),
    });
    letters.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_stays_as_aws_writes_it_and_on_one_line() {
        let fault = Fault::lost("[name='\\052.example.com.']\n\u{1b}[2J");
        let told = fault.describe();
        assert!(
            told.contains("[name='\\052.example.com.']\\n\\u{1b}[2J"),
            "{told}"
        );
    }

    #[test]
    fn a_code_says_whether_asking_again_helps() {
        let cases = [
            ("Throttling", Some(400), FaultKind::Busy),
            ("PriorRequestNotComplete", Some(400), FaultKind::Busy),
            ("ServiceUnavailable", Some(503), FaultKind::Unavailable),
            ("IDPCommunicationError", Some(400), FaultKind::Unavailable),
            ("SomethingNew", Some(500), FaultKind::Unavailable),
            ("SomethingNew", Some(429), FaultKind::Busy),
            ("SomethingNew", Some(403), FaultKind::Denied),
            ("SomethingNew", Some(400), FaultKind::Rejected),
            ("DnsFailure", None, FaultKind::Unavailable),
            ("ExpiredToken", Some(403), FaultKind::Expired),
            ("ExpiredTokenException", Some(400), FaultKind::Expired),
            ("AccessDenied", Some(403), FaultKind::Denied),
            ("IDPRejectedClaim", Some(403), FaultKind::Denied),
            ("InvalidChangeBatch", Some(400), FaultKind::Rejected),
            ("InvalidChangeBatch", None, FaultKind::Rejected),
            ("NoSuchHostedZone", Some(404), FaultKind::Rejected),
            ("NoSuchChange", Some(404), FaultKind::Rejected),
        ];
        for (code, http, kind) in cases {
            assert_eq!(
                Fault::answered(code, http, "").kind,
                kind,
                "{code} {http:?}"
            );
        }
        assert!(Fault::lost("").kind.may_pass());
        assert!(!FaultKind::Rejected.may_pass());
    }
}
