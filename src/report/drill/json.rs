//! A rehearsal as JSON. Times are seconds on its own clock.

use std::io::{self, Write};
use std::time::Duration;

use serde_json::{Value, json};

use super::{AttackRow, DecisionRow, HostView, MoveTimes, Rehearsed, RunRow};

pub(super) fn render(drill: &Rehearsed, out: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *out, &value(drill))?;
    writeln!(out)
}

/// Seconds, to the millisecond.
fn seconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e3).round() / 1e3
}

fn value(drill: &Rehearsed) -> Value {
    let fault = drill.fault.as_ref();
    json!({
        "version": 1,
        "passed": drill.passed(),
        "verdict": drill.verdict().word().to_lowercase(),
        "conclusion": drill.conclusion(),
        "but": drill.but(),
        "unread": drill.unread,
        "not_rehearsed": drill.open,
        "fault": fault.map(|(name, what)| json!({ "name": name, "what": what, "promise": drill.promise })),
        "death": drill.death,
        "sites": drill.sites,
        "speed": drill.speed,
        "lasted_s": seconds(drill.lasted),
        "took_s": seconds(drill.took),
        "links": drill.links.iter().map(|link| json!({
            "name": link.name, "state": link.state.word(), "told": link.told, "at": link.at, "as_the_fault_has_it": link.as_fault,
        })).collect::<Vec<_>>(),
        "moves": drill.moves.iter().map(moved).collect::<Vec<_>>(),
        "runs": drill.runs.iter().map(run).collect::<Vec<_>>(),
        "expected": drill.expected.iter().map(|expected| json!({
            "at_s": seconds(expected.at), "what": expected.what, "met": expected.met, "found": expected.found,
        })).collect::<Vec<_>>(),
        "attacks": drill.attacks.iter().map(attack).collect::<Vec<_>>(),
        "decisions": drill.decisions.iter().map(decision).collect::<Vec<_>>(),
        "visitors": drill.visitors,
        "hosts": drill.hosts.iter().map(host).collect::<Vec<_>>(),
        "events": drill.events.iter().map(|event| json!({
            "at_s": seconds(event.at), "who": event.who, "what": event.what,
        })).collect::<Vec<_>>(),
        "messages": { "dispatches": drill.dispatches, "people": drill.people },
        "notes": drill.notes,
    })
}

fn forecast(forecast: Option<(f64, f64)>) -> Value {
    forecast.map_or(
        Value::Null,
        |(half, most)| json!({ "p50_s": half, "p95_s": most }),
    )
}

fn moved(moved: &MoveTimes) -> Value {
    json!({
        "from": moved.from,
        "to": moved.to,
        "began_s": seconds(moved.began),
        "whole_s": seconds(moved.whole()),
        "forecast": forecast(moved.forecast),
        "phases": moved.phases.iter().map(|phase| json!({
            "name": phase.name, "lasted_s": seconds(phase.lasted), "forecast": forecast(phase.forecast),
        })).collect::<Vec<_>>(),
    })
}

fn run(run: &RunRow) -> Value {
    json!({
        "number": run.number, "asked_s": seconds(run.asked), "runner_s": run.begun.map(seconds),
        "executor_s": run.started.map(seconds), "ended_s": run.ended.map(seconds), "cancelled": run.cancelled,
        "status": run.status, "end": run.end,
    })
}

fn attack(attack: &AttackRow) -> Value {
    json!({
        "what": attack.what, "must_fail": attack.must_fail, "refused": attack.refused, "undecided": attack.open,
        "outcome": attack.word().to_lowercase(), "why": attack.why,
    })
}

fn decision(row: &DecisionRow) -> Value {
    json!({
        "at_s": seconds(row.at), "who": row.who, "action": row.action, "on": row.on,
        "allowed": row.allowed, "undecided": row.open, "why": row.why,
    })
}

fn host(host: &HostView) -> Value {
    json!({
        "host": host.host,
        "spans": host.spans.iter().map(|span| json!({
            "from_s": seconds(span.from),
            "to_s": seconds(span.to),
            "seen": span.seen.iter().cloned().collect::<std::collections::BTreeMap<_, _>>(),
        })).collect::<Vec<_>>(),
    })
}
