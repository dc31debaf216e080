//! The executor's shell over the scripted world of the decision scenarios: the same loop that runs at night, with its ports
//! answered on a virtual clock. It is killed, cancelled and robbed of its journal at every effect.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::rc::Rc;
use std::time::Duration;

use pointsman::execution::{Onlooker, Record};
use pointsman::execution::{Outside, run};
use pointsman::failover::journal::{Entry, replay};
use pointsman::failover::rehearse::{self, Anchor, Asked, Change, Reply, Scenario, World};
use pointsman::failover::{
    Answer, ChangeStatus, Fault, Happened, Moment, NoAnswer, Outcome, ProbeRules, RecordSet,
    Request, ServerAnswer, Topology, Upsert,
};
use pointsman::ports::{
    AuthoritativeServers, Cancelled, Clock, FileFault, Identity, JournalSink, Prober, Stop, Zone,
};

const FILE: &str = include_str!("data/executor_scenarios.json");
const SITES: &str = include_str!("data/executor_sites.json");

pub(crate) fn scenarios() -> Vec<Scenario> {
    let files = [FILE, SITES].map(|file| rehearse::read(file.as_bytes()).unwrap().rows);
    files.into_iter().flatten().map(Result::unwrap).collect()
}

/// What is done to a run, counted in effects that the outside performs.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Mishap {
    /// The process dies before this effect.
    killed_before: Option<usize>,
    /// It dies after it, and never hears the answer.
    killed_after: Option<usize>,
    /// SIGTERM while this effect is waited for.
    cancelled: Option<usize>,
    /// From this line on the journal cannot be written.
    journal_from: Option<usize>,
    /// Until this line.
    journal_until: Option<usize>,
    /// The death is a panic that the program catches.
    caught: bool,
}

/// The panic that stands for a kill.
struct Killed;

struct Stage<'a> {
    world: World<'a>,
    scenario: &'a Scenario,
    topology: &'a Topology,
    now: Moment,
    asked: Asked,
    reads: usize,
    lost_time: bool,
    effects: usize,
    mishap: Mishap,
    lines: usize,
    journal: String,
    missed: usize,
    comments: Vec<String>,
}

type Shared<'a> = Rc<RefCell<Stage<'a>>>;

/// One port of the stage.
struct Port<'a>(Shared<'a>);

impl<'a> Port<'a> {
    /// Performs one effect, unless the process dies or is told to end.
    fn perform(&self, act: impl FnOnce(&mut Stage<'a>) -> Happened) -> Result<Happened, Stop> {
        let mut stage = self.0.borrow_mut();
        let number = stage.effects;
        stage.effects += 1;
        if stage.mishap.killed_before == Some(number) {
            drop(stage);
            resume_unwind(Box::new(Killed));
        }
        let happened = act(&mut stage);
        if stage.mishap.killed_after == Some(number) {
            drop(stage);
            resume_unwind(Box::new(Killed));
        }
        let cancelled = stage.mishap.cancelled == Some(number);
        if let Happened::Failed(fault) = happened {
            Err(Stop::Failed(fault))
        } else if cancelled || happened == Happened::Cancelled {
            Err(Stop::Cancelled)
        } else {
            Ok(happened)
        }
    }
}

fn odd(happened: &Happened) -> Stop {
    Stop::Failed(Fault::lost(&format!("{happened:?}")))
}

impl Clock for Port<'_> {
    fn now(&self) -> Moment {
        self.0.borrow().now
    }

    fn wall_millis(&self) -> u64 {
        0
    }

    fn wait(&mut self, until: Moment) -> Result<(), Cancelled> {
        let waited = self.perform(|stage| {
            stage.now = stage.now.max(until);
            Happened::Woke
        });
        waited.map(|_| ()).map_err(|_stop| Cancelled)
    }
}

impl Identity for Port<'_> {
    fn fetch_token(&mut self) -> Result<(), Stop> {
        self.perform(|stage| {
            let now = stage.now;
            stage.world.plain("oidc_token", now, Happened::TokenFetched)
        })?;
        Ok(())
    }

    fn assume_role(&mut self) -> Result<Option<Duration>, Stop> {
        let lives = Some(Duration::from_secs(3600));
        self.perform(|stage| {
            let now = stage.now;
            let well = Happened::RoleAssumed { lives };
            stage.world.plain("AssumeRoleWithWebIdentity", now, well)
        })?;
        Ok(lives)
    }
}

