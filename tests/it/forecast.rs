//! The forecast against what was measured of Uptime Kuma, against the time budget of the reference deployment, and as a
//! program.

use anyhow::{Context as _, Result};
use pointsman::forecast::{Column, Death, SEED, Settings, forecast};
use pointsman::model::spec::Spec;
use pointsman::text::SourceMap;
use serde_json::Value;

use crate::binary::Folder;

fn reference() -> Result<Settings> {
    let mut sources = SourceMap::default();
    let file = sources.add("pointsman.toml", include_str!("../../pointsman.toml"));
    let text = sources.text(file).context("no text")?;
    let spec = Spec::read(&text).ok().context("the spec is wrong")?;
    Ok(Settings::of(&spec))
}

fn with(set: &[(&str, &str)], death: Death) -> Result<Settings> {
    let mut settings = reference()?;
    settings.death = death;
    for (name, value) in set {
        settings.set(name, value)?;
    }
    Ok(settings.checked()?)
}

/// p50, p95 and the worst of a phase of the move away.
fn phase(column: &Column, index: usize) -> Option<(f64, f64, f64, f64)> {
    let drawn = column.directions.first()?.phases.get(index)?.drawn;
    Some((drawn.mean, drawn.p50?, drawn.p95?, drawn.worst?))
}

#[test]
fn detection_is_as_it_was_measured() {
    // What a failing check takes, then best, mean, p95 and worst of 200,000 outages with 60 s, 3 retries, 30 s.
    let table = [
        (Death::Refused, "10", 90.0, 120.0, 147.0, 150.0),
        (Death::ServerError, "48", 90.0, 120.0, 147.0, 150.0),
        (Death::BlackHole, "10", 100.0, 130.0, 157.0, 160.0),
        (Death::BlackHole, "30", 120.0, 150.0, 177.0, 180.0),
        (Death::BlackHole, "48", 192.0, 222.0, 249.0, 252.0),
    ];
    for (death, timeout, best, mean, p95, worst) in table {
        let settings = with(&[("monitor.edge.timeout", timeout)], death).unwrap();
        let column = forecast(&settings, 200_000, SEED);
        let drawn = phase(&column, 0).unwrap();
        let near = |found: f64, wanted: f64| (found - wanted).abs() < 0.6;
        assert!(
            near(drawn.0, mean) && near(drawn.2, p95) && near(drawn.3, worst),
            "{timeout}: {drawn:?}"
        );
        let bounds = column.directions[0].phases[0].bounds;
        assert!(near(bounds.least, best) && near(bounds.most.unwrap(), worst));
    }
}

#[test]
fn the_reference_deployment_takes_eight_to_eleven_minutes() {
    for death in Death::ALL {
        let column = forecast(&with(&[], death).unwrap(), 50_000, SEED);
        let whole = column.directions[0].whole.drawn;
        let (p50, p95) = (whole.p50.unwrap(), whole.p95.unwrap());
        assert!(
            (480.0..=660.0).contains(&p50) && (480.0..=660.0).contains(&p95),
            "{p50} {p95}"
        );
    }
    // With Kuma's own 48 s a black hole is at the far end of it.
    let slow = with(&[("monitor.edge.timeout", "48")], Death::BlackHole).unwrap();
    let p50 = forecast(&slow, 50_000, SEED).directions[0]
        .whole
        .drawn
        .p50
        .unwrap();
    assert!((590.0..=660.0).contains(&p50), "{p50}");
}

#[test]
fn what_was_drawn_lies_within_the_bounds() {
    let column = forecast(&reference().unwrap(), 20_000, 1);
    for direction in &column.directions {
        for length in direction.phases.iter().chain([&direction.whole]) {
            let drawn = length.drawn;
            assert!(drawn.p50.unwrap() >= length.bounds.least - 0.002);
            if let Some(most) = length.bounds.most {
                assert!(drawn.worst.unwrap() <= most + 0.002, "{length:?}");
            }
        }
    }
}

#[test]
fn the_same_seed_gives_the_same_numbers_and_another_gives_nearly_the_same() {
    let settings = reference().unwrap();
    let (one, again) = (
        forecast(&settings, 20_000, 7),
        forecast(&settings, 20_000, 7),
    );
    assert_eq!(one, again);
    let other = forecast(&settings, 20_000, 8);
    assert_ne!(one, other);
    let p95 = |column: &Column| column.directions[0].whole.drawn.p95.unwrap();
    assert!((p95(&one) - p95(&other)).abs() < 5.0);
}

