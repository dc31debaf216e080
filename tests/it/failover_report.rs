//! What is told of a run, in every form; and that no text from outside (answers of services, values of records, a pin) can
//! start anything in it: no annotation, no output, no markup.

use std::collections::BTreeMap;

use pointsman::execution::report::{
    PlanReport, RunReport, Timeline, annotations, human, json, outputs, step_summary,
};
use pointsman::failover::journal::Entry;
use pointsman::failover::rehearse::Scenario;
use pointsman::failover::{
    Effect, Event, Fault, Foreign, Happened, Moment, Note, Order, Outcome, RecordSet, Refusal,
    ServerAnswer, Topology,
};
use pointsman::model::spec::Spec;
use pointsman::text::SourceMap;
use proptest::prelude::*;

use crate::failover_shell::{Ended, Mishap, performed, scenarios};

fn spec() -> Spec {
    let mut sources = SourceMap::default();
    let file = sources.add("pointsman.toml", include_str!("../../pointsman.toml"));
    Spec::read(&sources.text(file).unwrap()).unwrap()
}

fn scenario(id: &str) -> Scenario {
    scenarios().into_iter().find(|row| row.id == id).unwrap()
}

fn text(write: impl FnOnce(&mut Vec<u8>) -> std::io::Result<()>) -> String {
    let mut bytes = Vec::new();
    write(&mut bytes).unwrap();
    String::from_utf8(bytes).unwrap()
}

fn report(scenario: &Scenario, ended: &Ended) -> RunReport {
    let topology = scenario.topology.as_ref().unwrap();
    let outcome = ended.outcome.as_ref().unwrap();
    let mut report = RunReport::of(&spec(), topology, &ended.story, outcome);
    report.journal = Some("failover-77-1.jsonl".to_owned());
    report
}

/// Every form of a report, one after the other.
fn forms(report: &RunReport) -> String {
    let rows: Vec<String> = report.rows.iter().map(|row| row.line()).collect();
    let all = [
        ("standard error", rows.join("\n") + "\n"),
        ("human", text(|out| human(report, out))),
        ("json", text(|out| json(report, out))),
        ("annotations", text(|out| annotations(report, out))),
        ("outputs", outputs(report)),
        ("summary", step_summary(report)),
    ];
    let told = all.iter().map(|(form, text)| format!("=== {form}\n{text}"));
    told.collect::<String>()
        .replace(env!("CARGO_PKG_VERSION"), "VERSION")
}

#[test]
fn a_switch_is_told_in_every_form() {
    let row = scenario("B01");
    let ended = performed(&row, Mishap::default());
    crate::snapshot::assert("failover__switch", &forms(&report(&row, &ended)));
}

#[test]
fn a_return_home_is_told_in_few_rows() {
    let row = scenario("D01");
    let ended = performed(&row, Mishap::default());
    let told = report(&row, &ended);
    let rows: Vec<String> = told.rows.iter().map(|row| row.line()).collect();
    crate::snapshot::assert("failover__return_rows", &rows.join("\n"));
}

#[test]
fn a_pin_that_is_no_site_is_told_in_every_form() {
    let row = scenario("E07");
    let ended = performed(&row, Mishap::default());
    crate::snapshot::assert("failover__refused_pin", &forms(&report(&row, &ended)));
}

#[test]
fn a_wrong_spec_refuses_with_everything_that_is_wrong_with_it() {
    let told = [
        "pointsman.toml:3:1: `onwer` is no key of `[github]`".to_owned(),
        "pointsman.toml:9:1: another".to_owned(),
    ];
    let report = RunReport::unconfigured(&told, false);
    assert_eq!((report.status, report.notify), (5, true));
    crate::snapshot::assert("failover__unconfigured", &forms(&report));
}

#[test]
fn a_plan_says_what_it_saw_and_what_it_would_do() {
    let mut row = scenario("B01");
    row.order.dry_run = true;
    let ended = performed(&row, Mishap::default());
    let topology = row.topology.as_ref().unwrap();
    let outcome = ended.outcome.as_ref().unwrap();
    let plan = PlanReport::of(&spec(), topology, &ended.story, outcome);
    let told = text(|out| plan.human(out)) + &text(|out| plan.json(out));
    crate::snapshot::assert("failover__plan", &told);
    // Where nothing is to be done, there is no change.
    let mut row = scenario("A01");
    row.order.dry_run = true;
    let ended = performed(&row, Mishap::default());
    let topology = row.topology.as_ref().unwrap();
    let plan = PlanReport::of(&spec(), topology, &ended.story, &ended.outcome.unwrap());
    let told = text(|out| plan.human(out));
    assert!(told.ends_with("no change would be sent\n"), "{told}");
}