impl Zone for Port<'_> {
    fn list(
        &mut self,
        _: &[pointsman::failover::Record],
        _: Duration,
    ) -> Result<Vec<RecordSet>, Stop> {
        let listed = self.perform(|stage| {
            let (now, again) = (stage.now, stage.reads > 0);
            let answer = stage.world.list(now, again);
            stage.reads += usize::from(matches!(answer, Happened::Records(_)));
            answer
        })?;
        if let Happened::Records(sets) = listed {
            Ok(sets)
        } else {
            Err(odd(&listed))
        }
    }

    fn change(
        &mut self,
        upserts: &[Upsert<'_>],
        comment: &str,
        within: Duration,
    ) -> Result<String, Stop> {
        assert!(within <= Duration::from_secs(60));
        let changed = self.perform(|stage| {
            stage.comments.push(comment.to_owned());
            let now = stage.now;
            stage.world.write(now, upserts)
        })?;
        if let Happened::Accepted(change) = changed {
            Ok(change)
        } else {
            Err(odd(&changed))
        }
    }

    fn change_status(&mut self, _: &str) -> Result<ChangeStatus, Stop> {
        let status = self.perform(|stage| {
            let now = stage.now;
            stage.world.change(now)
        })?;
        if let Happened::Change(status) = status {
            Ok(status)
        } else {
            Err(odd(&status))
        }
    }
}

impl Prober for Port<'_> {
    fn ask(
        &mut self,
        requests: &[Request<'_>],
        rules: ProbeRules,
    ) -> Result<Vec<Answer>, Cancelled> {
        let answered = self.perform(|stage| {
            let mut answers = Vec::new();
            let mut longest = Duration::ZERO;
            for request in requests {
                let Reply::Answer(answer) = stage.reply(request) else {
                    return Happened::Cancelled;
                };
                if matches!(answer, Answer::None(NoAnswer::Timeout | NoAnswer::SlowBody)) {
                    longest = rules.timeout;
                }
                answers.push(answer);
            }
            stage.now = stage.now.after(longest);
            Happened::Answered(answers)
        });
        match answered {
            Ok(Happened::Answered(answers)) => Ok(answers),
            _ => Err(Cancelled),
        }
    }
}

impl AuthoritativeServers for Port<'_> {
    fn ask(&mut self, _: &[pointsman::failover::Record]) -> Result<Vec<ServerAnswer>, Stop> {
        let servers = self.perform(|stage| {
            let now = stage.now;
            stage.world.servers(now)
        })?;
        if let Happened::Servers(servers) = servers {
            Ok(servers)
        } else {
            Err(odd(&servers))
        }
    }
}

impl JournalSink for Port<'_> {
    fn append(&mut self, line: &str) -> Result<(), FileFault> {
        let mut stage = self.0.borrow_mut();
        let number = stage.lines;
        stage.lines += 1;
        let from = stage.mishap.journal_from.unwrap_or(usize::MAX);
        let until = stage.mishap.journal_until.unwrap_or(usize::MAX);
        if number >= from && number < until {
            return Err(FileFault {
                path: "run.jsonl".to_owned(),
                reason: "no space left on device".to_owned(),
                missing: false,
            });
        }
        stage.journal.push_str(line);
        stage.journal.push('\n');
        // A slow disk is where a run loses time between its decision and its write.
        if line.contains("\"effect\":\"write\"") && !stage.lost_time {
            stage.lost_time = true;
            let lost = Duration::from_secs(stage.scenario.lost_seconds);
            stage.now = stage.now.after(lost);
        }
        Ok(())
    }
}

impl Onlooker for Port<'_> {
    fn sees(&mut self, _: &Entry) {}

    fn misses_journal(&mut self, _: &FileFault) {
        self.0.borrow_mut().missed += 1;
    }
}

