//! Journals: what every scenario wrote plays again to the same bytes, also when it stops early; another decision is found at
//! its event.

use pointsman::failover::journal::replay;
use pointsman::failover::rehearse;

use crate::binary::Folder;

const FILE: &str = include_str!("data/executor_scenarios.json");

/// The journal of every scenario that has one, by id.
fn journals() -> Vec<(String, String)> {
    let file = rehearse::read(FILE.as_bytes()).unwrap();
    let rows = file.rows.into_iter().map(Result::unwrap);
    let journals = rows.map(|row| (row.id.clone(), rehearse::run(&row).journal(&row)));
    journals
        .filter(|(_, journal)| !journal.is_empty())
        .collect()
}

#[test]
fn a_journal_is_finished_only_where_it_has_its_end_and_nothing_follows_it() {
    let mut journals = journals().into_iter();
    let (_, whole) = journals.find(|(id, _)| id == "B01").unwrap();
    assert!(replay(&whole).unwrap().finished);
    assert!(replay(&format!("\u{feff}{whole}")).unwrap().finished);
    let lines: Vec<&str> = whole.lines().collect();
    let (last, before) = lines.split_last().unwrap();
    assert!(last.contains("\"effect\":\"finish\""), "{last}");
    let part = before.join("\n") + "\n";
    let played = replay(&part).unwrap();
    assert!(!played.finished && played.missing == 1, "{played:?}");
    assert!(played.difference.is_none() && !played.cut_off);
    let garbled = replay(&format!("{whole}{{\"at\":")).unwrap();
    assert!(garbled.finished && garbled.cut_off);
    let after = format!("{whole}{{\"at\":999999,\"event\":\"woke\"}}\n");
    let fault = replay(&after).unwrap_err();
    assert_eq!(fault.line, lines.len() + 1);
    assert!(fault.reason.contains("has ended"), "{fault}");
}

#[test]
fn every_scenario_replays_byte_for_byte() {
    for (id, journal) in journals() {
        let played = replay(&journal).unwrap();
        assert_eq!(played.difference, None, "{id}");
        // Only the process of G08 died.
        assert_eq!(played.finished, id != "G08", "{id}");
        assert_eq!(
            played.events + played.effects + 1,
            journal.lines().count(),
            "{id}"
        );
    }
}

#[test]
fn a_journal_may_stop_anywhere() {
    let (id, journal) = journals().swap_remove(5);
    for (end, _) in journal
        .char_indices()
        .filter(|(end, _)| *end > journal.find('\n').unwrap())
    {
        let played = replay(journal.get(..end).unwrap()).unwrap();
        assert_eq!(played.difference, None, "{id} up to {end}");
    }
}

#[test]
fn another_decision_is_found_at_its_event() {
    let (_, journal) = journals().into_iter().find(|(id, _)| id == "B01").unwrap();
    // As if another version had given its write one millisecond more.
    let odd: Vec<&str> = journal.lines().collect();
    let at = odd
        .iter()
        .position(|line| line.contains("\"effect\":\"write\""))
        .unwrap();
    let other = journal.replace("\"not_after\":90000", "\"not_after\":90001");
    assert!(other != journal, "the journal has the write");
    let difference = replay(&other).unwrap().difference.unwrap();
    assert_eq!(difference.line, at, "the event stands before its effect");
    assert!(!difference.wording);
    let reworded = journal.replace("visitors shall go", "traffic must go");
    let difference = replay(&reworded).unwrap().difference.unwrap();
    assert!(difference.wording, "{difference:?}");
}

#[test]
fn what_is_no_journal_says_where() {
    for (text, line, reason) in [
        ("", 1, "empty"),
        ("{}\n", 1, "`journal` is missing"),
        ("{\"journal\":9}\n", 1, "form 9"),
        ("not json\n", 1, "expected"),
    ] {
        let fault = replay(text).unwrap_err();
        assert_eq!(fault.line, line, "{text}");
        assert!(fault.reason.contains(reason), "{}", fault.reason);
    }
    let (_, journal) = journals().swap_remove(0);
    let odd = journal.replacen("\"event\":\"started\"", "\"event\":\"begun\"", 1);
    assert_eq!(replay(&odd).unwrap_err().line, 2);
}

#[test]
fn what_was_done_to_a_journal_is_told_at_its_line() {
    let (_, journal) = journals().swap_remove(5);
    let told = |text: &str| replay(text).unwrap_err().to_string();
    let lines: Vec<&str> = journal.lines().collect();
    let count = lines.len();
    let twice = format!("line {}: another journal begins here", count + 1);
    assert!(told(&journal.repeat(2)).starts_with(&twice));
    let gap = [lines[..2].join("\n"), String::new(), lines[2..].join("\n")].join("\n");
    assert_eq!(told(&gap), "line 3: the line is empty");
    let torn = journal.replacen("\"event\":\"started\"", "\"event\":started", 1);
    let why = told(&torn);
    assert!(
        why.starts_with("line 2: column ") && !why.contains("line 1"),
        "{why}"
    );
}

