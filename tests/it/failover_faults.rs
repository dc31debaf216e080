//! What a run says and does when others fail for long: the token endpoint in the ten-probe window, the name servers after the
//! change, a write that is never accepted. Driven over `step` with a clock of its own.
#![expect(
    clippy::wildcard_enum_match_arm,
    clippy::type_complexity,
    clippy::unnecessary_lazy_evaluations,
    reason = "a test looks for one effect among all"
)]

use std::time::Duration;

use pointsman::failover::{
    Answer, ChangeStatus, Effect, Event, Fault, FaultKind, Happened, Moment, Note, Order, Outcome,
    RecordSet, ServerAnswer, State, Topology, step,
};
use pointsman::model::spec::Spec;
use pointsman::text::SourceMap;

const EDGE: &str = "198.51.100.10";
const HUB: &str = "203.0.113.20";

fn topology() -> Topology {
    let mut sources = SourceMap::default();
    let text = include_str!("../../pointsman.toml").replace("[records]", "[records]\n");
    let file = sources.add("pointsman.toml", text);
    Topology::of(&Spec::read(&sources.text(file).unwrap()).unwrap()).unwrap()
}

fn sets(value: &str) -> Vec<RecordSet> {
    let set = |name: &str| RecordSet {
        name: name.to_owned(),
        kind: "A".to_owned(),
        ttl: Some(300),
        values: vec![value.to_owned()],
        alias: None,
        set_identifier: None,
    };
    vec![set("example.com."), set("\\052.example.com.")]
}

fn busy() -> Happened {
    Happened::Failed(Fault::answered("Throttling", Some(400), "Rate exceeded"))
}

/// A world in which home answers or does not, with one oddity.
struct World {
    topology: Topology,
    at: &'static str,
    home: bool,
    /// Answers an effect otherwise, after so long.
    odd: Box<dyn FnMut(&Effect, Moment) -> Option<(Duration, Happened)>>,
}

impl World {
    /// Runs to the end; gives how it ended, and all effects with their moments.
    fn run(mut self) -> (Outcome, Vec<(Moment, Effect)>) {
        let order = Order {
            pin: None,
            dry_run: false,
            jitter: 7,
        };
        let (mut now, mut state) = (Moment::default(), State::new());
        let mut what = Happened::Started(order);
        let mut all = Vec::new();
        loop {
            let (next, effects) = step(&self.topology, state, Event { at: now, what });
            state = next;
            all.extend(effects.iter().cloned().map(|effect| (now, effect)));
            if let Some(outcome) = state.outcome() {
                return (outcome.clone(), all);
            }
            let wanted = effects.into_iter().find(Effect::is_answered).unwrap();
            let odd = (self.odd)(&wanted, now);
            let (took, answer) = odd.unwrap_or_else(|| (Duration::ZERO, self.answer(&wanted)));
            if let Effect::Wait(until) = wanted {
                now = now.max(until);
            }
            now = now.after(took);
            what = answer;
        }
    }

    fn answer(&mut self, effect: &Effect) -> Happened {
        match effect {
            Effect::FetchToken => Happened::TokenFetched,
            Effect::AssumeRole => Happened::RoleAssumed {
                lives: Some(Duration::from_secs(3600)),
            },
            Effect::ReadRecords(_) => Happened::Records(sets(self.at)),
            Effect::Ask(ask) => {
                let requests = ask.requests(&self.topology);
                let edge: std::net::IpAddr = EDGE.parse().unwrap();
                let answer = |address| {
                    let well = self.home || address != Some(edge);
                    Answer::status(if well { 200 } else { 502 })
                };
                Happened::Answered(requests.iter().map(|one| answer(one.address)).collect())
            }
            Effect::Write(batch, _) => {
                let home = batch.to() == pointsman::failover::SiteId::HOME;
                self.at = if home { EDGE } else { HUB };
                Happened::Accepted("C1".to_owned())
            }
            Effect::AskChange(_) => Happened::Change(ChangeStatus::InSync),
            Effect::AskServers => Happened::Servers(vec![server("ns-1", Some(self.at))]),
            Effect::Wait(_) | Effect::Note(_) | Effect::Finish(_) => Happened::Woke,
        }
    }
}

fn server(name: &str, value: Option<&str>) -> ServerAnswer {
    ServerAnswer {
        server: name.to_owned(),
        values: value.map(|value| vec![vec![value.to_owned()]; 2]),
    }
}

fn world(
    at: &'static str,
    home: bool,
    odd: impl FnMut(&Effect, Moment) -> Option<(Duration, Happened)> + 'static,
) -> World {
    World {
        topology: topology(),
        at,
        home,
        odd: Box::new(odd),
    }
}

fn notes(effects: &[(Moment, Effect)]) -> Vec<&Note> {
    let note = |(_, effect): &'_ (Moment, Effect)| matches!(effect, Effect::Note(_));
    let found = effects.iter().filter(|one| note(one));
    found
        .filter_map(|(_, effect)| match effect {
            Effect::Note(note) => Some(note),
            _ => None,
        })
        .collect()
}

#[test]
fn a_token_endpoint_that_is_down_in_the_window_leaves_time_for_the_old_credentials() {
    for slow in [0, 10] {
        let down = move |effect: &Effect, now: Moment| {
            let late = now > Moment::from_millis(100_000);
            (*effect == Effect::FetchToken && late).then(|| {
                let fault = Fault::answered("ServiceUnavailable", Some(503), "");
                (Duration::from_secs(slow), Happened::Failed(fault))
            })
        };
        let (outcome, effects) = world(HUB, true, down).run();
        assert!(matches!(outcome, Outcome::Moved(_)), "{outcome:?}");
        let old = |note: &&Note| matches!(note, Note::OldCredentials(_));
        assert!(notes(&effects).iter().any(old));
        let again = |note: &&Note| matches!(note, Note::DecidesAgain);
        assert!(!notes(&effects).iter().any(again), "the evidence held");
    }
}

