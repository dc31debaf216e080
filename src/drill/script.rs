//! Faults by script: which call fails, how often, and how.

use std::time::Duration;

use super::refusal::Refusal;

/// A fault that waits for its calls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trouble {
    /// The operation: an API name; `*` for every one of Route 53; `oidc_token` for GitHub's endpoint.
    pub op: String,
    /// How often.
    pub times: Times,
    /// What happens.
    pub what: What,
}

/// How often a fault happens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Times {
    /// At the first so many calls.
    First(u32),
    /// At every call.
    Always,
}

/// What happens to a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum What {
    /// It is refused.
    Refused(Refusal),
    /// The connection is closed without an answer, after the call was carried out or before.
    Lost {
        /// Whether it was carried out.
        applied: bool,
    },
    /// It is carried out, and the answer comes so late.
    Late(Duration),
    /// It is carried out, and the answer is this text with status 200.
    Garbled(String),
    /// It is not carried out, and the answer is this text with this status.
    Says {
        /// The HTTP status.
        http: u16,
        /// The whole body.
        body: String,
    },
    /// A list shows the zone as it was before the last change.
    Old,
    /// A list has nothing on its page, and always one more page, at a name that was not there before.
    Endless,
}

impl Trouble {
    /// A call of `op` is refused so.
    #[must_use]
    pub fn refused(op: &str, times: Times, http: u16, code: &str, message: &str) -> Self {
        Self {
            op: op.to_owned(),
            times,
            what: What::Refused(Refusal::new(http, code, message)),
        }
    }

    /// Another fault of `op`.
    #[must_use]
    pub fn new(op: &str, times: Times, what: What) -> Self {
        Self {
            op: op.to_owned(),
            times,
            what,
        }
    }
}

/// All faults that still wait.
#[derive(Debug, Clone, Default)]
pub(super) struct Script(Vec<Trouble>);

impl Script {
    pub(super) fn add(&mut self, trouble: Trouble) {
        self.0.push(trouble);
    }

    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    /// What happens to this call of `op`; the first fault that waits for it.
    pub(super) fn next(&mut self, op: &str, of_route53: bool) -> Option<What> {
        let waits = |trouble: &&mut Trouble| {
            let meant = trouble.op == op || of_route53 && trouble.op == "*";
            meant && trouble.times != Times::First(0)
        };
        let trouble = self.0.iter_mut().find(waits)?;
        if let Times::First(left) = &mut trouble.times {
            *left -= 1;
        }
        Some(trouble.what.clone())
    }
}