#[test]
fn without_a_time_out_a_black_hole_is_never_noticed_and_nobody_is_told() {
    let settings = with(&[("monitor.edge.timeout", "0")], Death::BlackHole).unwrap();
    let column = forecast(&settings, 1000, SEED);
    assert_eq!(column.directions[0].whole.drawn.p50, None);
    assert_eq!((column.messages.dispatches, column.messages.people), (0, 0));
    let refused = with(&[("monitor.edge.timeout", "0")], Death::Refused).unwrap();
    assert!(
        forecast(&refused, 1000, SEED).directions[0]
            .whole
            .drawn
            .p50
            .is_some()
    );
}

#[test]
fn messages_are_those_of_the_reference_deployment() {
    // DOWN, the retry's DOWN, two per half hour, UP, the retry's UP: two hours hold three repeats of each watch, and the
    // retry has one more while the run returns.
    let column = forecast(&reference().unwrap(), 1000, SEED);
    assert_eq!(column.messages.people, 2 + 3 + 2);
    assert!((10..=11).contains(&column.messages.dispatches));
}

#[test]
fn a_lost_message_costs_half_an_hour_and_no_repeat_costs_everything() {
    let lossy = with(
        &[("dispatch.loss", "1"), ("monitor.edge.resend", "0")],
        Death::Refused,
    )
    .unwrap();
    assert_eq!(
        forecast(&lossy, 100, SEED).directions[0].whole.drawn.never,
        1.0
    );
    let half = with(&[("dispatch.loss", "0.2")], Death::Refused).unwrap();
    let worst = phase(&forecast(&half, 20_000, SEED), 1).unwrap();
    assert!(
        worst.1 < 2.0 && worst.2 >= 1800.0 && worst.3 >= 3600.0,
        "{worst:?}"
    );
}

#[test]
fn absurd_settings_are_refused_and_never_a_hang() {
    for (name, value) in [
        ("monitor.edge.interval", "0"),
        ("monitor.edge.retries", "1000000000"),
        ("ttl", "nan"),
        ("ttl", "-1"),
        ("ttl", "inf"),
        ("probe.tries", "0"),
        ("sync.p95", "1"),
        ("no.such", "1"),
        ("ttl", "five"),
    ] {
        assert!(
            with(&[(name, value)], Death::BlackHole).is_err(),
            "{name}={value}"
        );
    }
}

#[test]
fn the_declared_monitor_counts_and_not_the_spec() {
    let folder = Folder::of_the_reference_deployment();
    let path = "monitors/edge-watch.yaml";
    let text = folder.read(path).replace("    timeout: 10\n", "");
    folder.write(path, text);
    let output = folder.run(&["forecast", "--outages", "1000", "--format", "json"]);
    let told = output.json();
    assert_eq!(output.status(), 1);
    // AutoKuma then writes 48 seconds.
    assert_eq!(
        told["columns"][0]["failover"]["phases"]["detection"]["most"],
        252.0
    );
    assert!(
        told["notes"]
            .to_string()
            .contains("leaves out `timeout`, so 48 counts"),
        "{told}"
    );
}

#[test]
fn the_program_compares_and_draws_a_picture_that_is_well_formed() {
    let folder = Folder::of_the_reference_deployment();
    folder.write(
        "runs.json",
        r#"[{"createdAt":"2026-11-01T10:00:00Z","startedAt":"2026-11-01T10:00:40Z"}]"#,
    );
    let words = [
        "forecast",
        "--set",
        "ttl=60",
        "--set",
        "records.ttl=120",
        "--outages",
        "2000",
        "--runs",
        "runs.json",
        "--svg",
        "f.svg",
        "--html",
        "f.html",
        "--format",
        "json",
    ];
    let output = folder.run(&words);
    let told = output.json();
    assert_eq!(output.status(), 0);
    assert_eq!(
        told["columns"][1]["failover"]["phases"]["TTL"]["p50"],
        120.0
    );
    assert_eq!(
        told["columns"][0]["failover"]["phases"]["runner start"]["worst"],
        40.0
    );
    let svg = folder.read("f.svg");
    let picture = roxmltree::Document::parse(&svg).unwrap();
    let drawn = picture
        .descendants()
        .filter(|node| node.has_tag_name("rect"))
        .count();
    assert!(drawn > 40, "{drawn}");
    // Nothing is drawn outside of the paper.
    let number = |node: &roxmltree::Node<'_, '_>, name| {
        node.attribute(name)
            .and_then(|text| text.parse::<f64>().ok())
    };
    for node in picture.descendants() {
        let right = number(&node, "x").unwrap_or(0.0) + number(&node, "width").unwrap_or(0.0);
        assert!((0.0..=960.5).contains(&right), "{node:?}");
    }
    let html = folder.read("f.html");
    assert!(
        !html.contains("http://")
            || html.matches("http://www.w3.org/2000/svg").count()
                == html.matches("http://").count()
    );
    assert!(!html.contains("https://") && !html.contains("<script"));
}