impl Stage<'_> {
    fn reply(&mut self, request: &Request<'_>) -> Reply {
        let site = request
            .address
            .and_then(|address| self.topology.site_of(address));
        let Some(site) = site.and_then(|site| self.topology.site(site)) else {
            return self.asked.next(self.scenario, "");
        };
        if site.hosts().first() == Some(request.host) {
            return self.asked.next(self.scenario, site.name());
        }
        let key = (site.name().to_owned(), request.host.clone());
        let reply = self.scenario.hosts.get(&key).cloned();
        reply.unwrap_or(Reply::Answer(Answer::status(200)))
    }
}

/// What came of one run of the shell.
pub(crate) struct Ended {
    /// How it ended; none for a process that was killed.
    pub(crate) outcome: Option<Outcome>,
    pub(crate) batches: Vec<Vec<Change>>,
    pub(crate) zone: Vec<RecordSet>,
    pub(crate) journal: String,
    pub(crate) story: Vec<Entry>,
    journal_fault: Option<FileFault>,
    missed: usize,
    effects: usize,
    comments: Vec<String>,
}

fn perform(scenario: &Scenario, zone: Vec<RecordSet>, anchor: Anchor, mishap: Mishap) -> Ended {
    let topology = scenario.topology.as_ref().unwrap();
    let stage = Rc::new(RefCell::new(Stage {
        world: World::new(scenario, topology, zone, anchor),
        scenario,
        topology,
        now: Moment::default(),
        asked: Asked::default(),
        reads: 0,
        lost_time: false,
        effects: 0,
        mishap,
        lines: 0,
        journal: String::new(),
        missed: 0,
        comments: Vec::new(),
    }));
    let port = || Port(Rc::clone(&stage));
    let (mut sink, mut onlooker) = (port(), port());
    let (mut clock, mut identity, mut zone, mut prober, mut servers) =
        (port(), port(), port(), port(), port());
    let mut outside = Outside {
        clock: &mut clock,
        identity: &mut identity,
        zone: &mut zone,
        prober: &mut prober,
        servers: &mut servers,
    };
    let mut record = Record::begun(topology, &mut sink, &mut onlooker);
    let order = scenario.order.clone();
    let ran = catch_unwind(AssertUnwindSafe(|| {
        run(topology, order.clone(), "77/1", &mut outside, &mut record)
    }));
    let outcome = match ran {
        Ok(outcome) => Some(outcome),
        Err(cause) if cause.is::<Killed>() => mishap
            .caught
            .then(|| record.broken(&order, Fault::lost("a panic"))),
        Err(cause) => resume_unwind(cause),
    };
    let (story, journal_fault) = record.ended();
    let stage = stage.borrow();
    Ended {
        outcome,
        batches: stage.world.batches().to_vec(),
        zone: stage.world.zone().to_vec(),
        journal: stage.journal.clone(),
        story,
        journal_fault,
        missed: stage.missed,
        effects: stage.effects,
        comments: stage.comments.clone(),
    }
}

/// Runs the shell through a scenario. A fault that lasts for a time begins with the first write; if there is none, with the
/// start.
pub(crate) fn performed(scenario: &Scenario, mishap: Mishap) -> Ended {
    let first = perform(scenario, scenario.zone.clone(), Anchor::FirstWrite, mishap);
    if first.batches.is_empty() {
        perform(scenario, scenario.zone.clone(), Anchor::Start, mishap)
    } else {
        first
    }
}

/// Scenarios whose configuration is one, with a single run.
fn single() -> impl Iterator<Item = Scenario> {
    let all = scenarios().into_iter();
    all.filter(|scenario| scenario.topology.is_ok() && scenario.parallel < 2)
}

