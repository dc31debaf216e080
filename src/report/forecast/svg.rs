//! A forecast as a picture: each move as a row of its phases at p50 with a whisker to p95, then what each setting would buy.

use crate::forecast::{Bar, Column, Direction, Forecast, PHASES};

use super::{Forecasted, change, clock};
use crate::report::chart::{Anchor, Chart};

const WIDTH: f64 = 960.0;
const LEFT: f64 = 275.0;
const RIGHT: f64 = 870.0;
const ROW: f64 = 34.0;

pub(super) fn draw(forecasted: &Forecasted) -> String {
    let mut chart = Chart::default();
    let name = format!(
        "Forecast: {} to {} and back",
        forecasted.sites.0, forecasted.sites.1
    );
    chart.text((24.0, 32.0), Anchor::Start, "title", &name);
    let Some(now) = forecasted.columns.first() else {
        return chart.finish(WIDTH, 60.0, &name);
    };
    let under = format!(
        "{} outages, seed {}, home dies as {}; each phase at its own p50; the line ends at p95 of the whole, and has a mark at its p50",
        now.draws,
        now.seed,
        now.settings.death.word()
    );
    chart.text((24.0, 52.0), Anchor::Start, "small", &under);
    let scale = scale(forecasted);
    let y = legend(&mut chart, forecasted, scale, 78.0);
    let y = moves(&mut chart, forecasted, scale, y + 26.0);
    let title = if forecasted.columns.len() > 1 {
        "What one setting would change as it is, in seconds at p95: fail-over above, fail-back below"
    } else {
        "What one setting would change, in seconds at p95: fail-over above, fail-back below"
    };
    let y = tornado(&mut chart, now, title, y + 50.0);
    chart.finish(WIDTH, y + 20.0, &name)
}

/// Points for a second, so that the longest p95 fits.
fn scale(forecasted: &Forecasted) -> (f64, f64) {
    let forecasts = forecasted.columns.iter().flat_map(|it| &it.directions);
    let ends = forecasts.filter_map(|forecast| forecast.whole.drawn.p95);
    let most = ends.fold(60.0, f64::max) * 1.05;
    ((RIGHT - LEFT) / most, most)
}

/// The phases that can be seen somewhere; the others are named.
fn legend(chart: &mut Chart, forecasted: &Forecasted, (scale, _): (f64, f64), y: f64) -> f64 {
    let forecasts = || forecasted.columns.iter().flat_map(|it| &it.directions);
    let is_seen = |index: usize| {
        forecasts().any(|forecast| {
            let phase = forecast.phases.get(index);
            let p50 = phase.and_then(|phase| phase.drawn.p50);
            p50.is_some_and(|p50| p50 * scale >= 2.0)
        })
    };
    let (mut x, mut short) = (24.0, Vec::new());
    for (index, name) in PHASES.iter().enumerate() {
        if !is_seen(index) {
            short.push(*name);
            continue;
        }
        chart.rect((x, y - 10.0), (11.0, 11.0), &format!("p{index}"), name);
        chart.text((x + 16.0, y), Anchor::Start, "small", name);
        x += 108.0;
    }
    if short.is_empty() {
        return y;
    }
    let told = format!("too short to see, or never reached: {}", short.join(", "));
    chart.text((24.0, y + 18.0), Anchor::Start, "small", &told);
    y + 18.0
}

/// A round step that gives about six lines below `most`.
fn step(most: f64) -> f64 {
    let steps = [
        15.0, 30.0, 60.0, 120.0, 300.0, 600.0, 1800.0, 3600.0, 7200.0, 21_600.0, 86_400.0,
        604_800.0,
    ];
    let fits = |step: &&f64| most / **step <= 8.0;
    steps
        .iter()
        .find(fits)
        .copied()
        .unwrap_or(most.max(1.0) / 6.0)
}

fn moves(chart: &mut Chart, forecasted: &Forecasted, (scale, most): (f64, f64), top: f64) -> f64 {
    let all = || {
        let columns = forecasted.columns.iter().enumerate();
        columns
            .flat_map(|(at, column)| column.directions.iter().map(move |forecast| (at, forecast)))
    };
    let count = all().count() as f64;
    let bottom = top + count * ROW;
    let (step, mut at) = (step(most), 0.0);
    while at <= most {
        let x = LEFT + at * scale;
        chart.line((x, top), (x, bottom), "grid");
        chart.text(
            (x, bottom + 16.0),
            Anchor::Middle,
            "small",
            &clock(Some(at)),
        );
        at += step;
    }
    chart.text(
        (RIGHT, bottom + 32.0),
        Anchor::End,
        "small",
        "minutes and seconds since the death, or since the first good answer",
    );
    let mut sorted: Vec<(usize, &Forecast)> = all().collect();
    sorted.sort_by_key(|(column, forecast)| (forecast.direction == Direction::FailBack, *column));
    for (index, (column, forecast)) in sorted.into_iter().enumerate() {
        let y = top + index as f64 * ROW + 6.0;
        one(chart, forecast, (column, y), scale);
    }
    bottom + 32.0
}

