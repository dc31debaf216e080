//! Whatever happens to a run, in whatever order: it never panics, breaks no law, and ends.

use std::time::Duration;

use pointsman::failover::invariants::{MOST_STEPS, Watch};
use pointsman::failover::{
    Answer, ChangeStatus, Effect, Event, Fault, Happened, Moment, NoAnswer, Order, RecordSet,
    ServerAnswer, State, Topology, step,
};
use pointsman::model::dns::RecordType;
use proptest::prelude::*;

use crate::run_automaton::topology;

fn record_set() -> impl Strategy<Value = RecordSet> {
    let name = prop::sample::select(vec![
        "example.com.",
        "\\052.example.com.",
        "*.example.com",
        "www.example.com.",
        "\\0",
        "",
    ]);
    let value = prop::sample::select(vec![
        "203.0.113.10",
        "203.0.113.11",
        "203.0.113.12",
        "192.0.2.66",
        "2001:db8::10",
        "",
        "no address",
    ]);
    let kind = prop::sample::select(vec!["A", "AAAA", "TXT"]);
    let rare = || prop::option::weighted(0.05, Just("x".to_owned()));
    let values = prop::collection::vec(value.prop_map(str::to_owned), 0..3);
    (
        name,
        kind,
        prop::option::of(any::<u32>()),
        values,
        rare(),
        rare(),
    )
        .prop_map(
            |(name, kind, ttl, values, alias, set_identifier)| RecordSet {
                name: name.to_owned(),
                kind: kind.to_owned(),
                ttl,
                values,
                alias,
                set_identifier,
            },
        )
}

fn answer() -> impl Strategy<Value = Answer> {
    prop_oneof![
        6 => Just(Answer::status(200)),
        1 => any::<u16>().prop_map(Answer::status),
        1 => prop::sample::select(vec!["edge", "hub", "elsewhere"]).prop_map(|site| Answer::Status {
            code: 200,
            site: Some(site.to_owned()),
        }),
        2 => prop::sample::select(NoAnswer::WORDS.to_vec()).prop_map(|(why, _)| Answer::None(why)),
    ]
}

fn fault() -> impl Strategy<Value = Fault> {
    let code = prop::sample::select(vec![
        "Throttling",
        "PriorRequestNotComplete",
        "ServiceUnavailable",
        "AccessDenied",
        "NoSuchHostedZone",
        "NoSuchChange",
        "InvalidChangeBatch",
        "ExpiredToken",
        "",
    ]);
    prop_oneof![
        4 => (code, prop::option::of(200_u16..600))
            .prop_map(|(code, http)| Fault::answered(code, http, "")),
        1 => Just(Fault::lost("")),
    ]
}

/// A number that chooses, sets of records, answers, a fault: enough to answer anything.
type Material = (u8, u64, Vec<RecordSet>, Vec<Answer>, Fault);

fn material() -> impl Strategy<Value = Material> {
    (
        any::<u8>(),
        prop_oneof![Just(0), 0_u64..40_000, any::<u64>()],
        prop::collection::vec(record_set(), 0..5),
        prop::collection::vec(answer(), 0..4),
        fault(),
    )
}

fn order(pin: u8, dry_run: bool, jitter: u64) -> Order {
    let pins = [
        None,
        None,
        None,
        Some(""),
        Some("hub"),
        Some("edge"),
        Some("HUB"),
    ];
    Order {
        pin: pins[usize::from(pin) % pins.len()].map(str::to_owned),
        dry_run,
        jitter,
    }
}

/// Anything at all.
fn anything((choice, number, sets, answers, fault): &Material) -> Happened {
    match choice % 13 {
        0 => Happened::Started(order(*choice, number % 5 == 0, *number)),
        1 => Happened::TokenFetched,
        2 => Happened::RoleAssumed {
            lives: (number % 2 == 0).then(|| Duration::from_millis(*number)),
        },
        3 => Happened::Records(sets.clone()),
        4 => Happened::Answered(answers.clone()),
        5 => Happened::Woke,
        6 => Happened::Accepted("C1".to_owned()),
        7 => Happened::Late,
        8 => Happened::Change(ChangeStatus::InSync),
        9 => Happened::Change(ChangeStatus::Pending),
        10 => Happened::Servers(Vec::new()),
        11 => Happened::Failed(fault.clone()),
        _ => Happened::Cancelled,
    }
}

