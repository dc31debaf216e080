//! An exercise as JSON: `{"version":1,"outcome":"passed|failed","why","evidence","legs":[{"to","phases","records","runs","hosts",…}]}`;
//! times are milliseconds since the person was told what to do.

use serde_json::{Map, Value, json};

use super::{Exercised, HostSeen, JournalSeen, Leg, RecordMeasured, RunSeen, millis};

pub(super) fn value(told: &Exercised) -> Value {
    let outcome = if told.failed.is_none() {
        "passed"
    } else {
        "failed"
    };
    json!({
        "version": 1,
        "outcome": outcome,
        "why": told.failed,
        "evidence": told.evidence,
        "legs": told.legs.iter().map(leg).collect::<Vec<_>>(),
    })
}

fn leg(leg: &Leg) -> Value {
    let phases: Map<String, Value> = leg
        .phases()
        .into_iter()
        .map(|(word, millis)| (word, json!(millis)))
        .collect();
    json!({
        "to": leg.site,
        "failed": leg.failed,
        "phases": phases,
        "records": leg.records.iter().map(record).collect::<Vec<_>>(),
        "runs": leg.runs.iter().map(run).collect::<Vec<_>>(),
        "runs_unknown": leg.runs_unknown,
        "hosts": leg.hosts.iter().map(host).collect::<Vec<_>>(),
    })
}

fn record(record: &RecordMeasured) -> Value {
    let servers = record.measured.servers.iter();
    let servers: Vec<Value> = servers
        .map(|it| {
            json!({
                "name": it.server.name,
                "role": it.server.role.word(),
                "first_ms": it.first.map(millis),
                "since_ms": it.settled.map(millis),
                "last": it.last.as_ref().map(|(_, answer)| answer.to_string()),
            })
        })
        .collect();
    json!({ "name": record.name, "type": record.kind.word(), "servers": servers })
}

fn run(run: &RunSeen) -> Value {
    json!({
        "id": run.id,
        "status": run.status,
        "conclusion": run.conclusion,
        "url": run.url,
        "seen_ms": millis(run.seen),
        "over_ms": run.over.map(millis),
        "journal": run.journal.as_ref().map(JournalSeen::of),
    })
}

fn host(seen: &HostSeen) -> Value {
    json!({
        "site": seen.site,
        "host": seen.host,
        "asked": seen.asked,
        "good": seen.good,
        "last": seen.last,
    })
}