fn one(chart: &mut Chart, forecast: &Forecast, (column, y): (usize, f64), scale: f64) {
    let word = match forecast.direction {
        Direction::FailOver => "fail-over",
        Direction::FailBack => "fail-back",
    };
    let label = if column == 0 {
        word.to_owned()
    } else {
        format!("{word}, as it would be")
    };
    chart.text((LEFT - 10.0, y + 15.0), Anchor::End, "bold", &label);
    let height = ROW - 12.0;
    let mut x = LEFT;
    for (index, (name, phase)) in PHASES.iter().zip(&forecast.phases).enumerate() {
        let Some(p50) = phase.drawn.p50 else {
            chart.text(
                (x + 8.0, y + 15.0),
                Anchor::Start,
                "bold",
                &format!("{name}: never"),
            );
            return;
        };
        let width = p50 * scale;
        chart.rect(
            (x, y),
            (width, height),
            &format!("p{index}"),
            &format!("{name}: {}", clock(Some(p50))),
        );
        if width > 34.0 {
            chart.text(
                (x + width / 2.0, y + 15.0),
                Anchor::Middle,
                "inside",
                &clock(Some(p50)),
            );
        }
        x += width;
    }
    let whole = &forecast.whole.drawn;
    if let Some(p95) = whole.p95 {
        let end = LEFT + p95 * scale;
        let middle = y + height / 2.0;
        chart.line((x, middle), (end, middle), "whisker");
        chart.line((end, middle - 6.0), (end, middle + 6.0), "whisker");
        if let Some(p50) = whole.p50 {
            let at = LEFT + p50 * scale;
            chart.line((at, middle - 6.0), (at, middle + 6.0), "whisker");
        }
        let text = format!("{} / {}", clock(whole.p50), clock(whole.p95));
        chart.text((end.max(x) + 7.0, y + 15.0), Anchor::Start, "bold", &text);
    }
}

fn tornado(chart: &mut Chart, now: &Column, title: &str, top: f64) -> f64 {
    chart.text((24.0, top), Anchor::Start, "title", title);
    let under = "the best first; a bar with a gap near its end is longer than it is drawn";
    chart.text((24.0, top + 18.0), Anchor::Start, "small", under);
    let top = top + 14.0;
    let ends = |bar: &Bar| {
        let (away, back) = (bar.away.unwrap_or_default(), bar.back.unwrap_or_default());
        (away.min(back).min(0.0), away.max(back).max(0.0))
    };
    let least = now.bars.iter().map(|bar| ends(bar).0).fold(-30.0, f64::min);
    // One huge bar must not flatten the others: it is cut off, and its number says how long it is.
    let most = now
        .bars
        .iter()
        .map(|bar| ends(bar).1)
        .fold(30.0, f64::max)
        .min(-least * 1.5);
    let scale = (RIGHT - LEFT - 150.0) / (most - least);
    let zero = LEFT + 75.0 - least * scale;
    let y = top + 18.0;
    let bottom = y + now.bars.len() as f64 * ROW;
    for (index, bar) in now.bars.iter().enumerate() {
        let y = y + index as f64 * ROW;
        let label = format!("{} {} → {}", bar.setting, bar.now, bar.then);
        chart.text((LEFT - 10.0, y + 17.0), Anchor::End, "", &label);
        for (seconds, y) in [(bar.away, y + 3.0), (bar.back, y + 16.0)] {
            half(chart, seconds, (zero, y), scale, most);
        }
    }
    chart.line((zero, y), (zero, bottom), "axis");
    bottom
}

fn half(chart: &mut Chart, seconds: Option<f64>, (zero, y): (f64, f64), scale: f64, most: f64) {
    let length = seconds.map_or(most, |seconds| seconds.min(most)) * scale;
    let class = if length < 0.0 { "sooner" } else { "later" };
    chart.rect(
        (zero + length.min(0.0), y),
        (length.abs(), 11.0),
        class,
        &change(seconds),
    );
    let (x, anchor) = if length < 0.0 {
        (zero + length - 5.0, Anchor::End)
    } else {
        (zero + length + 5.0, Anchor::Start)
    };
    let told = change(seconds);
    // A bar that is cut off ends in a gap, so that it is not taken for as long as its neighbour.
    if seconds.is_none_or(|seconds| seconds > most) {
        for gap in [16.0, 10.0] {
            let x = zero + length - gap;
            chart.line((x + 3.0, y - 1.0), (x - 3.0, y + 12.0), "cut");
        }
    }
    chart.text((x, y + 9.5), anchor, "small", &told);
}
