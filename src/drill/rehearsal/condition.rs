//! What a script waits for and looks for: conditions of the stage, each with its words and with what is so instead.

use std::time::Duration;

use crate::drill::RunState;

use super::facts::{Posted, RunFact, Told};
use super::links::{HEARTBEAT, MESSAGE, RECORDS, ROLE, SITES, VISITORS, WORKFLOW};
use super::stage::Stage;
use super::watch::{Health, Notice};

/// Something that comes about, or is so.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Condition {
    /// All visitors are sent to this site.
    VisitorsAt(usize),
    /// All switched records hold addresses of this site.
    RecordsAt(usize),
    /// No run is under way.
    Idle,
    /// A run has begun with the executor.
    ExecutorRuns,
    /// So many runs have begun, and no more.
    Runs(usize),
    /// So many messages to the workflow were taken.
    Accepted(usize),
    /// The last message to the workflow got this answer; `None`: none at all.
    Answer(Option<u16>),
    /// The executor ended with this status last.
    LastStatus(u8),
    /// A run failed as it borrowed the role.
    NotBorrowed,
    /// The watch repeats its message.
    Repeats(bool),
    /// A run ended before it came to the executor.
    RunFailed,
    /// So many runs were put aside by newer ones, at least.
    Evicted(usize),
    /// People have heard from a monitor of this kind.
    PeopleHeard(String),
    /// The watch does not say DOWN.
    WatchIsNotDown(String),
    /// This monitor, which has nothing to tell, says nothing.
    Silent(String),
    /// This monitor tells people that the records have moved, and not before they have.
    TellsOfTheMove(String),
    /// This monitor starts the workflow while the records are away, and not before they are.
    AsksForTheReturn(String),
    /// The watch said UP while home was dead.
    FalseUp(String),
    /// The watch never did.
    NoFalseUp(String),
    /// Nobody wrote toward a site that did not serve then.
    NoWriteToTheDead,
    /// So many batches were accepted.
    Batches(usize),
    /// Every host is served where the spec says so, and absent where it says so.
    HostsAsTheSpecSays(usize),
    /// The executor met this many faults that passed, at least, and got through.
    GotThrough(String),
    /// From the death to the first message that was taken it took longer than this.
    DetectedAfter(Duration),
}

impl Condition {
    /// What must be so.
    pub(super) fn words(&self, stage: &Stage<'_>) -> String {
        let name = |place: &usize| {
            let site = stage.world.sites.get(*place);
            site.map_or("nowhere", |site| site.name.as_str()).to_owned()
        };
        match self {
            Self::VisitorsAt(site) => format!("all visitors are sent to {}", name(site)),
            Self::RecordsAt(site) => format!("the records point at {}", name(site)),
            Self::Idle => "no run is under way".to_owned(),
            Self::ExecutorRuns => "a run comes to the executor".to_owned(),
            Self::Runs(0) => "no run begins".to_owned(),
            Self::Runs(1) => "1 run begins".to_owned(),
            Self::Runs(count) => format!("{count} runs begin"),
            Self::Accepted(0) => "no message starts a run".to_owned(),
            Self::Accepted(1) => "1 message starts a run".to_owned(),
            Self::Accepted(count) => format!("{count} messages start runs"),
            Self::Answer(Some(http)) => format!("GitHub answers {http}"),
            Self::Answer(None) => "the message gets no answer".to_owned(),
            Self::LastStatus(status) => format!("a run ends with status {status}"),
            Self::NotBorrowed => "a run fails as it borrows the role".to_owned(),
            Self::Repeats(_) => "the watch repeats its message while home is dead".to_owned(),
            Self::RunFailed => "a run fails before it comes to the executor".to_owned(),
            Self::Evicted(_) if stage.all_wait() => {
                "with `queue: max` every waiting run keeps its place".to_owned()
            }
            Self::Evicted(count) => format!("{count} waiting run is replaced by a newer one"),
            Self::PeopleHeard(monitor) => format!("people hear of it from `{monitor}`"),
            Self::WatchIsNotDown(monitor) => format!("`{monitor}` does not say DOWN"),
            Self::Silent(monitor) => format!("`{monitor}` has nothing to tell"),
            Self::TellsOfTheMove(monitor) => {
                format!("`{monitor}` tells people that the records have moved")
            }
            Self::AsksForTheReturn(monitor) => {
                format!("`{monitor}` starts the workflow while the records are away")
            }
            Self::FalseUp(monitor) => format!("`{monitor}` says UP though home is dead"),
            Self::NoFalseUp(monitor) => format!("`{monitor}` does not say UP while home is dead"),
            Self::NoWriteToTheDead => {
                "nothing is written toward a site that does not serve".to_owned()
            }
            Self::Batches(0) => "no change is made".to_owned(),
            Self::Batches(1) => "1 change is made".to_owned(),
            Self::Batches(count) => format!("{count} changes are made"),
            Self::HostsAsTheSpecSays(site) => {
                format!("at {} every host is as the spec says", name(site))
            }
            Self::GotThrough(code) => {
                format!("the executor tries again after {code}, and gets through")
            }
            Self::DetectedAfter(least) => format!(
                "the first message that is taken comes after {} s",
                least.as_secs()
            ),
        }
    }

