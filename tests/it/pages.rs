//! Pages for a person, opened in Chromium: nothing is asked for, nothing fails, no word of the picture leaves it or lies on another,
//! nothing is wider than a narrow screen, and a dark screen gets a dark page. Screenshots are left below `target/pages`.
#![expect(
    clippy::disallowed_methods,
    clippy::print_stderr,
    reason = "these tests run other programs, or say why not"
)]

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::binary::Folder;

/// What Chromium saw of a page, for each screen; nothing where there is no Chromium.
fn looked_at(page: &Path, name: &str) -> Option<Vec<Value>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let there = |path: &str| root.join(path).exists();
    if !there("target/judges/node_modules/playwright-core") || !there("/usr/bin/chromium") {
        eprintln!("not judged: Chromium is not installed; scripts/install-judges installs it");
        return None;
    }
    let pictures = root.join("target/pages");
    std::fs::create_dir_all(&pictures).unwrap();
    let ran = Command::new("node")
        .arg(root.join("scripts/look-at-page.mjs"))
        .arg(page)
        .arg(pictures.join(name))
        .output()
        .unwrap();
    assert!(
        ran.status.success(),
        "{}",
        String::from_utf8_lossy(&ran.stderr)
    );
    let seen: Value = serde_json::from_slice(&ran.stdout).unwrap();
    Some(seen.as_array().unwrap().clone())
}

fn is_well_made(seen: &[Value]) {
    let screens: Vec<_> = seen.iter().map(|screen| &screen["screen"]).collect();
    assert_eq!(screens, ["wide", "narrow"]);
    for screen in seen {
        for fault in ["errors", "requests", "outside", "overlapping"] {
            assert_eq!(screen[fault], json!([]), "{fault}: {screen:#}");
        }
        assert_eq!(screen["too_wide"], 0, "{screen:#}");
        assert_eq!(screen["pictures"], 1);
    }
    let colours = |key: &str| {
        seen.iter()
            .map(|screen| screen[key].clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(
        colours("background"),
        ["rgb(255, 255, 255)", "rgb(24, 24, 24)"]
    );
    assert_eq!(colours("colour"), ["rgb(27, 27, 27)", "rgb(234, 234, 234)"]);
}

#[cfg(feature = "drill")]
#[test]
fn the_page_of_a_rehearsal_shows_a_person_what_was_seen() {
    let folder = Folder::of_the_reference_deployment();
    let ran = folder.run(&["drill", "--speed", "1000000", "--html", "drill.html"]);
    assert_eq!(ran.status(), 0, "{}", ran.stdout());
    let Some(seen) = looked_at(&folder.path().join("drill.html"), "drill") else {
        return;
    };
    is_well_made(&seen);
    for screen in &seen {
        let verdict = screen["verdict"].to_string();
        assert!(verdict.starts_with("\"passed"), "{verdict}");
        let headings = screen["headings"].to_string();
        for heading in [
            "Links",
            "edge to hub",
            "hub to edge",
            "Attacks",
            "visitors saw",
            "Decisions of AWS",
        ] {
            assert!(headings.contains(heading), "{headings}");
        }
        assert!(screen["rows"].as_u64().unwrap() > 60, "{screen:#}");
    }
}

#[test]
fn the_page_of_a_forecast_shows_both_ways_and_what_settings_buy() {
    let folder = Folder::of_the_reference_deployment();
    let ran = folder.run(&[
        "forecast",
        "--set",
        "ttl=60",
        "--outages",
        "2000",
        "--html",
        "forecast.html",
    ]);
    assert_eq!(ran.status(), 0, "{}", ran.stdout());
    let Some(seen) = looked_at(&folder.path().join("forecast.html"), "forecast") else {
        return;
    };
    is_well_made(&seen);
    for screen in &seen {
        assert_eq!(screen["title"], "Forecast: edge to hub and back");
        let headings = screen["headings"].to_string();
        for heading in ["As it is", "With ttl=60", "What to know"] {
            assert!(headings.contains(heading), "{headings}");
        }
    }
}