#[test]
fn wrong_words_end_with_status_two() {
    let folder = Folder::of_the_reference_deployment();
    for words in [
        &["forecast", "--set", "ttl"][..],
        &["forecast", "--set", "monitor.edge.interval=0"],
        &["forecast", "--set", "monitor.edge.retries=2.5"],
        &["forecast", "--set", "monitor.edge.timeout=60"],
        &[
            "forecast",
            "--set",
            "failback.interval=300",
            "--set",
            "failback.probes=20",
        ],
        &["forecast", "--outages", "0"],
        &["forecast", "--outages", "4000000000"],
        &["forecast", "--runs", "pointsman.toml"],
    ] {
        assert_eq!(folder.run(words).status(), 2, "{words:?}");
    }
    assert_eq!(
        folder.run(&["forecast", "--runs", "absent.json"]).status(),
        3
    );
    assert_eq!(Folder::empty().run(&["forecast"]).status(), 2);
}

#[test]
fn bounds_are_those_of_settings_and_what_is_assumed_or_seen_has_none() {
    let column = forecast(&reference().unwrap(), 1000, SEED);
    let bounds = |direction: usize, phase: usize| {
        let bounds = column.directions[direction].phases[phase].bounds;
        (bounds.least, bounds.most)
    };
    // What the spec's check of times takes for a return: ten probes, the last of 10 s, and both sites asked.
    assert_eq!(bounds(1, 4), (270.0, Some(340.0)));
    assert_eq!(bounds(0, 4), (30.0, Some(60.0)));
    for phase in [1, 2, 3, 5, 6] {
        assert_eq!(bounds(0, phase), (0.0, None), "{phase}");
    }
    assert_eq!(bounds(0, 7), (300.0, Some(300.0)));
}

#[test]
fn a_comparison_keeps_each_row_to_its_own_forecast() {
    let folder = Folder::of_the_reference_deployment();
    let words = ["forecast", "--outages", "2000", "--set", "ttl=60"];
    let (both, told) = (
        folder.run(&words).stdout(),
        folder.run(&words[..3]).stdout(),
    );
    for line in told
        .lines()
        .filter(|line| line.contains(':') && !line.contains("note"))
    {
        let same = line.trim_end();
        assert!(
            both.lines().any(|it| it.trim_end() == same) || line.starts_with("what"),
            "{line}"
        );
    }
    let mut lines = both.lines().skip_while(|line| !line.starts_with("  TTL"));
    let (now, then) = (lines.next().unwrap(), lines.next().unwrap());
    assert!(now.contains("5:00") && !now.contains("1:00"), "{now}");
    assert!(then.contains("with that") && then.contains("1:00") && !then.contains("5:00"));
}

#[test]
fn nothing_is_offered_that_the_spec_would_refuse() {
    let folder = Folder::of_the_reference_deployment();
    let told = folder
        .run(&["forecast", "--outages", "1000", "--format", "json"])
        .json();
    let bars = told["columns"][0]["tornado"]
        .as_array()
        .cloned()
        .unwrap_or_default();
    assert!(!bars.is_empty());
    // Three tries of 10 s do not fit in 15 s.
    let narrow = |bar: &&Value| bar["setting"] == "probe.window" && bar["then"] == 15.0;
    assert!(!bars.iter().any(|bar| narrow(&bar)), "{bars:?}");
}

#[test]
fn a_picture_makes_no_folder() {
    let folder = Folder::of_the_reference_deployment();
    for kind in ["--svg", "--html"] {
        let told = folder.run(&["forecast", "--outages", "100", kind, "pictures/f"]);
        assert_eq!(told.status(), 3);
        assert!(!folder.path().join("pictures").exists());
    }
}
