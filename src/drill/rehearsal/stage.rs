//! The stage: one clock, one queue of what comes next, everybody in turn. A cue is played when its time has come; what it
//! leads to are further cues. Nothing runs beside it but servers that answer, and a run of the executor while all others
//! wait for it.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::adapters::HttpsProber;
use crate::failover::ProbeRules;
use crate::model::spec::Spec;
use crate::ports::Cancelled;
use crate::report::drill::{DecisionRow, EventRow};

use super::facts::Facts;
use super::jobs::Jobs;
use super::judge::{Decided, Judge};
use super::kuma::Kuma;
use super::links::link_of;
use super::run::Executor;
use super::start::ZoneStart;
use super::steps::JobRules;
use super::time::Time;
use super::visitors::Visitors;
use super::world::World;

/// From one look of the visitors to the next.
const LOOK: Duration = Duration::from_secs(5);

/// What comes next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cue {
    /// A monitor begins a check.
    Check(usize),
    /// A check that was swallowed has reached its time-out.
    TimedOut {
        /// The monitor.
        monitor: usize,
        /// When the check began.
        began: Duration,
    },
    /// Visitors ask for their hosts.
    Look,
    /// A runner takes a job.
    JobBegins(usize),
    /// The job has come to the executor.
    ExecutorStarts(usize),
    /// The executor has waited.
    RunGoesOn(usize),
    /// The job has had its time.
    JobTimesOut(usize),
    /// The name servers take over a change.
    Publish,
}

/// The queue: cues by their time, those of one time in the order in which they came.
#[derive(Debug, Default)]
pub(super) struct Queue {
    cues: BTreeMap<(Duration, u64), Cue>,
    count: u64,
}

impl Queue {
    /// Adds a cue.
    pub(super) fn push(&mut self, at: Duration, cue: Cue) {
        self.count += 1;
        self.cues.insert((at, self.count), cue);
    }

    /// Takes the next one, if its time is not after `until`.
    fn pop(&mut self, until: Duration) -> Option<(Duration, Cue)> {
        let entry = self.cues.first_entry()?;
        let at = entry.key().0;
        (at <= until).then(|| (at, entry.remove()))
    }
}

/// How long what is not measured takes, by the forecast's own numbers.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pace {
    /// Until a runner takes a job.
    pub runner: Duration,
    /// From then until the executor begins.
    pub setup: Duration,
    /// Until a change is at the name servers; `None`: it never is.
    pub sync: Option<Duration>,
}

/// The stage.
pub(super) struct Stage<'a> {
    /// The spec.
    pub spec: &'a Spec,
    /// Where it is.
    pub spec_path: PathBuf,
    /// The clock.
    pub time: Time,
    /// The world.
    pub world: World,
    /// Who decides in AWS.
    pub judge: Judge,
    /// The monitors.
    pub kuma: Kuma,
    /// Runs of the executor.
    pub jobs: Jobs,
    /// What the workflow says of its job.
    pub rules: JobRules,
    /// Visitors.
    pub visitors: Visitors,
    /// What was seen.
    pub facts: Facts,
    /// What comes next.
    pub queue: Queue,
    /// How long things take.
    pub pace: Pace,
    /// Asks sites.
    pub prober: HttpsProber,
    /// The executor's own code.
    pub executor: Arc<dyn Executor>,
    /// Who looks on.
    pub onlooker: &'a mut dyn FnMut(&EventRow),
    /// The zone as it began.
    pub start: ZoneStart,
    /// Changes that are on their way to the name servers.
    pub accepted: usize,
    /// Whether a script gives up once a run has failed.
    pub gives_up: bool,
}

impl std::fmt::Debug for Stage<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Stage").finish_non_exhaustive()
    }
}