/// A run in which every text from outside is `odd`.
fn strange(topology: &Topology, odd: &str, number: usize) -> (Vec<Entry>, Outcome) {
    let own = || odd.to_owned();
    let site = topology.named("hub").unwrap();
    let host = topology.site(site).unwrap().hosts()[0].clone();
    let fault = Fault::answered(odd, Some(403), odd);
    let set = RecordSet {
        name: own(),
        kind: own(),
        ttl: None,
        values: vec![own()],
        alias: None,
        set_identifier: Some(own()),
    };
    let servers = vec![ServerAnswer {
        server: own(),
        values: Some(vec![vec![own()]]),
    }];
    let events = [
        Happened::Started(Order {
            pin: Some(own()),
            dry_run: false,
            jitter: 0,
        }),
        Happened::Failed(fault.clone()),
        Happened::Records(vec![set]),
        Happened::Accepted(own()),
        Happened::Servers(servers),
    ];
    let outcomes = [
        Outcome::Refused(Refusal::Pin(own())),
        Outcome::Refused(Refusal::Configuration(own())),
        Outcome::Refused(Refusal::Unreadable(fault.clone())),
        Outcome::Refused(Refusal::Foreign(0, Foreign::Address(own()))),
        Outcome::Refused(Refusal::Identity {
            asked: site,
            says: own(),
        }),
        Outcome::WriteFailed(fault.clone()),
    ];
    let outcome = outcomes[number % outcomes.len()].clone();
    let notes = [
        Note::Host(site, host.clone(), own()),
        Note::LeftBehind(host, own()),
        Note::OldCredentials(fault.clone()),
        Note::CannotFollow(fault),
        Note::Lags(own()),
    ];
    let at = Moment::default();
    let events = events.map(|what| Entry::Event(Event { at, what }));
    let notes = notes.map(|note| Entry::Effect(at, Effect::Note(note)));
    let end = Entry::Effect(at, Effect::Finish(outcome.clone()));
    let story = events.into_iter().chain(notes).chain([end]);
    (story.collect(), outcome)
}

/// Outputs as the runner reads them from its file (actions/runner, `FileCommandManager.cs`).
fn read_outputs(text: &str) -> Option<BTreeMap<String, String>> {
    let mut found = BTreeMap::new();
    let mut lines = text.split('\n');
    while let Some(line) = lines.next() {
        if line.is_empty() {
            continue;
        }
        let (name, word) = line.split_once("<<")?;
        let value: Vec<&str> = lines.by_ref().take_while(|line| *line != word).collect();
        found.insert(name.to_owned(), value.join("\n"));
    }
    Some(found)
}

/// A summary without the fence of its journal.
fn prose(summary: &str) -> (String, String) {
    let (before, rest) = summary.split_once("````json\n").unwrap();
    let (journal, after) = rest.split_once("\n````\n").unwrap();
    (format!("{before}{after}"), journal.to_owned())
}

/// What a Markdown text has that begins something: every mark of it that is not escaped, line by line.
fn marks(text: &str) -> Vec<String> {
    let of = |line: &str| {
        let mut marks = String::new();
        let mut letters = line.chars();
        while let Some(letter) = letters.next() {
            match letter {
                '\\' => drop(letters.next()),
                '`' | '*' | '_' | '[' | ']' | '<' | '>' | '&' | '!' | '|' | '~' | '$' | '@'
                | '#' | '+' => marks.push(letter),
                _ => {}
            }
        }
        marks
    };
    text.lines().map(of).collect()
}

fn check(odd: &str, number: usize) -> Result<(), TestCaseError> {
    let row = scenario("B01");
    let topology = row.topology.as_ref().unwrap();
    let told = |odd: &str| {
        let (story, outcome) = strange(topology, odd, number);
        RunReport::of(&spec(), topology, &story, &outcome)
    };
    let (plain, report) = (told("plain"), told(odd));
    for row in &report.rows {
        let line = row.line();
        prop_assert!(
            !line.contains(['\r', '\n']) && !line.contains("##["),
            "{line}"
        );
        prop_assert!(line.trim_start().starts_with(|c: char| c.is_ascii_digit()));
    }
    let commands = text(|out| annotations(&report, out));
    let expected = text(|out| annotations(&plain, out)).lines().count();
    prop_assert_eq!(commands.split(['\r', '\n']).count(), expected + 1);
    prop_assert!(!commands.contains("##["), "{commands}");
    for (index, line) in commands.lines().enumerate() {
        let own = index == 0 && line.starts_with("::error title=failover ")
            || line.starts_with("::warning title=failover::")
            || index + 1 == expected && line.starts_with(&report.decision);
        prop_assert!(own, "{line}");
    }
    let read = read_outputs(&outputs(&report)).unwrap();
    let names: Vec<&str> = read.keys().map(String::as_str).collect();
    let wanted = ["change_id", "decision", "from", "journal", "status", "to"];
    prop_assert_eq!(names, wanted);
    prop_assert_eq!(&read["decision"], &report.decision);
    let (told, journal) = prose(&step_summary(&report));
    let (expected, _) = prose(&step_summary(&plain));
    prop_assert_eq!(marks(&told), marks(&expected), "{}", told);
    prop_assert!(
        journal.lines().all(|line| line.starts_with('{')),
        "{journal}"
    );
    prop_assert_eq!(journal.contains('\r'), false);
    for link in ["http://", "https://", "www."] {
        prop_assert!(!told.contains(link), "{told}");
    }
    Ok(())
}