    /// The link that is at fault where nothing else of the chain is.
    pub(super) fn link(&self) -> &'static str {
        match self {
            Self::VisitorsAt(_) | Self::HostsAsTheSpecSays(_) => VISITORS,
            Self::RecordsAt(_) | Self::Batches(_) | Self::GotThrough(_) => RECORDS,
            Self::NoWriteToTheDead | Self::LastStatus(_) => SITES,
            Self::Idle | Self::ExecutorRuns | Self::RunFailed | Self::Evicted(_) => WORKFLOW,
            Self::NotBorrowed => ROLE,
            Self::PeopleHeard(_)
            | Self::WatchIsNotDown(_)
            | Self::TellsOfTheMove(_)
            | Self::FalseUp(_)
            | Self::NoFalseUp(_) => HEARTBEAT,
            Self::Runs(_)
            | Self::Silent(_)
            | Self::AsksForTheReturn(_)
            | Self::Accepted(_)
            | Self::Answer(_)
            | Self::Repeats(_)
            | Self::DetectedAfter(_) => MESSAGE,
        }
    }

    /// Whether it is so; else what is.
    pub(super) fn holds(&self, stage: &Stage<'_>) -> Result<(), String> {
        match self {
            Self::VisitorsAt(site) => stage.visitors_at(*site),
            Self::RecordsAt(site) => stage.records_at(*site),
            Self::Idle => equal(stage.facts.open_runs(), 0),
            Self::ExecutorRuns => so(stage.executor_runs(), "none"),
            Self::Runs(wanted) => stage.runs(*wanted),
            Self::Accepted(wanted) => equal(stage.messages_taken(), *wanted),
            Self::Answer(wanted) => stage.last_answer(*wanted),
            Self::LastStatus(wanted) => stage.last_status(*wanted),
            Self::NotBorrowed => stage.not_borrowed(),
            Self::Repeats(repeats) => so(*repeats, "it repeats none: `resend_interval` is 0"),
            Self::RunFailed => so(stage.run_failed(), "none does"),
            Self::Evicted(wanted) => stage.evicted(*wanted),
            Self::PeopleHeard(monitor) => so(stage.people_heard(monitor), "they do not"),
            Self::WatchIsNotDown(monitor) => {
                let down = stage.kuma.health(monitor) == Some(Health::Down);
                so(!down, "it is DOWN")
            }
            Self::Silent(monitor) => stage.is_silent(monitor),
            Self::TellsOfTheMove(monitor) => stage.tells_of_the_move(monitor),
            Self::AsksForTheReturn(monitor) => stage.asks_for_the_return(monitor),
            Self::FalseUp(monitor) => so(stage.says_up_falsely(monitor), "it does not"),
            Self::NoFalseUp(monitor) => so(!stage.says_up_falsely(monitor), "it does"),
            Self::NoWriteToTheDead => stage.writes_to_the_living(),
            Self::Batches(wanted) => equal(stage.accepted, *wanted),
            Self::HostsAsTheSpecSays(site) => stage.hosts_as_told(*site),
            Self::GotThrough(code) => stage.got_through(code),
            Self::DetectedAfter(least) => stage.detected_after(*least),
        }
    }
}

fn so(holds: bool, found: &str) -> Result<(), String> {
    if holds { Ok(()) } else { Err(found.to_owned()) }
}

fn equal(found: usize, wanted: usize) -> Result<(), String> {
    so(found == wanted, &found.to_string())
}