/// An answer of the kind that `effect` wants.
fn fitting(topology: &Topology, effect: &Effect, material: &Material) -> Happened {
    let (choice, number, sets, answers, fault) = material;
    let good = sets_at(topology, usize::from(*choice) % 3);
    match effect {
        _ if choice % 16 == 15 && !matches!(effect, Effect::Wait(_) | Effect::Ask(_)) => {
            Happened::Failed(fault.clone())
        }
        Effect::FetchToken => Happened::TokenFetched,
        Effect::AssumeRole => Happened::RoleAssumed {
            lives: Some(Duration::from_millis(*number)),
        },
        Effect::ReadRecords(_) if choice % 8 == 7 => Happened::Records(sets.clone()),
        Effect::ReadRecords(_) => Happened::Records(good),
        Effect::Ask(ask) => {
            let count = ask.requests(topology).len();
            let usual = Answer::status(200);
            let all = answers
                .iter()
                .cycle()
                .take(if choice % 2 == 0 { 0 } else { count });
            let mut all: Vec<Answer> = all.cloned().collect();
            all.resize(count, usual);
            Happened::Answered(all)
        }
        Effect::Wait(_) => Happened::Woke,
        Effect::Write(..) if choice % 8 == 7 => Happened::Late,
        Effect::Write(..) => Happened::Accepted("C1".to_owned()),
        Effect::AskChange(_) if choice % 2 == 0 => Happened::Change(ChangeStatus::Pending),
        Effect::AskChange(_) => Happened::Change(ChangeStatus::InSync),
        Effect::AskServers => Happened::Servers(vec![ServerAnswer {
            server: "ns-1.example.net".to_owned(),
            values: Some(good.into_iter().map(|set| set.values).collect()),
        }]),
        Effect::Note(_) | Effect::Finish(_) => Happened::Cancelled,
    }
}

fn sets_at(topology: &Topology, number: usize) -> Vec<RecordSet> {
    let site = topology.ids().nth(number % topology.sites().len());
    let records = topology.records().iter();
    let set = records.map(|record| RecordSet {
        name: record.name.route53(),
        kind: record.kind.word().to_owned(),
        ttl: Some(60),
        values: site
            .and_then(|site| topology.address(site, record.kind))
            .map(|address| address.to_string())
            .into_iter()
            .collect(),
        alias: None,
        set_identifier: None,
    });
    set.collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn any_events_in_any_order_break_no_law(
        events in prop::collection::vec(material(), 1..40),
        three in any::<bool>(),
    ) {
        let types = [RecordType::A, RecordType::Aaaa];
        let topology = topology(if three { 3 } else { 2 }, &types[..1 + usize::from(three)], 3, 2);
        let (mut state, mut watch) = (State::new(), Watch::default());
        for material in &events {
            let what = anything(material);
            let event = Event { at: Moment::from_millis(material.1), what };
            let (next, effects) = step(&topology, state, event.clone());
            prop_assert_eq!(watch.sees(&topology, &event, &effects), vec![], "{:?}", event);
            state = next;
        }
    }

    #[test]
    fn whatever_is_answered_the_run_ends(
        answers in prop::collection::vec(material(), 1..60),
        pin in any::<u8>(),
        dry_run in prop::bool::weighted(0.1),
        jitter in any::<u64>(),
        stands_still in any::<bool>(),
    ) {
        let topology = topology(2, &[RecordType::A], 10, 3);
        let (mut state, mut watch) = (State::new(), Watch::default());
        let mut event = Event {
            at: Moment::default(),
            what: Happened::Started(order(pin, dry_run, jitter)),
        };
        let mut steps = 0;
        for material in answers.iter().cycle() {
            let (next, effects) = step(&topology, state, event.clone());
            prop_assert_eq!(watch.sees(&topology, &event, &effects), vec![], "{:?}", event);
            state = next;
            steps += 1;
            prop_assert!(steps < MOST_STEPS);
            let Some(effect) = effects.iter().find(|effect| effect.is_answered()) else {
                break;
            };
            let takes = if stands_still { 0 } else { material.1.min(20_000) };
            let mut at = state.now().after(Duration::from_millis(takes));
            if let Effect::Wait(until) = effect {
                at = at.max(*until);
            }
            event = Event { at, what: fitting(&topology, effect, material) };
        }
        prop_assert!(state.outcome().is_some());
    }
}
