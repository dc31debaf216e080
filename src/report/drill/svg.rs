//! A rehearsal as a picture: the phases of its moves on one line of time, and below what visitors saw of each host.

use std::time::Duration;

use crate::report::chart::{Anchor, Chart};

use super::{EventRow, MoveTimes, Rehearsed, ViewSpan, clock};

const WIDTH: f64 = 960.0;
const LEFT: f64 = 170.0;
const RIGHT: f64 = 936.0;
const ROW: f64 = 30.0;
const HOST: f64 = 22.0;

/// From time to place.
struct Scale {
    per_second: f64,
}

impl Scale {
    fn x(&self, time: Duration) -> f64 {
        LEFT + time.as_secs_f64() * self.per_second
    }
}

pub(super) fn draw(drill: &Rehearsed) -> String {
    let mut chart = Chart::default();
    let title = drill.title();
    chart.text((24.0, 32.0), Anchor::Start, "title", &title);
    let verdict = match drill.but().len() {
        count if count > 0 && drill.passed() => format!("passed, but {count} to know"),
        _ => drill.verdict().word().to_owned(),
    };
    let turns: String = turns(drill).collect();
    let under = format!(
        "{verdict}; {turns}{} on its own clock, {:.1} s of yours",
        clock(drill.lasted),
        drill.took.as_secs_f64()
    );
    chart.text((24.0, 52.0), Anchor::Start, "small", &under);
    let seconds = drill.lasted.as_secs_f64().max(1.0);
    let scale = Scale {
        per_second: (RIGHT - LEFT) / seconds,
    };
    let top = legend(&mut chart, drill, 78.0) + 24.0;
    let hosts = drill.hosts.len() as f64;
    let bottom = top + ROW * drill.moves.len() as f64 + 26.0 + hosts * HOST;
    axis(&mut chart, drill.lasted, (top, bottom), &scale);
    for (index, moved) in drill.moves.iter().enumerate() {
        phases(&mut chart, moved, top + ROW * index as f64, &scale);
    }
    let mut y = top + ROW * drill.moves.len() as f64 + 14.0;
    for view in &drill.hosts {
        chart.text((LEFT - 8.0, y + 14.0), Anchor::End, "small", &view.host);
        for span in &view.spans {
            seen(&mut chart, drill, span, y, &scale);
        }
        y += HOST;
    }
    chart.finish(WIDTH, bottom + 34.0, &title)
}

/// When home dies and when it serves again, in words.
fn turns(drill: &Rehearsed) -> impl Iterator<Item = String> {
    let home = drill.sites.first().map_or("home", String::as_str);
    [" dies", " serves again"]
        .into_iter()
        .filter_map(move |word| {
            let own = |event: &&EventRow| {
                let rest = event.what.strip_prefix(home);
                event.who == "script" && rest.is_some_and(|rest| rest.starts_with(word))
            };
            let event = drill.events.iter().find(own)?;
            Some(format!("{home}{word} at {}; ", clock(event.at)))
        })
}

/// The class of what visitors see.
fn class(drill: &Rehearsed, what: &str) -> &'static str {
    match what {
        "absent" => "absent",
        "down" | "nowhere" => "down",
        "wrong" => "wrong",
        site if drill.sites.first().is_some_and(|home| home == site) => "home",
        _ => "away",
    }
}

fn legend(chart: &mut Chart, drill: &Rehearsed, y: f64) -> f64 {
    if let Some(moved) = drill.moves.first() {
        for (index, phase) in moved.phases.iter().enumerate() {
            let x = 24.0 + 114.0 * index as f64;
            chart.rect(
                (x, y - 10.0),
                (11.0, 11.0),
                &format!("p{index}"),
                phase.name,
            );
            chart.text((x + 16.0, y), Anchor::Start, "small", phase.name);
        }
    }
    let home = drill.sites.first().map_or("home", String::as_str);
    let words = [
        ("home", format!("served by {home}")),
        ("away", "served by a standby".to_owned()),
        ("absent", "absent, as the spec says".to_owned()),
        ("down", "not served".to_owned()),
        ("wrong", "not what it should be".to_owned()),
    ];
    for (index, (class, word)) in words.iter().enumerate() {
        let x = 24.0 + 184.0 * index as f64;
        chart.rect((x, y + 10.0), (11.0, 11.0), class, word);
        chart.text((x + 16.0, y + 20.0), Anchor::Start, "small", word);
    }
    y + 20.0
}

/// A round step that gives at most a dozen lines.
fn step(seconds: f64) -> f64 {
    let steps = [
        15.0, 30.0, 60.0, 120.0, 300.0, 600.0, 1800.0, 3600.0, 7200.0, 21_600.0,
    ];
    let fits = |step: &&f64| seconds / **step <= 12.0;
    steps.iter().find(fits).copied().unwrap_or(86_400.0)
}

fn axis(chart: &mut Chart, lasted: Duration, (top, bottom): (f64, f64), scale: &Scale) {
    let seconds = lasted.as_secs_f64();
    let step = step(seconds);
    let mut at = 0.0;
    while at <= seconds {
        let time = Duration::from_secs_f64(at);
        let x = scale.x(time);
        chart.line((x, top), (x, bottom), "grid");
        let minutes = time.as_secs() / 60;
        let word = format!("{minutes}:{:02}", time.as_secs() % 60);
        chart.text((x, bottom + 16.0), Anchor::Middle, "small", &word);
        at += step;
    }
}

fn phases(chart: &mut Chart, moved: &MoveTimes, y: f64, scale: &Scale) {
    let label = format!("{} to {}", moved.from, moved.to);
    chart.text((LEFT - 8.0, y + 15.0), Anchor::End, "bold", &label);
    let mut at = moved.began;
    for (index, phase) in moved.phases.iter().enumerate() {
        let (from, to) = (scale.x(at), scale.x(at + phase.lasted));
        let told = format!("{}: {:.1} s", phase.name, phase.lasted.as_secs_f64());
        chart.rect(
            (from, y),
            (to - from, ROW - 9.0),
            &format!("p{index}"),
            &told,
        );
        if to - from > 38.0 {
            let word = format!("{:.0} s", phase.lasted.as_secs_f64());
            chart.text(
                (f64::midpoint(from, to), y + 14.0),
                Anchor::Middle,
                "inside",
                &word,
            );
        }
        at += phase.lasted;
    }
    let whole = format!("{:.0} s", moved.whole().as_secs_f64());
    let end = scale.x(at);
    if end + 60.0 < WIDTH {
        chart.text((end + 6.0, y + 14.0), Anchor::Start, "bold", &whole);
    } else {
        let begun = scale.x(moved.began);
        chart.text((begun - 6.0, y + 14.0), Anchor::End, "bold", &whole);
    }
    let begun = scale.x(moved.began);
    chart.line((begun, y - 4.0), (begun, y + ROW - 5.0), "mark");
}

/// A time of one host: what visitors see lies on top of each other, each as high as there are visitors.
fn seen(chart: &mut Chart, drill: &Rehearsed, span: &ViewSpan, top: f64, scale: &Scale) {
    let (from, to) = (scale.x(span.from), scale.x(span.to));
    let each = (HOST - 6.0) / drill.visitors.max(1) as f64;
    let told = format!(
        "{} to {}: {}",
        clock(span.from),
        clock(span.to),
        span.words()
    );
    let mut y = top;
    for (what, count) in &span.seen {
        let height = each * *count as f64;
        chart.rect((from, y), (to - from, height), class(drill, what), &told);
        y += height;
    }
}