const ODD: [&str; 12] = [
    "\n::error::gotcha",
    "\r::add-mask::edge",
    "##[error]gotcha",
    "%0A::set-output name=to::hub",
    "end\nto<<x\n198.51.100.99\nx",
    "| | |\n|---|---|\n| x |",
    "````\n</details><script>",
    "`code` **bold** <img src=x> &amp; [x](https://example.net)",
    "@example #1 www.example.net $x$",
    "\u{2028}\u{85}\u{1b}[31m",
    "EOF\nEOF",
    "\\| \\` \\\\",
];

#[test]
fn hostile_texts_start_nothing() {
    for odd in ODD {
        for number in 0..6 {
            check(odd, number).unwrap();
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn no_text_starts_anything(
        parts in prop::collection::vec(prop_oneof![
            prop::sample::select(ODD.to_vec()).prop_map(str::to_owned),
            "[\\PC\r\n:|`<>#\\[\\]&*_\\\\%]{0,8}",
        ], 0..4),
        number in 0usize..6,
    ) {
        check(&parts.concat(), number)?;
    }
}

#[test]
fn a_journal_that_is_too_long_is_cut_and_that_is_said() {
    let row = scenario("B01");
    let ended = performed(&row, Mishap::default());
    let mut told = report(&row, &ended);
    let lines = 20_000;
    told.lines = vec!["{\"at\":0,\"event\":\"woke\"}".to_owned(); lines];
    let summary = step_summary(&told);
    assert!(summary.len() < 512 * 1024, "{}", summary.len());
    assert!(summary.contains("more lines are too long for a summary"));
    let (_, journal) = prose(&summary);
    assert!(journal.lines().count() < lines);
}

#[test]
fn every_scenario_is_told_without_a_gap() {
    for row in scenarios() {
        let (Ok(topology), true) = (&row.topology, row.parallel < 2 && !row.crashes) else {
            continue;
        };
        let ended = performed(&row, Mishap::default());
        let told = report(&row, &ended);
        let outcome = ended.outcome.unwrap();
        assert_eq!(told.decision, outcome.decision(topology));
        assert_eq!(
            told.to.is_some(),
            !ended.batches.is_empty() || told.batch.is_some()
        );
        assert_eq!(told.rows, Timeline::rows(topology, &ended.story));
        assert!(told.phases.total.is_some(), "{}", row.id);
        assert_eq!(told.lines.join("\n") + "\n", ended.journal, "{}", row.id);
        let moved = matches!(outcome, Outcome::Moved(_));
        assert_eq!(
            told.phases.write.is_some(),
            moved || !ended.batches.is_empty()
        );
        // Whoever must know is told so first.
        let commands = text(|out| annotations(&told, out));
        assert_eq!(
            commands.starts_with("::error") || commands.starts_with("::notice"),
            told.notify
        );
    }
}

#[test]
fn a_summary_stays_within_what_github_takes_whatever_others_say() {
    let row = scenario("B01");
    let ended = performed(&row, Mishap::default());
    let topology = row.topology.as_ref().unwrap();
    let long = "[*".repeat(1 << 20);
    let fault = Fault::answered("Throttling", Some(400), &long);
    let mut story = ended.story;
    for at in 0..2000 {
        let at = Moment::from_millis(at);
        let said = format!("{} {long}", at.millis())
            .chars()
            .take(5000)
            .collect();
        let set = Note::Lags(said);
        story.push(Entry::Effect(at, Effect::Note(set)));
    }
    story.push(Entry::Effect(
        Moment::default(),
        Effect::Note(Note::OldCredentials(fault.clone())),
    ));
    for outcome in [
        Outcome::WriteFailed(fault),
        Outcome::Refused(Refusal::Pin(long.clone())),
        Outcome::Refused(Refusal::Foreign(0, Foreign::Address(long))),
    ] {
        let told = RunReport::of(&spec(), topology, &story, &outcome);
        let summary = step_summary(&told);
        assert!(summary.len() < 1 << 20, "{}", summary.len());
        assert!(summary.contains("cut; "), "it says that it was cut");
        assert!(told.why.len() < 4000, "{}", told.why.len());
        assert!(outputs(&told).len() < 10_000);
    }
}
