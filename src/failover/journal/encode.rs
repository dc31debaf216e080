//! Events and effects as JSON lines. What only words say stands under `text`, so that a better wording is no other decision.

use serde_json::{Map, Value, json};

use crate::failover::batch::Batch;
use crate::failover::effect::{Ask, Effect, Hosts, Note, Whom, Why};
use crate::failover::event::{Answer, ChangeStatus, Event, Happened, ServerAnswer};
use crate::failover::fault::{Fault, FaultKind};
use crate::failover::moment::{Moment, millis};
use crate::failover::records::RecordSet;
use crate::failover::topology::Topology;

use super::Entry;

/// The line of an entry, without its line end.
#[must_use]
pub fn line(topology: &Topology, entry: &Entry) -> String {
    let (at, kind, word, fields) = match entry {
        Entry::Event(Event { at, what }) => {
            let (word, fields) = event(what);
            (at, "event", word, fields)
        }
        Entry::Effect(at, wanted) => {
            let (word, fields) = effect(topology, wanted);
            (at, "effect", word, fields)
        }
    };
    let mut line = Map::new();
    line.insert("at".to_owned(), json!(at.millis()));
    line.insert(kind.to_owned(), json!(word));
    if let Value::Object(fields) = fields {
        line.extend(fields);
    }
    Value::Object(line).to_string()
}

fn event(what: &Happened) -> (&'static str, Value) {
    match what {
        Happened::Started(order) => (
            "started",
            json!({ "pin": order.pin, "dry_run": order.dry_run, "jitter": order.jitter }),
        ),
        Happened::TokenFetched => ("token-fetched", Value::Null),
        Happened::RoleAssumed { lives } => {
            ("role-assumed", json!({ "lives_ms": lives.map(millis) }))
        }
        Happened::Records(sets) => {
            let sets: Vec<Value> = sets.iter().map(record_set).collect();
            ("records", json!({ "sets": sets }))
        }
        Happened::Answered(answers) => {
            let answers: Vec<Value> = answers.iter().map(answer).collect();
            ("answered", json!({ "answers": answers }))
        }
        Happened::Woke => ("woke", Value::Null),
        Happened::Accepted(change) => ("accepted", json!({ "change": change })),
        Happened::Late => ("late", Value::Null),
        Happened::Change(ChangeStatus::Pending) => ("change", json!({ "status": "PENDING" })),
        Happened::Change(ChangeStatus::InSync) => ("change", json!({ "status": "INSYNC" })),
        Happened::Servers(servers) => {
            let servers: Vec<Value> = servers.iter().map(server).collect();
            ("servers", json!({ "servers": servers }))
        }
        Happened::Failed(fault) => ("failed", json!({ "fault": fault_value(fault) })),
        Happened::Cancelled => ("cancelled", Value::Null),
        Happened::Broken(fault) => ("broken", json!({ "fault": fault_value(fault) })),
    }
}

fn record_set(set: &RecordSet) -> Value {
    json!({
        "name": set.name,
        "type": set.kind,
        "ttl": set.ttl,
        "values": set.values,
        "alias": set.alias,
        "set_identifier": set.set_identifier,
    })
}

fn answer(answer: &Answer) -> Value {
    match answer {
        Answer::Status { code, site } => json!({ "status": code, "site": site }),
        Answer::None(why) => json!({ "none": why.word() }),
    }
}

fn server(server: &ServerAnswer) -> Value {
    json!({ "server": server.server, "values": server.values })
}

fn fault_value(fault: &Fault) -> Value {
    let kind = FaultKind::WORDS
        .iter()
        .find(|(kind, _)| *kind == fault.kind);
    let word = kind.map(|(_, word)| *word);
    json!({ "kind": word, "code": fault.code, "message": fault.message })
}

fn effect(topology: &Topology, effect: &Effect) -> (&'static str, Value) {
    match effect {
        Effect::FetchToken => ("fetch-token", Value::Null),
        Effect::AssumeRole => ("assume-role", Value::Null),
        Effect::ReadRecords(until) => ("read-records", json!({ "until": until.millis() })),
        Effect::Ask(ask) => ("ask", asked(topology, *ask)),
        Effect::Wait(until) => ("wait", json!({ "until": until.millis() })),
        Effect::Write(batch, until) => ("write", written(topology, batch, *until)),
        Effect::AskChange(change) => ("ask-change", json!({ "change": change })),
        Effect::AskServers => ("ask-servers", Value::Null),
        Effect::Note(told) => ("note", note(topology, told)),
        Effect::Finish(outcome) => (
            "finish",
            json!({
                "decision": outcome.decision(topology),
                "status": outcome.status(),
                "notify": outcome.notifies(),
                "text": outcome.describe(topology),
            }),
        ),
    }
}

fn asked(topology: &Topology, ask: Ask) -> Value {
    let whom = match ask.whom {
        Whom::Site(site) => topology.name(site),
        Whom::Control => "",
    };
    let hosts = match ask.hosts {
        Hosts::Probe => "probe",
        Hosts::Others => "others",
    };
    let requests: Vec<Value> = ask
        .requests(topology)
        .iter()
        .map(|request| json!({ "host": request.host.dns(), "address": request.address }))
        .collect();
    json!({ "site": whom, "hosts": hosts, "requests": requests })
}

fn written(topology: &Topology, batch: &Batch, until: Moment) -> Value {
    let changes = batch.changes(topology).into_iter();
    let change = changes.map(|upsert| {
        json!({
            "action": "UPSERT",
            "name": upsert.record.name.dns(),
            "type": upsert.record.kind.word(),
            "ttl": upsert.ttl,
            "values": [upsert.value],
        })
    });
    json!({
        "to": topology.name(batch.to()),
        "not_after": until.millis(),
        "changes": change.collect::<Vec<_>>(),
    })
}

fn note(topology: &Topology, note: &Note) -> Value {
    let (word, detail) = match note {
        Note::Decided(site, why) => {
            let word = Why::WORDS.iter().find(|(own, _)| own == why);
            let why = word.map(|(_, word)| *word);
            (
                "decided",
                json!({ "site": topology.name(*site), "why": why }),
            )
        }
        Note::Host(site, host, answer) => (
            "host",
            json!({ "site": topology.name(*site), "host": host.dns(), "answer": answer }),
        ),
        Note::LeftBehind(name, kind) => {
            ("left-behind", json!({ "name": name.dns(), "type": kind }))
        }
        Note::Again(fault, until) => (
            "again",
            json!({ "fault": fault_value(fault), "until": until.millis() }),
        ),
        Note::OldCredentials(fault) => ("old-credentials", json!({ "fault": fault_value(fault) })),
        Note::DecidesAgain => ("decides-again", json!({})),
        Note::CannotFollow(fault) => ("cannot-follow", json!({ "fault": fault_value(fault) })),
        Note::Lags(server) => ("lags", json!({ "server": server })),
        Note::Silent(server) => ("silent", json!({ "server": server })),
        Note::Unasked(fault) => ("unasked", json!({ "fault": fault_value(fault) })),
    };
    let mut value = Map::new();
    value.insert("note".to_owned(), json!(word));
    if let Value::Object(detail) = detail {
        value.extend(detail);
    }
    value.insert("warning".to_owned(), json!(note.is_warning()));
    value.insert("text".to_owned(), json!(note.describe(topology)));
    Value::Object(value)
}