#[test]
fn a_file_of_scenarios_that_is_none_says_why_in_words() {
    let head = "\"sites\":{\"edge\":\"198.51.100.10\",\"hub\":\"203.0.113.20\"},\"records\":[\"example.com A\"]";
    let zone = "\"dns_now\":{\"apex\":{\"values\":[\"198.51.100.10\"],\"ttl\":300}}";
    let row = |rest: &str| {
        format!("{{{head},\"scenarios\":[{{\"id\":\"X\",\"given\":{{{zone}{rest}}}}}]}}")
    };
    let of_file = |text: &str| rehearse::read(text.as_bytes()).unwrap_err();
    assert_eq!(of_file("[]"), "it is a list, not an object");
    assert_eq!(of_file("{}"), "`sites` is missing");
    let empty = format!("{{{head},\"scenarios\":[]}}");
    assert_eq!(of_file(&empty), "its list `scenarios` is empty");
    for (rest, why) in [
        (
            ",\"pin\":5",
            "`given.pin`: invalid type: integer `5`, expected a string",
        ),
        (
            ",\"hub_probe\":\"timeout\"",
            "`given.hub_probe`: `\"timeout\"` is no list of answers",
        ),
        (
            ",\"hub_probe\":[\"tiemout\"]",
            "`given.hub_probe`: `\"tiemout\"` is no answer to a probe; allowed are a status",
        ),
        (
            ",\"hub_probe\":[0]",
            "`given.hub_probe`: `0` is no answer to a probe; allowed are a status",
        ),
        (
            ",\"parallel_runs\":-1",
            "`given.parallel_runs`: invalid value: integer `-1`, expected a whole number",
        ),
        (
            ",\"config\":[]",
            "`given.config`: invalid type: list, expected an object",
        ),
    ] {
        let mut rows = rehearse::read(row(rest).as_bytes()).unwrap().rows;
        let (id, told) = rows.remove(0).unwrap_err();
        assert_eq!(id, "X");
        assert!(told.starts_with(why), "{told}");
    }
    for (rest, place) in [
        (",\"edge_prob\":[]", "edge_prob"),
        (",\"hosts\":{\"mars\":{}}", "given.hosts.mars"),
        (",\"config\":{\"dry_run\":\"yes\"}", "config.dry_run"),
        (",\"pin\":null,\"pin\":\"hub\"", "given.pin twice"),
        (",\"decision_age_s\":-1", "given.decision_age_s = -1"),
        (
            ",\"extra_records\":[{\"name\":\"example.org\",\"type\":\"A\",\"values\":[]}]",
            "given.extra_records: \"example.org\" outside the zone",
        ),
    ] {
        let mut rows = rehearse::read(row(rest).as_bytes()).unwrap().rows;
        assert_eq!(rows.remove(0).unwrap().unknown, [place]);
    }
}

#[test]
fn two_rows_of_one_id_and_a_mark_before_the_file_are_told_and_read() {
    let row = "{\"id\":\"X\\u001b\",\"given\":{\"dns_now\":{}}}";
    let text = format!(
        "\u{feff}{{\"sites\":{{\"edge\":\"198.51.100.10\",\"hub\":\"203.0.113.20\"}},\"records\":[\"example.com A\"],\"scenarios\":[{row},{row}]}}"
    );
    let rows = rehearse::read(text.as_bytes()).unwrap().rows;
    let unknown: Vec<Vec<String>> = rows.into_iter().map(|row| row.unwrap().unknown).collect();
    assert!(
        unknown[0].is_empty() && unknown[1].len() == 1,
        "{unknown:?}"
    );
    let folder = Folder::empty();
    folder.write("twice.json", &text);
    let ran = folder.run(&["failover", "scenarios", "twice.json"]);
    assert_eq!(ran.status(), 4, "{}", ran.stdout());
    assert!(!ran.stdout().contains('\u{1b}'), "{}", ran.stdout());
    let outside = text.replace("example.com A", "example.org A");
    let why = rehearse::read(outside.as_bytes()).unwrap_err();
    assert!(why.contains("outside the zone"), "{why}");
}

#[test]
fn the_program_replays_a_journal_and_runs_scenarios() {
    let folder = Folder::empty();
    let (_, journal) = journals().swap_remove(0);
    folder.write("run.jsonl", &journal);
    let ran = folder.run(&["failover", "replay", "run.jsonl"]);
    assert_eq!(ran.status(), 0, "{}", ran.stdout());
    assert!(ran.stdout().contains("byte for byte"));
    folder.write("other.jsonl", journal.replace("NO_CHANGE", "REFUSE"));
    let ran = folder.run(&["failover", "replay", "other.jsonl", "--format", "json"]);
    assert_eq!(ran.status(), 1);
    let (part, _) = journal.trim_end().rsplit_once('\n').unwrap();
    for cut in [format!("{part}\n"), format!("{journal}{{\"at\"")] {
        folder.write("cut.jsonl", &cut);
        let ran = folder.run(&["failover", "replay", "cut.jsonl"]);
        assert_eq!(ran.status(), 4, "{}", ran.stdout());
        assert!(ran.stdout().contains("end of"), "{}", ran.stdout());
    }
    folder.write("none.jsonl", "{}\n");
    assert_eq!(
        folder.run(&["failover", "replay", "none.jsonl"]).status(),
        2
    );
    assert_eq!(
        folder.run(&["failover", "replay", "absent.jsonl"]).status(),
        3
    );
    folder.write("scenarios.json", FILE);
    let ran = folder.run(&[
        "failover",
        "scenarios",
        "scenarios.json",
        "--format",
        "json",
    ]);
    assert_eq!(ran.status(), 0);
    let rows: serde_json::Value = serde_json::from_str(&ran.stdout()).unwrap();
    let first = &rows[0];
    let keys: Vec<&String> = first.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["id", "decision", "batches", "exit", "notify"]);
    assert_eq!(first["exit"], 0);
    folder.write(
        "wrong.json",
        FILE.replace("\"decision\": \"PLAN_ONLY\"", "\"x\": 1")
            .replacen("\"NO_CHANGE\"", "\"REFUSE\"", 2),
    );
    assert_eq!(
        folder
            .run(&["failover", "scenarios", "wrong.json"])
            .status(),
        1
    );
}