#[test]
fn the_shell_comes_to_the_same_as_the_rehearsal_of_every_scenario() {
    let mut compared = 0;
    for scenario in single().filter(|scenario| !scenario.crashes) {
        let id = &scenario.id;
        let topology = scenario.topology.as_ref().unwrap();
        let rehearsed = rehearse::run(&scenario);
        let ended = performed(&scenario, Mishap::default());
        let outcome = ended.outcome.unwrap();
        assert_eq!(outcome.decision(topology), rehearsed.decision, "{id}");
        assert_eq!(outcome.status(), rehearsed.status, "{id}");
        assert_eq!(outcome.notifies(), rehearsed.notify, "{id}");
        assert_eq!(ended.batches, rehearsed.batches, "{id}");
        assert_eq!(ended.missed, 0, "{id}");
        // Byte for byte, also the moments; only where time was lost the two clocks lose it at another place.
        if scenario.lost_seconds == 0 {
            assert_eq!(ended.journal, rehearsed.journal(&scenario), "{id}");
        }
        let played = replay(&ended.journal).unwrap();
        assert!(
            played.difference.is_none() && played.finished,
            "{id}: {played:?}"
        );
        compared += 1;
    }
    assert!(compared >= 60, "{compared}");
}

#[test]
fn parallel_runs_send_one_batch_and_a_crash_leaves_it_to_the_next_run() {
    for scenario in scenarios().iter().filter(|scenario| scenario.parallel > 1) {
        let expected = scenario.expected.as_ref().unwrap();
        let topology = scenario.topology.as_ref().unwrap();
        let ended = performed(scenario, Mishap::default());
        assert_eq!(ended.outcome.unwrap().decision(topology), expected.decision);
        let batches = serde_json::to_value(&ended.batches).unwrap();
        assert_eq!(batches, serde_json::Value::from(expected.batches.clone()));
    }
}

#[test]
fn the_comment_of_a_change_says_which_run_from_where_to_where_and_why() {
    let mut comments = std::collections::BTreeSet::new();
    for scenario in single() {
        comments.extend(performed(&scenario, Mishap::default()).comments);
    }
    let version = env!("CARGO_PKG_VERSION");
    for comment in &comments {
        assert!(comment.chars().count() <= 256, "{comment}");
        assert!(!comment.contains(char::is_control), "{comment}");
        assert!(
            comment.starts_with(&format!("pointsman {version} run 77/1: ")),
            "{comment}"
        );
    }
    let told =
        format!("pointsman {version} run 77/1: edge to hub, home does not answer, this site does");
    assert!(comments.contains(&told), "{comments:?}");
    assert!(comments.len() > 4, "{comments:?}");
}

#[test]
fn a_kill_at_any_effect_leaves_a_journal_that_replays_and_a_zone_that_the_next_run_heals() {
    let mut kills = 0;
    for scenario in single().filter(|scenario| !scenario.crashes) {
        let id = &scenario.id;
        let whole = perform(
            &scenario,
            scenario.zone.clone(),
            Anchor::FirstWrite,
            Mishap::default(),
        );
        let twice = perform(&scenario, whole.zone, Anchor::FirstWrite, Mishap::default());
        for effect in 0..whole.effects {
            for mishap in [
                Mishap {
                    killed_before: Some(effect),
                    ..Mishap::default()
                },
                Mishap {
                    killed_after: Some(effect),
                    ..Mishap::default()
                },
            ] {
                kills += 1;
                let zone = scenario.zone.clone();
                let dead = perform(&scenario, zone, Anchor::FirstWrite, mishap);
                assert!(dead.outcome.is_none(), "{id} {mishap:?}");
                let played = replay(&dead.journal).unwrap();
                assert_eq!(played.difference, None, "{id} {mishap:?}");
                assert!(!played.finished, "{id} {mishap:?}");
                // What it was about to do is the last thing that it says.
                let last = dead.journal.lines().last().unwrap();
                assert!(last.contains("\"effect\":"), "{id} {mishap:?}: {last}");
                let mut zone = dead.zone;
                for _ in 0..2 {
                    let next = perform(&scenario, zone, Anchor::FirstWrite, Mishap::default());
                    zone = next.zone;
                }
                assert_eq!(zone, twice.zone, "{id} {mishap:?}");
            }
        }
    }
    assert!(kills > 1000, "{kills}");
}