impl Stage<'_> {
    fn visitors_at(&self, site: usize) -> Result<(), String> {
        match self.facts.visitors() {
            Some(own) if own == site => return Ok(()),
            Some(other) => return Err(format!("they are at {}", self.site_name(other))),
            None => {}
        }
        let hosts = self.visitors.elsewhere(&self.world, site);
        let told = hosts.iter().find_map(|(host, seen)| {
            let why = self.start.why(self.spec, host)?;
            Some(format!("`{host}` {seen}: {why}"))
        });
        if let Some(told) = told {
            return Err(told);
        }
        // What was kept for longer than the spec says is why.
        let ttl = self.start.ttl();
        if ttl > self.spec.records.ttl {
            return Err(format!(
                "some are elsewhere: what Terraform declares is kept for {ttl} s, and the spec says {}",
                self.spec.records.ttl
            ));
        }
        Err(match hosts.first() {
            Some((host, seen)) => format!("some are elsewhere: `{host}` {seen}"),
            None => "some are elsewhere".to_owned(),
        })
    }

    fn executor_runs(&self) -> bool {
        let runs = |run: &RunFact| run.started.is_some() && run.ended.is_none();
        self.facts.runs.values().any(runs)
    }

    fn run_failed(&self) -> bool {
        let failed = |run: &RunFact| run.ended.is_some() && run.report.is_none() && !run.cancelled;
        self.facts.runs.values().any(failed)
    }

    /// So many runs have begun; where there are more, whoever asked for them is named.
    fn runs(&self, wanted: usize) -> Result<(), String> {
        let begun = self.runs_begun();
        let mut askers: Vec<&str> = Vec::new();
        let taken = |posted: &&Posted| posted.http == Some(204);
        for posted in self.facts.posted.iter().filter(taken) {
            if !askers.contains(&posted.monitor.as_str()) {
                askers.push(&posted.monitor);
            }
        }
        if begun <= wanted || askers.is_empty() {
            return equal(begun, wanted);
        }
        let sees = askers.iter().map(|id| self.kuma.sees(id));
        let sees: Vec<String> = sees.collect();
        Err(format!(
            "{begun}, by a message of `{}`: {}",
            askers.join("`, `"),
            sees.join("; ")
        ))
    }

    fn runs_begun(&self) -> usize {
        let begun = |run: &&RunFact| run.begun.is_some();
        self.facts.runs.values().filter(begun).count()
    }

    fn messages_taken(&self) -> usize {
        let taken = |posted: &&Posted| posted.http == Some(204);
        self.facts.posted.iter().filter(taken).count()
    }

    fn people_heard(&self, from: &str) -> bool {
        self.facts.people.iter().any(|(_, by)| by == from)
    }

    fn last_status(&self, wanted: u8) -> Result<(), String> {
        let ended = self.facts.runs.values();
        let last = ended.filter_map(|run| run.ended.zip(run.status())).max();
        match last {
            Some((_, status)) => so(status == wanted, &format!("status {status}")),
            None => Err("no run has ended".to_owned()),
        }
    }

    /// The last run that ended did so at the role.
    fn not_borrowed(&self) -> Result<(), String> {
        let ended = self.facts.runs.values();
        let last = ended.filter(|run| run.ended.is_some() && !run.cancelled);
        match last.max_by_key(|run| run.ended) {
            Some(run) if run.failed_at == Some(ROLE) => Ok(()),
            Some(run) => Err(run.end.clone()),
            None => Err("no run has ended".to_owned()),
        }
    }

    /// Whether runs of the workflow wait in a queue instead of taking each other's place.
    fn all_wait(&self) -> bool {
        self.world.github.with(|github| {
            let workflow = &github.workflow;
            workflow.queues && workflow.group.is_some()
        })
    }

    fn evicted(&self, least: usize) -> Result<(), String> {
        let (found, why) = self.world.github.with(|github| {
            let runs = github.runs().iter();
            let found = runs.filter(|run| run.state == RunState::Cancelled).count();
            let why = match (&github.workflow.group, github.workflow.cancels) {
                (None, _) => ", no `concurrency` group of the workflow holds runs back",
                (Some(_), true) => ", `cancel-in-progress` ends the run that is under way",
                (Some(_), false) => "",
            };
            (found, why)
        });
        if self.all_wait() {
            return so(found == 0, &format!("{found} lose it{why}"));
        }
        so(found >= least, &format!("{found}{why}"))
    }

    fn records_at(&self, place: usize) -> Result<(), String> {
        let values = self.world.values();
        let own = self.world.sites.get(place).map(|site| &site.addresses);
        let is_own = |value: &String| {
            let address = value.parse().ok();
            own.zip(address)
                .is_some_and(|(own, address)| own.contains(&address))
        };
        if !values.is_empty() && values.iter().all(is_own) {
            Ok(())
        } else {
            Err(values.join(", "))
        }
    }

    fn last_answer(&self, wanted: Option<u16>) -> Result<(), String> {
        match self.facts.posted.last() {
            None => Err("no message was sent".to_owned()),
            Some(last) if last.http == wanted => Ok(()),
            Some(last) => Err(last
                .http
                .map_or("no answer".to_owned(), |http| http.to_string())),
        }
    }

    /// Whether a site served at a moment.
    fn served(&self, site: usize, at: Duration) -> bool {
        let before = self.facts.turned.iter().rev();
        let mut own = before.filter(|(when, place, _)| *place == site && *when <= at);
        own.next().is_none_or(|(_, _, alive)| *alive)
    }

    /// Whether a monitor said UP while home was dead.
    pub(super) fn says_up_falsely(&self, monitor: &str) -> bool {
        let falsely = |told: &Told| {
            told.monitor == monitor && told.notice == Notice::Up && !self.served(0, told.at)
        };
        self.facts.told.iter().any(falsely)
    }

    fn is_silent(&self, monitor: &str) -> Result<(), String> {
        let told = self.facts.told.iter().any(|told| told.monitor == monitor);
        so(!told, &format!("it speaks: {}", self.kuma.sees(monitor)))
    }

    /// A monitor of the records speaks once they have moved, and not before.
    fn speaks_of_the_move(&self, monitor: &str) -> Result<Duration, String> {
        let Some(moved) = self.facts.published else {
            return Err("nothing has moved".to_owned());
        };
        let down = |told: &&Told| told.monitor == monitor && told.notice == Notice::Down;
        let sees = self.kuma.sees(monitor);
        match self.facts.told.iter().find(down) {
            Some(first) if first.at < moved => {
                Err(format!("it says DOWN before anything has moved: {sees}"))
            }
            Some(_) => Ok(moved),
            None => Err(format!("it never says DOWN: {sees}")),
        }
    }

    fn tells_of_the_move(&self, monitor: &str) -> Result<(), String> {
        let moved = self.speaks_of_the_move(monitor)?;
        let mut people = self.facts.people.iter();
        let heard = people.any(|(at, by)| by == monitor && *at >= moved);
        so(heard, "it says DOWN, and tells no people")
    }

    fn asks_for_the_return(&self, monitor: &str) -> Result<(), String> {
        let moved = self.speaks_of_the_move(monitor)?;
        let own = |posted: &&Posted| posted.monitor == monitor && posted.at >= moved;
        let mut posted = self.facts.posted.iter().filter(own);
        let taken = posted.any(|posted| posted.http == Some(204));
        so(taken, "it says DOWN, and no message of it is taken")
    }

    fn writes_to_the_living(&self) -> Result<(), String> {
        for run in self.facts.runs.values() {
            let Some(report) = run.report.as_ref().filter(|report| report.sent) else {
                continue;
            };
            let to = report.to.as_deref().unwrap_or_default();
            let place = self.world.sites.iter().position(|site| site.name == to);
            let written = report.phases.read.unwrap_or_default()
                + report.phases.decide.unwrap_or_default()
                + report.phases.prepare.unwrap_or_default();
            let at = run.started.unwrap_or_default() + Duration::from_millis(written);
            if place.is_none_or(|place| !self.served(place, at)) {
                return Err(format!("a change toward {to}"));
            }
        }
        Ok(())
    }

    pub(super) fn hosts_as_told(&self, place: usize) -> Result<(), String> {
        let site = self.site_name(place);
        for view in self.visitors.views(self.now()) {
            let host = self
                .spec
                .hosts
                .iter()
                .find(|host| host.name.to_string() == view.host);
            let absent = host.is_some_and(|host| host.absent_at.contains(&site));
            let wanted = if absent { "absent" } else { site.as_str() };
            let last = view
                .spans
                .last()
                .map(|span| span.seen.as_slice())
                .unwrap_or_default();
            if last.iter().any(|(seen, _)| seen != wanted) {
                let seen: Vec<&str> = last.iter().map(|(seen, _)| seen.as_str()).collect();
                return Err(format!("{} is {}", view.host, seen.join(", ")));
            }
        }
        Ok(())
    }

    fn got_through(&self, code: &str) -> Result<(), String> {
        let told = |run: &RunFact| {
            let report = run.report.as_ref()?;
            let again = report
                .rows
                .iter()
                .any(|row| row.result.contains(code) || row.what.contains(code));
            (again && report.status == 0).then_some(())
        };
        let any = self.facts.runs.values().find_map(told);
        any.ok_or_else(|| "no run did".to_owned())
    }

    fn detected_after(&self, least: Duration) -> Result<(), String> {
        let died = self
            .facts
            .turned
            .iter()
            .find(|(_, site, alive)| *site == 0 && !alive);
        let died = died.map_or(Duration::ZERO, |(at, ..)| *at);
        let taken = |posted: &&Posted| posted.http == Some(204) && posted.at > died;
        match self.facts.posted.iter().find(taken) {
            None => Err("none is taken".to_owned()),
            Some(first) if first.at - died > least => Ok(()),
            Some(first) => Err(format!("it comes after {} s", (first.at - died).as_secs())),
        }
    }
}
