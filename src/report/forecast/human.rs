//! A forecast for a person: a table for each direction, then what it costs and what would help.

use std::io::{self, Write};

use crate::forecast::{Column, Direction, Forecast, Length, PHASES, Setting, Summary};

use super::{Forecasted, change, clock};

pub(super) fn render(forecasted: &Forecasted, out: &mut dyn Write) -> io::Result<()> {
    let Some(now) = forecasted.columns.first() else {
        return Ok(());
    };
    let then = forecasted.columns.get(1);
    writeln!(
        out,
        "{} outages, seed {}; home dies as: {}\n",
        now.draws,
        now.seed,
        now.settings.death.word()
    )?;
    if then.is_some() {
        writeln!(out, "with: {}\n", forecasted.changed.join(", "))?;
    }
    for (index, forecast) in now.directions.iter().enumerate() {
        let other = then.and_then(|column| column.directions.get(index));
        direction(forecasted, forecast, other, out)?;
    }
    detections(now, out)?;
    messages(now, then, out)?;
    bars(now, out)?;
    for note in &forecasted.notes {
        writeln!(out, "note: {note}")?;
    }
    Ok(())
}

fn direction(
    forecasted: &Forecasted,
    forecast: &Forecast,
    other: Option<&Forecast>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let (home, standby) = &forecasted.sites;
    let title = match forecast.direction {
        Direction::FailOver => format!("fail-over, {home} to {standby}"),
        Direction::FailBack => format!("fail-back, {standby} to {home}"),
    };
    let extra = if other.is_some() {
        writeln!(out, "{:32}{:>18}{:>18}", "", "as it is", "with that")?;
        "      p50      p95"
    } else {
        ""
    };
    writeln!(
        out,
        "{title:32}      p50      p95{extra}    worst   at least    at most"
    )?;
    let of_phase = |index: usize| other.and_then(|other| other.phases.get(index));
    for (index, (name, length)) in PHASES.iter().zip(&forecast.phases).enumerate() {
        row(name, length, of_phase(index).map(|other| &other.drawn), out)?;
    }
    row(
        "whole",
        &forecast.whole,
        other.map(|other| &other.whole.drawn),
        out,
    )?;
    let visitor = &forecast.visitor;
    let (p50, p95) = (clock(visitor.p50), clock(visitor.p95));
    let second = other.map(|other| pair(&other.visitor)).unwrap_or_default();
    writeln!(
        out,
        "  {:30}{p50:>9}{p95:>9}{second}{:>9}\n",
        "a visitor picked at random",
        clock(visitor.worst)
    )
}

fn pair(summary: &Summary) -> String {
    format!("{:>9}{:>9}", clock(summary.p50), clock(summary.p95))
}

fn row(
    name: &str,
    length: &Length,
    other: Option<&Summary>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let second = other.map(pair).unwrap_or_default();
    let least = if length.bounds.least.is_finite() {
        Some(length.bounds.least)
    } else {
        None
    };
    let most = match (length.bounds.most, least) {
        (Some(most), _) => clock(Some(most)),
        (None, Some(_)) => "no bound".to_owned(),
        (None, None) => "never".to_owned(),
    };
    writeln!(
        out,
        "  {name:30}{}{second}{:>9}{:>11}{most:>11}",
        pair(&length.drawn),
        clock(length.drawn.worst),
        clock(least),
    )
}

fn detections(now: &Column, out: &mut dyn Write) -> io::Result<()> {
    writeln!(
        out,
        "{:32}     best     mean    worst",
        "detection, by kind of death"
    )?;
    for (death, found) in &now.detections {
        let (best, mean, worst) = match found {
            Some((best, mean, worst)) => {
                (clock(Some(*best)), clock(Some(*mean)), clock(Some(*worst)))
            }
            None => ("never".to_owned(), "never".to_owned(), "never".to_owned()),
        };
        writeln!(out, "  {:30}{best:>9}{mean:>9}{worst:>9}", death.word())?;
    }
    writeln!(out)
}

fn messages(now: &Column, then: Option<&Column>, out: &mut dyn Write) -> io::Result<()> {
    writeln!(
        out,
        "an outage of {} min",
        now.settings.get("outage.minutes")
    )?;
    let mut line = |name: &str, of: &dyn Fn(&Column) -> String| {
        let second = then
            .map(|then| format!("  then {}", of(then)))
            .unwrap_or_default();
        writeln!(out, "  {name:38}{}{second}", of(now))
    };
    line("messages that start the workflow", &|column| {
        column.messages.dispatches.to_string()
    })?;
    line("messages to people", &|column| {
        column.messages.people.to_string()
    })?;
    line("minutes of Actions, at most", &|column| {
        column.messages.actions_minutes.to_string()
    })?;
    line("cost in dollars, at most", &|column| {
        let price = column.settings.get("actions.price");
        format!("{:.2}", column.messages.actions_minutes as f64 * price)
    })?;
    writeln!(out)
}

fn bars(now: &Column, out: &mut dyn Write) -> io::Result<()> {
    writeln!(
        out,
        "{:50}{:>14}{:>11}{:>11}",
        "what a setting would buy (p95)", "now → then", "fail-over", "fail-back"
    )?;
    for bar in &now.bars {
        let values = format!("{} → {}", bar.now, bar.then);
        let price = if bar.price.is_empty() {
            String::new()
        } else {
            format!("   {}", bar.price)
        };
        writeln!(
            out,
            "  {:48}{values:>14}{:>11}{:>11}{price}",
            Setting::find(bar.setting).map_or(bar.setting, Setting::spelling),
            change(bar.away),
            change(bar.back)
        )?;
    }
    writeln!(out)
}