impl Stage<'_> {
    /// Since the rehearsal began.
    #[must_use]
    pub(super) fn now(&self) -> Duration {
        self.time.now()
    }

    /// Everybody takes their place. The watch makes its first check at once, the others a little later: nobody starts all at
    /// the same moment.
    pub(super) fn open(&mut self, watch: Option<&str>) {
        let servers = self.world.name_servers();
        let ttl = Duration::from_secs(self.start.ttl().into());
        self.visitors.spread(&servers, ttl);
        let now = self.now();
        self.queue.push(now, Cue::Look);
        for monitor in 0..self.kuma.monitors.len() {
            let first = self.kuma.is(monitor, watch);
            let turn = u64::try_from(monitor + 1).unwrap_or_default();
            let offset = if first { 0 } else { turn * 7 };
            let at = now + Duration::from_secs(offset);
            self.queue.push(at, Cue::Check(monitor));
        }
    }

    /// Plays the next cue, or waits until `until` if there is none before; says which.
    ///
    /// # Errors
    /// When the program is ended.
    pub(super) fn step(&mut self, until: Duration) -> Result<bool, Cancelled> {
        let Some((at, cue)) = self.queue.pop(until) else {
            self.time.wait(until)?;
            return Ok(false);
        };
        self.time.wait(at)?;
        self.play(cue)?;
        Ok(true)
    }

    /// Plays everything up to this time.
    ///
    /// # Errors
    /// When the program is ended.
    pub(super) fn until(&mut self, until: Duration) -> Result<(), Cancelled> {
        while self.step(until)? {}
        Ok(())
    }

    fn play(&mut self, cue: Cue) -> Result<(), Cancelled> {
        match cue {
            Cue::Check(monitor) => self.check(monitor)?,
            Cue::TimedOut { monitor, began } => {
                self.checked(monitor, began, false, "no answer in time");
            }
            Cue::Look => self.look()?,
            Cue::JobBegins(run) => self.job_begins(run),
            Cue::ExecutorStarts(run) => self.executor_starts(run),
            Cue::RunGoesOn(run) => self.run_goes_on(run, Ok(())),
            Cue::JobTimesOut(run) => self.job_times_out(run),
            Cue::Publish => self.publish()?,
        }
        Ok(())
    }

    fn look(&mut self) -> Result<(), Cancelled> {
        self.look_once()?;
        let next = self.now() + LOOK;
        self.queue.push(next, Cue::Look);
        Ok(())
    }

    /// All visitors look; where they are is kept.
    fn look_once(&mut self) -> Result<(), Cancelled> {
        let (now, rules) = (self.now(), self.probe_rules());
        let at = self
            .visitors
            .look(&self.world, &mut self.prober, rules, now)?;
        let before = self.facts.gathered.last().map(|(_, site)| *site);
        if before == Some(at) {
            return Ok(());
        }
        self.facts.gathered.push((now, at));
        let words = match at.and_then(|place| self.world.sites.get(place)) {
            Some(site) => format!("all are sent to {}", site.name),
            None => "the first have another address".to_owned(),
        };
        if before.is_some() || at.is_none() {
            self.tell("visitors", words);
        }
        Ok(())
    }

    fn publish(&mut self) -> Result<(), Cancelled> {
        let (servers, now) = (self.world.name_servers(), self.now());
        self.visitors.ask_at_the_last_moment(&servers, now);
        self.world.publish();
        self.facts.published.get_or_insert(now);
        self.tell("name servers", "they have the change".to_owned());
        self.look_once()
    }

    /// After calls to AWS: what was decided, and what was accepted.
    pub(super) fn after_calls(&mut self) {
        let now = self.now();
        for decided in self.judge.take() {
            self.doubt_of(&decided);
            self.facts.decisions.push(DecisionRow {
                at: now,
                who: decided.who,
                action: decided.action,
                on: if decided.with.is_empty() {
                    decided.resource
                } else {
                    format!("{} ({})", decided.resource, decided.with)
                },
                allowed: decided.allowed,
                open: !decided.open.is_empty(),
                why: decided.why,
            });
        }
        let accepted = self.world.cloud.with(|cloud| {
            let change =
                |op: &str, answer: &str| op == "ChangeResourceRecordSets" && answer == "200";
            let log = cloud.log().iter();
            log.filter(|call| change(&call.op, &call.answer)).count()
        });
        if accepted > self.accepted {
            self.accepted = accepted;
            if let Some(sync) = self.pace.sync {
                self.queue.push(now + sync, Cue::Publish);
            }
        }
    }

    /// A decision that turns on what is not known here leaves its link undecided.
    pub(super) fn doubt_of(&mut self, decided: &Decided) {
        if !decided.open.is_empty() {
            let told = format!(
                "whether AWS lets `{}` through: {}",
                decided.action,
                decided.open.join("; ")
            );
            self.facts.doubt(link_of(&decided.action), told);
        }
    }

    /// Something happened.
    pub(super) fn tell(&mut self, who: &str, what: String) {
        let row = EventRow {
            at: self.now(),
            who: who.to_owned(),
            what,
        };
        (self.onlooker)(&row);
        self.facts.events.push(row);
    }

    /// How a site is asked.
    #[must_use]
    pub(super) fn probe_rules(&self) -> ProbeRules {
        ProbeRules {
            status: self.spec.probe.expected_status,
            timeout: Duration::from_secs(self.spec.probe.timeout_seconds.into()),
            ..ProbeRules::default()
        }
    }
}
