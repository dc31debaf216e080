//! A watch for a person: who has the new value since when, whose cache is stale, and the phases.

use std::io::{self, Write};
use std::time::Duration;

use crate::propagation::{Measured, Outcome, Role, ServerMeasured};

use super::Propagation;

pub(super) fn render(told: &Propagation, out: &mut dyn Write) -> io::Result<()> {
    let Measured { old, new, .. } = &told.measured;
    let values = |values: &Option<Vec<String>>| {
        let known = values.as_deref().map(|values| told.sites.told(values));
        known.unwrap_or_else(|| "not seen".to_owned())
    };
    writeln!(out, "{} {}", told.name, told.kind.word())?;
    if old.is_some() || new.is_none() {
        writeln!(out, "  before: {}", values(old))?;
    }
    writeln!(out, "  new:    {}\n", values(new))?;
    servers(told, out)?;
    phases(told, out)?;
    troubles(told, out)?;
    match &told.run {
        None => {}
        Some(Err(why)) => writeln!(out, "\n  the journal could not be read: {why}")?,
        Some(Ok(journal)) => {
            writeln!(out, "\n  the run, by its journal: {}", journal.words())?;
            if let Err(why) = &journal.played {
                writeln!(out, "  {why}")?;
            }
        }
    }
    writeln!(out, "\n{}", sentence(told))
}

fn seconds(at: Duration) -> String {
    format!("{:.1} s", at.as_secs_f64())
}

fn optional(at: Option<Duration>) -> String {
    at.map_or_else(|| "-".to_owned(), seconds)
}

fn servers(told: &Propagation, out: &mut dyn Write) -> io::Result<()> {
    let name = |it: &ServerMeasured| {
        if it.server.name == it.server.address || it.server.address.is_empty() {
            it.server.name.clone()
        } else {
            format!("{} ({})", it.server.name, it.server.address)
        }
    };
    let names: Vec<String> = told.measured.servers.iter().map(name).collect();
    let width = names.iter().map(|name| name.chars().count()).max();
    let width = width.unwrap_or_default().max("server".len());
    writeln!(
        out,
        "  {:13}  {:width$}  {:>9}  {:>9}  {:>6}  last answer",
        "", "server", "first new", "since", "TTL"
    )?;
    for (it, name) in told.measured.servers.iter().zip(&names) {
        let last = it.last.as_ref().map(|(_, answer)| answer);
        let ttl = last.and_then(|answer| answer.ttl());
        let values = last.and_then(|answer| answer.values()).unwrap_or_default();
        writeln!(
            out,
            "  {:13}  {name:width$}  {:>9}  {:>9}  {:>6}  {}{}{}",
            it.server.role.word(),
            optional(it.first),
            optional(it.settled),
            ttl.map_or_else(|| "-".to_owned(), |ttl| ttl.to_string()),
            last.map_or_else(|| "not asked".to_owned(), ToString::to_string),
            told.sites.suffix(values),
            remark(it),
        )?;
    }
    Ok(())
}

/// What is not as it should be.
fn remark(it: &ServerMeasured) -> String {
    let mut words = String::new();
    if let Some(stale) = &it.stale {
        words.push_str("; stale");
        if let Some(until) = stale.until {
            words.push_str(&format!(", runs out at {}", seconds(until)));
        }
        if stale.overdue {
            words.push_str(", kept longer than the record's TTL allows");
        }
    }
    if it.left > 0 {
        let times = if it.left == 1 { "time" } else { "times" };
        words.push_str(&format!("; went back {} {times}", it.left));
    }
    words
}

fn phases(told: &Propagation, out: &mut dyn Write) -> io::Result<()> {
    let phases = told.measured.phases;
    let has = |role| {
        told.measured
            .servers
            .iter()
            .any(|it| it.server.role == role)
    };
    let rows = [
        (
            Role::Authoritative,
            "first authoritative server",
            phases.first_authoritative,
        ),
        (
            Role::Authoritative,
            "all authoritative servers",
            phases.all_authoritative,
        ),
        (Role::Resolver, "first resolver", phases.first_resolver),
        (Role::Resolver, "all resolvers", phases.all_resolvers),
    ];
    writeln!(out)?;
    let start = phases.first_authoritative.or(phases.first_resolver);
    for (_, words, at) in rows.into_iter().filter(|(role, ..)| has(*role)) {
        let after = match (at, start) {
            (Some(at), Some(start)) if at > start => {
                format!("  {} after the first", seconds(at.saturating_sub(start)))
            }
            _ => String::new(),
        };
        writeln!(out, "  {words:26}  {:>9}{after}", optional(at))?;
    }
    Ok(())
}

fn troubles(told: &Propagation, out: &mut dyn Write) -> io::Result<()> {
    for it in &told.measured.servers {
        for (at, answer) in &it.troubles {
            let (name, asked) = (&it.server.name, it.asked);
            writeln!(
                out,
                "  {name}: {answer}, first at {}; {} of {asked} questions without an answer",
                seconds(*at),
                it.unanswered
            )?;
        }
    }
    Ok(())
}

fn sentence(told: &Propagation) -> String {
    let Measured {
        outcome,
        servers,
        new,
        ..
    } = &told.measured;
    let lasted = seconds(told.lasted);
    let how = if told.interrupted { "ended" } else { "over" };
    let behind = servers.iter().filter(|it| it.settled.is_none());
    let behind: Vec<&str> = behind.map(|it| it.server.name.as_str()).collect();
    match (outcome, new) {
        (Outcome::All, _) if servers.len() == 1 => "the server shows the new value".to_owned(),
        (Outcome::All, _) => format!("all {} servers show the new value", servers.len()),
        (Outcome::Nobody, _) => format!("{how} after {lasted}: no server has answered"),
        (Outcome::NotAll, None) => format!("{how} after {lasted}: no new value was seen"),
        (Outcome::NotAll, Some(_)) if behind.is_empty() => {
            format!("{how} after {lasted}: not every latest answer shows the new value")
        }
        (Outcome::NotAll, Some(_)) => format!(
            "{how} after {lasted}: {} of {} servers do not show the new value: {}",
            behind.len(),
            servers.len(),
            behind.join(", ")
        ),
    }
}
