//! A rehearsal for a person.

use std::io::{self, Write};

use super::{EventRow, MoveTimes, Rehearsed, clock, counted};

/// The columns of a phase: its name, how long it lasted, what is forecast.
const NAME: usize = 14;

pub(super) fn render(drill: &Rehearsed, out: &mut dyn Write) -> io::Result<()> {
    heading(drill, out)?;
    writeln!(out, "\nLinks")?;
    for link in &drill.links {
        let (state, told) = (link.state.word(), link.told.as_str());
        let line = format!("  {:<12} {state:<11} {told}", link.name);
        writeln!(out, "{}", line.trim_end())?;
    }
    happened(drill, out)?;
    for moved in &drill.moves {
        times(moved, out)?;
    }
    writeln!(out, "\nExpected")?;
    for expected in &drill.expected {
        let mark = if expected.met { "yes" } else { "NO " };
        write!(out, "  {mark} {:>8}  {}", clock(expected.at), expected.what)?;
        if !expected.met {
            write!(out, "; found: {}", expected.found)?;
        }
        writeln!(out)?;
    }
    attacks(drill, out)?;
    hosts(drill, out)?;
    for note in &drill.notes {
        writeln!(out, "note: {note}")?;
    }
    end(drill, out)
}

fn heading(drill: &Rehearsed, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{}", drill.title())?;
    if let (Some((_, what)), Some(promise)) = (&drill.fault, &drill.promise) {
        writeln!(out, "What fails: {what}\nPromised: {promise}")?;
    }
    writeln!(
        out,
        "{} on its own clock, {:.1} s of yours; nothing but loopback was contacted",
        clock(drill.lasted),
        drill.took.as_secs_f64()
    )
}

fn times(moved: &MoveTimes, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "\n{} to {}", moved.from, moved.to)?;
    writeln!(
        out,
        "  {:<NAME$} {:>9}   forecast: half, 95 of 100",
        "phase", "measured"
    )?;
    let forecast = |forecast: Option<(f64, f64)>| match forecast {
        Some((half, most)) => format!("{half:.0} s, {most:.0} s"),
        None => "none".to_owned(),
    };
    for phase in &moved.phases {
        let lasted = phase.lasted.as_secs_f64();
        let told = forecast(phase.forecast);
        writeln!(out, "  {:<NAME$} {lasted:>7.1} s   {told}", phase.name)?;
    }
    let (whole, told) = (moved.whole().as_secs_f64(), forecast(moved.forecast));
    writeln!(out, "  {:<NAME$} {whole:>7.1} s   {told}", "whole")
}

fn attacks(drill: &Rehearsed, out: &mut dyn Write) -> io::Result<()> {
    if drill.attacks.is_empty() {
        return Ok(());
    }
    writeln!(out, "\nAttacks")?;
    for attack in &drill.attacks {
        writeln!(out, "  {:<10} {}", attack.word(), attack.what)?;
        for why in attack.why.iter().take(1) {
            writeln!(out, "             {why}")?;
        }
    }
    Ok(())
}

/// What visitors saw of the hosts, those that they saw alike together.
fn hosts(drill: &Rehearsed, out: &mut dyn Write) -> io::Result<()> {
    if drill.hosts.is_empty() {
        return Ok(());
    }
    writeln!(
        out,
        "\nHosts, as {} visitors with caches of their own saw them",
        drill.visitors
    )?;
    for (hosts, spans) in drill.alike() {
        writeln!(out, "  {}", hosts.join(", "))?;
        for span in spans {
            writeln!(out, "    {:>8}  {}", clock(span.from), span.words())?;
        }
    }
    Ok(())
}

/// The events that turn it: what the script does, what the watch says, what runs come to, where visitors are.
fn happened(drill: &Rehearsed, out: &mut dyn Write) -> io::Result<()> {
    let turns = |event: &&EventRow| match event.who.as_str() {
        "script" | "name servers" => true,
        "visitors" => event.what.starts_with("all are"),
        "executor" => event.what.contains(" ends"),
        "attack" | "GitHub" => false,
        _ => ["DOWN", "UP"]
            .iter()
            .any(|word| event.what.starts_with(word)),
    };
    writeln!(out, "\nWhat happened")?;
    for event in drill.events.iter().filter(turns) {
        writeln!(
            out,
            "  {:>8}  {:<17} {}",
            clock(event.at),
            event.who,
            event.what
        )?;
    }
    Ok(())
}

fn end(drill: &Rehearsed, out: &mut dyn Write) -> io::Result<()> {
    writeln!(
        out,
        "\n{} to the workflow, {} to people",
        counted(drill.dispatches, "message"),
        counted(drill.people, "message")
    )?;
    writeln!(out, "{}", drill.conclusion())
}
