//! A watch as JSON: `{"version":1,"name","type","started_ms","lasted_ms","interrupted","outcome":"all|not_all|nobody","old","new",
//! "site","phases":{"first_authoritative_ms",…},"servers":[…],"run"}`; times are milliseconds since the watch began, `started_ms`
//! since 1970; what is not known is null.

use std::time::Duration;

use serde_json::{Value, json};

use crate::propagation::{Answer, Outcome, ServerMeasured};

use super::Propagation;
use crate::report::exercise::JournalSeen;

pub(super) fn value(told: &Propagation) -> Value {
    let measured = &told.measured;
    let phases = measured.phases;
    let site = measured.new.as_deref().and_then(|new| told.sites.site(new));
    json!({
        "version": 1,
        "name": told.name,
        "type": told.kind.word(),
        "started_ms": told.began_millis,
        "lasted_ms": millis(told.lasted),
        "interrupted": told.interrupted,
        "outcome": match measured.outcome {
            Outcome::All => "all",
            Outcome::NotAll => "not_all",
            Outcome::Nobody => "nobody",
        },
        "old": measured.old,
        "new": measured.new,
        "site": site,
        "phases": {
            "first_authoritative_ms": phases.first_authoritative.map(millis),
            "all_authoritative_ms": phases.all_authoritative.map(millis),
            "first_resolver_ms": phases.first_resolver.map(millis),
            "all_resolvers_ms": phases.all_resolvers.map(millis),
        },
        "servers": measured.servers.iter().map(server).collect::<Vec<_>>(),
        "run": told.run.as_ref().map(JournalSeen::of),
    })
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

fn server(it: &ServerMeasured) -> Value {
    let trouble = |(at, answer): &(Duration, Answer)| json!({ "first_ms": millis(*at), "what": answer.to_string() });
    json!({
        "name": it.server.name,
        "address": it.server.address,
        "role": it.server.role.word(),
        "asked": it.asked,
        "unanswered": it.unanswered,
        "first_ms": it.first.map(millis),
        "since_ms": it.settled.map(millis),
        "went_back": it.left,
        "last": it.last.as_ref().map(last),
        "stale": it.stale.as_ref().map(|stale| json!({
            "values": stale.values,
            "until_ms": stale.until.map(millis),
            "overdue": stale.overdue,
        })),
        "troubles": it.troubles.iter().map(trouble).collect::<Vec<_>>(),
    })
}

fn last((at, answer): &(Duration, Answer)) -> Value {
    let through = match answer {
        Answer::Values { through, .. } => through.as_slice(),
        Answer::NoData
        | Answer::NoName
        | Answer::NoAuthority
        | Answer::Failed(_)
        | Answer::Silent
        | Answer::Unreachable(_) => &[],
    };
    json!({
        "at_ms": millis(*at),
        "what": answer.to_string(),
        "values": answer.values(),
        "through": through,
        "ttl": answer.ttl(),
    })
}
