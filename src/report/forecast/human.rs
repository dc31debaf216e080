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
    detections(now, then, out)?;
    messages(forecasted, now, then, out)?;
    bars(now, then.is_some(), out)?;
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
    writeln!(
        out,
        "{title:32}      p50      p95    worst   at least    at most"
    )?;
    let rows = |forecast: &Forecast| -> Vec<(&'static str, String)> {
        let phases = PHASES.iter().copied().zip(&forecast.phases);
        let whole = [("whole", &forecast.whole)];
        let lengths = phases.chain(whole).map(|(name, it)| (name, row(it)));
        let visitor = &forecast.visitor;
        let visitor = format!("{}{:>9}", pair(visitor), clock(visitor.worst));
        lengths
            .chain([("a visitor picked at random", visitor)])
            .collect()
    };
    let others = other.map(rows).unwrap_or_default();
    for (index, (name, now)) in rows(forecast).into_iter().enumerate() {
        writeln!(out, "  {name:30}{now}")?;
        compared(30, &now, others.get(index).map(|(_, then)| then), out)?;
    }
    writeln!(out)
}

/// The row below, where the other settings change anything in it.
fn compared(width: usize, now: &str, then: Option<&String>, out: &mut dyn Write) -> io::Result<()> {
    match then.filter(|then| *then != now) {
        Some(then) => writeln!(out, "  {:width$}{then}", "  with that"),
        None => Ok(()),
    }
}

fn pair(summary: &Summary) -> String {
    format!("{:>9}{:>9}", clock(summary.p50), clock(summary.p95))
}

fn row(length: &Length) -> String {
    let least = Some(length.bounds.least).filter(|least| least.is_finite());
    let most = match (length.bounds.most, least) {
        (Some(most), _) => clock(Some(most)),
        (None, Some(_)) => "no bound".to_owned(),
        (None, None) => "never".to_owned(),
    };
    format!(
        "{}{:>9}{:>11}{most:>11}",
        pair(&length.drawn),
        clock(length.drawn.worst),
        clock(least),
    )
}

fn detections(now: &Column, then: Option<&Column>, out: &mut dyn Write) -> io::Result<()> {
    writeln!(
        out,
        "{:32}     best     mean    worst",
        "detection, by kind of death"
    )?;
    let row = |found: &Option<(f64, f64, f64)>| {
        let of = |part: fn(&(f64, f64, f64)) -> f64| clock(found.as_ref().map(part));
        let (best, mean, worst) = (of(|it| it.0), of(|it| it.1), of(|it| it.2));
        format!("{best:>9}{mean:>9}{worst:>9}")
    };
    for (index, (death, found)) in now.detections.iter().enumerate() {
        let now = row(found);
        writeln!(out, "  {:30}{now}", death.word())?;
        let then = then.and_then(|then| then.detections.get(index));
        compared(30, &now, then.map(|(_, found)| row(found)).as_ref(), out)?;
    }
    writeln!(out)
}

fn messages(
    forecasted: &Forecasted,
    now: &Column,
    then: Option<&Column>,
    out: &mut dyn Write,
) -> io::Result<()> {
    writeln!(
        out,
        "an outage of {} min",
        now.settings.get("outage.minutes")
    )?;
    if forecasted.counts_open {
        return writeln!(out, "  undecided: see the notes\n");
    }
    let mut line = |name: &str, of: &dyn Fn(&Column) -> String| {
        let second = then
            .map(|then| format!("  with that {}", of(then)))
            .unwrap_or_default();
        writeln!(out, "  {name:38}{}{second}", of(now))
    };
    line("messages that start the workflow", &|column| {
        column.messages.dispatches.to_string()
    })?;
    line("messages to people", &|column| {
        column.messages.people.to_string()
    })?;
    line("minutes of Actions, on average", &|column| {
        column.messages.actions_minutes.to_string()
    })?;
    line("cost in dollars, on average", &|column| {
        let price = column.settings.get("actions.price");
        format!("{:.2}", column.messages.actions_minutes as f64 * price)
    })?;
    writeln!(out)
}

fn bars(now: &Column, compared: bool, out: &mut dyn Write) -> io::Result<()> {
    let title = if compared {
        "what a setting would buy as it is (p95)"
    } else {
        "what a setting would buy (p95)"
    };
    writeln!(
        out,
        "{title:50}{:>14}{:>11}{:>11}",
        "now → then", "fail-over", "fail-back"
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
