//! A rehearsal for a person.

use std::io::{self, Write};

use super::{LinkState, MoveTimes, Rehearsed, clock};

/// The columns of a phase: its name, how long it lasted, what is forecast.
const NAME: usize = 14;

pub(super) fn render(drill: &Rehearsed, out: &mut dyn Write) -> io::Result<()> {
    heading(drill, out)?;
    writeln!(out, "\nLinks")?;
    for link in &drill.links {
        let mark = match link.state {
            LinkState::Held => "ok",
            LinkState::Broken => "BROKEN",
            LinkState::NotReached | LinkState::NotGiven => link.state.word(),
        };
        writeln!(out, "  {:<12} {:<11} {}", link.name, mark, link.told)?;
    }
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
        let mark = match (attack.refused, attack.must_fail) {
            (true, _) => "refused",
            (false, true) => "LET IN",
            (false, false) => "let in",
        };
        writeln!(out, "  {mark:<8} {}", attack.what)?;
        for why in attack.why.iter().take(1) {
            writeln!(out, "           {why}")?;
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

fn end(drill: &Rehearsed, out: &mut dyn Write) -> io::Result<()> {
    writeln!(
        out,
        "\n{} messages to the workflow, {} to people",
        drill.dispatches, drill.people
    )?;
    let verdict = if drill.passed() { "passed" } else { "FAILED" };
    let broken = drill
        .links
        .iter()
        .find(|link| link.state == LinkState::Broken);
    match broken.filter(|_| !drill.passed()) {
        Some(link) => writeln!(out, "{verdict} at the link `{}`: {}", link.name, link.told),
        None => writeln!(out, "{verdict}"),
    }
}