#[test]
fn a_panic_at_any_effect_ends_the_run_with_a_status_and_a_journal_that_says_so() {
    let (mut before, mut after) = (0, 0);
    for scenario in single().filter(|scenario| !scenario.crashes) {
        let whole = performed(&scenario, Mishap::default());
        for number in 0..whole.effects {
            let mishap = Mishap {
                killed_before: Some(number),
                caught: true,
                ..Mishap::default()
            };
            let ended = performed(&scenario, mishap);
            // A run that decides otherwise at another anchor of its faults may be over before.
            let Some(outcome) = ended.outcome else {
                continue;
            };
            let wrote = ended.journal.contains("\"effect\":\"write\"");
            let Some(last) = ended.journal.lines().rev().nth(1) else {
                continue;
            };
            if !last.contains("\"event\":\"broken\"") {
                continue;
            }
            let id = &scenario.id;
            if wrote {
                after += usize::from(outcome.status() == 6);
            } else {
                assert_eq!(outcome.status(), 3, "{id} {number}");
                before += 1;
            }
            assert!(outcome.notifies(), "{id} {number}");
            let played = replay(&ended.journal).unwrap();
            let same = played.difference.is_none() && played.finished;
            assert!(same, "{id} {number}: {played:?}");
        }
    }
    assert!(before > 100 && after > 20, "{before} {after}");
}

#[test]
fn a_run_that_is_cancelled_at_any_effect_ends_with_status_3_and_says_where_it_stood() {
    for scenario in single().filter(|scenario| !scenario.crashes) {
        let topology = scenario.topology.as_ref().unwrap();
        let whole = performed(&scenario, Mishap::default());
        for effect in 0..whole.effects {
            let cancelled = Some(effect);
            let mishap = Mishap {
                cancelled,
                ..Mishap::default()
            };
            let ended = performed(&scenario, mishap);
            let id = format!("{} at effect {effect}", scenario.id);
            let outcome = ended.outcome.unwrap();
            // A call that fails at that moment is heard first; the signal comes with the next one, if there is a next one.
            if matches!(outcome, Outcome::Cancelled { .. }) {
                assert_eq!(outcome.status(), 3, "{id}");
                assert!(!outcome.notifies(), "{id}");
                let sent = outcome.decision(topology) == "UNKNOWN_OUTCOME";
                assert_eq!(sent, !ended.batches.is_empty(), "{id}");
                let last = ended.journal.lines().last().unwrap();
                assert!(last.contains("\"effect\":\"finish\""), "{id}: {last}");
                assert!(last.contains("\"status\":3"), "{id}: {last}");
                assert!(ended.journal.contains("\"event\":\"cancelled\""), "{id}");
            } else {
                let failed = ended.journal.contains("\"event\":\"failed\"");
                assert!(failed, "{id}: {outcome:?}");
            }
            let played = replay(&ended.journal).unwrap();
            assert!(played.finished && played.difference.is_none(), "{id}");
        }
    }
}

#[test]
fn a_journal_that_breaks_at_any_line_stops_no_run_and_is_told_once() {
    for scenario in single().filter(|scenario| !scenario.crashes && scenario.lost_seconds == 0) {
        let whole = performed(&scenario, Mishap::default());
        let lines = whole.journal.lines().count();
        for line in 0..lines {
            let broken = Mishap {
                journal_from: Some(line),
                ..Mishap::default()
            };
            let ended = performed(&scenario, broken);
            let id = format!("{} at line {line}", scenario.id);
            assert_eq!(ended.outcome, whole.outcome, "{id}");
            assert_eq!(ended.batches, whole.batches, "{id}");
            assert_eq!(ended.missed, 1, "{id}");
            assert!(ended.journal_fault.is_some(), "{id}");
            assert!(whole.journal.starts_with(&ended.journal), "{id}");
            assert_eq!(ended.story, whole.story, "{id}");
            // A disk that is full for a moment costs nothing: the lines come later, in their order.
            let moment = Mishap {
                journal_from: Some(line),
                journal_until: Some(line + 2),
                ..Mishap::default()
            };
            let ended = performed(&scenario, moment);
            assert_eq!(ended.missed, 1, "{id}");
            if line + 3 < lines {
                assert_eq!(ended.journal, whole.journal, "{id}");
                assert_eq!(ended.journal_fault, None, "{id}");
            }
        }
    }
}
