//! An exercise for a person.

use std::io::{self, Write};
use std::time::Duration;

use crate::propagation::Role;

use super::{Exercised, HostSeen, Leg, RunSeen};

pub(super) fn render(told: &Exercised, out: &mut dyn Write) -> io::Result<()> {
    for leg in &told.legs {
        way(leg, out)?;
    }
    match &told.failed {
        None => writeln!(out, "passed: there and back")?,
        Some(why) => writeln!(out, "failed {why}")?,
    }
    match &told.evidence {
        Some(path) => writeln!(out, "the evidence is in {path}; commit it"),
        None => writeln!(out, "nothing had happened, and nothing is noted"),
    }
}

fn at(time: Option<Duration>) -> String {
    time.map_or_else(
        || "-".to_owned(),
        |time| format!("{:.1} s", time.as_secs_f64()),
    )
}

fn way(leg: &Leg, out: &mut dyn Write) -> io::Result<()> {
    let words = if leg.home { "back to" } else { "to" };
    writeln!(out, "{words} {}", leg.site)?;
    for run in &leg.runs {
        let how = run.conclusion.as_deref().unwrap_or(&run.status);
        let (id, seen, over) = (run.id, at(Some(run.seen)), at(run.over));
        writeln!(
            out,
            "  run {id}: seen at {seen}, over at {over}, {how}  {}",
            run.url
        )?;
        journal(run, out)?;
    }
    if let Some(why) = &leg.runs_unknown {
        writeln!(out, "  runs of the workflow were not looked at: {why}")?;
    }
    let whole = leg.whole();
    for (words, time) in [
        ("first authoritative server", whole.first_authoritative),
        ("all authoritative servers", whole.all_authoritative),
        ("first resolver", whole.first_resolver),
        ("all resolvers", whole.all_resolvers),
    ] {
        writeln!(out, "  {words:28}{:>9}", at(time))?;
    }
    stale(leg, out)?;
    hosts(leg, out)?;
    writeln!(out)
}

fn journal(run: &RunSeen, out: &mut dyn Write) -> io::Result<()> {
    match &run.journal {
        None => Ok(()),
        Some(Err(why)) => writeln!(out, "    its journal was not had: {why}"),
        Some(Ok(journal)) => {
            let lines = journal.text.lines().count();
            let path = journal.path.as_deref().unwrap_or("nowhere");
            writeln!(out, "    its journal has {lines} lines, in {path}")?;
            if let Err(why) = &journal.played {
                writeln!(out, "    {why}")?;
            }
            writeln!(out, "    {}", journal.words())
        }
    }
}

fn stale(leg: &Leg, out: &mut dyn Write) -> io::Result<()> {
    for record in &leg.records {
        let behind = |role| {
            let servers = record.measured.servers.iter();
            servers.filter(move |it| it.server.role == role && it.settled.is_none())
        };
        for it in behind(Role::Authoritative).chain(behind(Role::Resolver)) {
            let last = it.last.as_ref().map(|(_, answer)| answer.to_string());
            let last = last.unwrap_or_else(|| "not asked".to_owned());
            let (name, kind) = (&record.name, record.kind.word());
            writeln!(out, "  {} for {name} {kind}: {last}", it.server.name)?;
        }
    }
    Ok(())
}

fn hosts(leg: &Leg, out: &mut dyn Write) -> io::Result<()> {
    let mut sites: Vec<&str> = leg.hosts.iter().map(|seen| seen.site.as_str()).collect();
    sites.dedup();
    for site in sites {
        let own: Vec<&HostSeen> = leg.hosts.iter().filter(|seen| seen.site == site).collect();
        let count = |of: fn(&HostSeen) -> usize| own.iter().map(|seen| of(seen)).sum::<usize>();
        let (asked, good) = (count(|seen| seen.asked), count(|seen| seen.good));
        writeln!(
            out,
            "  {site}: {} hosts, {good} of {asked} answers were good",
            own.len()
        )?;
        for seen in own.iter().filter(|seen| seen.good < seen.asked) {
            let (host, good, asked, last) = (&seen.host, seen.good, seen.asked, &seen.last);
            writeln!(out, "    {host}: {good} of {asked}, the last {last}")?;
        }
    }
    Ok(())
}