#[test]
fn credentials_that_no_longer_live_are_renewed_for_as_long_as_reading_may_take() {
    let mut first = true;
    let short = move |effect: &Effect, now: Moment| match effect {
        Effect::AssumeRole if std::mem::take(&mut first) => {
            let lives = Some(Duration::from_secs(280));
            Some((Duration::ZERO, Happened::RoleAssumed { lives }))
        }
        Effect::FetchToken if (200_000..310_000).contains(&now.millis()) => {
            Some((Duration::ZERO, busy()))
        }
        _ => None,
    };
    let (outcome, _) = world(HUB, true, short).run();
    assert!(matches!(outcome, Outcome::Moved(_)), "{outcome:?}");
}

#[test]
fn name_servers_that_cannot_be_asked_are_asked_again_and_then_told() {
    let throttled = |effect: &Effect, _| {
        (*effect == Effect::AskServers).then(|| (Duration::from_secs(1), busy()))
    };
    let (outcome, effects) = world(EDGE, false, throttled).run();
    assert!(matches!(outcome, Outcome::Moved(_)), "{outcome:?}");
    let asked = effects.iter().filter(|(_, one)| *one == Effect::AskServers);
    assert!(asked.count() > 2);
    let topology = topology();
    let told = notes(&effects).into_iter().filter(|note| note.is_warning());
    let told: Vec<String> = told.map(|note| note.describe(&topology)).collect();
    assert_eq!(
        told,
        [
            "the name servers could not be asked: `Throttling` (Rate exceeded); whether they show the change is not known"
        ]
    );
    // Once is no reason to warn.
    let mut first = true;
    let once = move |effect: &Effect, _| {
        let now = *effect == Effect::AskServers && std::mem::take(&mut first);
        now.then(|| (Duration::ZERO, busy()))
    };
    let (_, effects) = world(EDGE, false, once).run();
    assert!(!notes(&effects).iter().any(|note| note.is_warning()));
}

#[test]
fn a_server_without_an_answer_is_not_called_late() {
    let silent = |effect: &Effect, _| {
        let servers = vec![
            server("ns-1", None),
            server("ns-2", Some(EDGE)),
            server("ns-3", Some(HUB)),
        ];
        (*effect == Effect::AskServers).then(|| (Duration::ZERO, Happened::Servers(servers)))
    };
    let (outcome, effects) = world(EDGE, false, silent).run();
    assert!(matches!(outcome, Outcome::Moved(_)), "{outcome:?}");
    let told = notes(&effects);
    assert!(told.contains(&&Note::Silent("ns-1".to_owned())));
    assert!(told.contains(&&Note::Lags("ns-2".to_owned())));
    assert_eq!(told.iter().filter(|note| note.is_warning()).count(), 2);
}

#[test]
fn without_get_change_and_without_name_servers_nothing_is_confirmed() {
    let blind = |effect: &Effect, _| match effect {
        Effect::AskChange(_) | Effect::AskServers => {
            let fault = Fault::answered("AccessDenied", Some(403), "");
            Some((Duration::ZERO, Happened::Failed(fault)))
        }
        _ => None,
    };
    let (outcome, effects) = world(EDGE, false, blind).run();
    assert_eq!(outcome.status(), 6, "{outcome:?}");
    let unasked = |note: &&Note| matches!(note, Note::Unasked(_));
    assert!(notes(&effects).iter().any(unasked));
}

#[test]
fn a_write_that_is_never_accepted_names_what_it_met() {
    for took in [0, 7] {
        let busy = move |effect: &Effect, _| {
            matches!(effect, Effect::Write(..)).then(|| (Duration::from_secs(took), busy()))
        };
        let (outcome, _) = world(EDGE, false, busy).run();
        assert!(matches!(outcome, Outcome::WriteFailed(_)), "{outcome:?}");
        assert_eq!(
            outcome.describe(&topology()),
            "the change was not accepted while it could be sent: `Throttling` (Rate exceeded)"
        );
    }
}

#[test]
fn every_reading_has_an_end() {
    let (_, effects) = world(EDGE, false, |_, _| None).run();
    let mut readings = 0;
    for (at, effect) in &effects {
        if let Effect::ReadRecords(until) = effect {
            let within = until.since(*at);
            assert!(within >= Duration::from_secs(20) && within <= Duration::from_secs(60));
            readings += 1;
        }
    }
    assert_eq!(readings, 3);
}

#[test]
fn what_breaks_a_run_is_its_last_event() {
    let fault = Fault {
        kind: FaultKind::Rejected,
        code: "ProgramFault".to_owned(),
        message: "x".to_owned(),
    };
    for (sent, status) in [(false, 3), (true, 6)] {
        let broken = Happened::Broken(fault.clone());
        let breaks = move |effect: &Effect, _| {
            let here = match effect {
                Effect::ReadRecords(_) => !sent,
                Effect::AskChange(_) => sent,
                _ => false,
            };
            here.then(|| (Duration::ZERO, broken.clone()))
        };
        let (outcome, _) = world(EDGE, false, breaks).run();
        assert_eq!(outcome.status(), status, "{outcome:?}");
        assert!(outcome.notifies());
        assert!(outcome.describe(&topology()).contains("`ProgramFault` (x)"));
    }
}
