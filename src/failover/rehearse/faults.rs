//! Scripted faults of the services: which call fails how, how often and until when.

use serde::Deserialize;
use serde_json::Value;

use crate::failover::{Fault, Moment};

/// A fault as a scenario writes it.
#[derive(Debug, Clone, Deserialize)]
#[serde(expecting = "a fault: an object with `op` and `times`")]
pub struct ApiFault {
    /// The call: an API's name, `*` for every Route 53 call, `oidc_token`, `authoritative_dns` or `public_resolver`.
    pub op: String,
    error: Option<String>,
    http: Option<u16>,
    detail: Option<String>,
    fault: Option<String>,
    #[serde(default)]
    applied: bool,
    status: Option<String>,
    returns: Option<String>,
    after: Option<String>,
    server: Option<Value>,
    for_s: Option<f64>,
    /// How many calls it hits; `always` for all.
    times: Option<Value>,
}

/// What a fault does to a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Effected {
    /// It fails.
    Fails(Fault),
    /// It is carried out, or not, and its answer is lost.
    Lost {
        /// Whether it is carried out.
        applied: bool,
    },
    /// `GetChange` answers that the change is pending.
    Pending,
    /// It answers the values before the change.
    Old,
}

/// How far the world is, as far as faults look at it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Progress {
    /// The moment now.
    pub(super) now: Moment,
    /// From when faults with a duration count; `None`: not yet.
    pub(super) since: Option<Moment>,
    /// Whether INSYNC was answered.
    pub(super) in_sync: bool,
}

/// The faults of a scenario, with how often each has hit.
#[derive(Debug, Clone)]
pub(super) struct Faults {
    faults: Vec<(ApiFault, u64)>,
}

const ROUTE53: [&str; 3] = [
    "ListResourceRecordSets",
    "ChangeResourceRecordSets",
    "GetChange",
];

impl Faults {
    pub(super) fn new(faults: &[ApiFault]) -> Self {
        Self {
            faults: faults.iter().map(|fault| (fault.clone(), 0)).collect(),
        }
    }

    /// What happens to a call; the first fault that hits it counts.
    pub(super) fn on(&mut self, op: &str, at: Progress) -> Option<Effected> {
        self.on_server(op, None, at)
    }

    /// The same for a question to one authoritative server, counted from 1.
    pub(super) fn on_server(
        &mut self,
        op: &str,
        server: Option<u64>,
        at: Progress,
    ) -> Option<Effected> {
        let hit = self.faults.iter_mut().find(|(fault, hits)| {
            fault.is_for(op) && fault.is_for_server(server) && fault.is_on(*hits, at)
        });
        let (fault, hits) = hit?;
        *hits += 1;
        fault.effect()
    }
}

impl ApiFault {
    fn is_for(&self, op: &str) -> bool {
        self.op == op || self.op == "*" && ROUTE53.contains(&op)
    }

    fn is_for_server(&self, server: Option<u64>) -> bool {
        match (server, self.server.as_ref().and_then(Value::as_u64)) {
            (Some(asked), Some(hit)) => asked == hit,
            _ => true,
        }
    }

    fn is_on(&self, hits: u64, at: Progress) -> bool {
        let left = self
            .times
            .as_ref()
            .and_then(Value::as_u64)
            .is_none_or(|times| hits < times);
        let lasts = self.for_s.is_none_or(|seconds| {
            at.since
                .is_some_and(|since| at.now >= since && at.now.since(since).as_secs_f64() < seconds)
        });
        let reached = self.after.as_deref() != Some("INSYNC") || at.in_sync;
        left && lasts && reached
    }

    fn effect(&self) -> Option<Effected> {
        if self.fault.is_some() {
            return Some(Effected::Lost {
                applied: self.applied,
            });
        }
        if self.returns.is_some() {
            return Some(Effected::Old);
        }
        match (&self.error, self.http, self.status.as_deref()) {
            (None, None, Some("PENDING")) => return Some(Effected::Pending),
            // The call goes as it would without a fault; one that does nothing is told before.
            (None, None, _) => return None,
            _ => {}
        }
        let code = self.error.as_deref().unwrap_or("InternalFailure");
        let message = match self.detail.as_deref() {
            Some("protected") => "a record set protection exists on the record",
            Some(detail) => detail,
            None => "",
        };
        Some(Effected::Fails(Fault::answered(code, self.http, message)))
    }
}
