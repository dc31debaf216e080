//! The script of a rehearsal: what is done to the world, what is waited for, what must then be seen.

use std::time::Duration;

use crate::drill::{DispatchToken, MessageTrouble, RunState, Sync, TokenRight, Trouble};
use crate::ports::Cancelled;
use crate::report::drill::Expectation;

use super::declared::TOKEN;
use super::facts::{Posted, RunFact, Told};
use super::stage::Stage;
use super::watch::{Health, Notice};
use super::world::Dying;

/// One line of the script.
#[derive(Debug, Clone)]
pub enum Act {
    /// Time passes.
    Wait(Duration),
    /// Something is done to the world.
    Do(Deed),
    /// This must come about within that time; else the script ends here.
    Until(Condition, Duration),
    /// This must be so.
    See(Condition),
}

/// Something that is done to the world.
#[derive(Debug, Clone)]
pub enum Deed {
    /// A site stops serving.
    Kill(usize, Dying),
    /// A site serves again.
    Revive(usize),
    /// A person starts the workflow.
    ByHand,
    /// The token is as it should be again, or is not.
    Token(TokenRight, Option<Duration>),
    /// The workflow is disabled, or enabled again.
    Disabled(bool),
    /// The repository gets another name.
    Renamed,
    /// The branch gets another name at GitHub.
    BranchRenamed,
    /// Messages to GitHub.
    Messages(Option<MessageTrouble>),
    /// So many calls of Uptime Kuma to GitHub hang.
    Hangs(u32),
    /// Uptime Kuma runs, or does not.
    Kuma(bool),
    /// Calls to AWS.
    Aws(Trouble),
    /// Calls to AWS go well again.
    Calm,
    /// The name servers never hear of a change.
    NeverInSync,
    /// A record may not be changed.
    Protect,
    /// The repository's variable pins a site, or nothing.
    Pin(Option<String>),
}

/// Something that comes about, or is so.
#[derive(Debug, Clone, PartialEq)]
pub enum Condition {
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
    /// So many runs were put aside by newer ones, at least.
    Evicted(usize),
    /// People have heard from a monitor of this kind.
    PeopleHeard(String),
    /// The watch does not say DOWN.
    WatchIsNotDown(String),
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
    fn words(&self, stage: &Stage<'_>) -> String {
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
            Self::Runs(count) => format!("{count} runs begin"),
            Self::Accepted(0) => "no message starts a run".to_owned(),
            Self::Accepted(count) => format!("{count} messages start runs"),
            Self::Answer(Some(http)) => format!("GitHub answers {http}"),
            Self::Answer(None) => "the message gets no answer".to_owned(),
            Self::LastStatus(status) => format!("a run ends with status {status}"),
            Self::Evicted(count) => format!("{count} waiting run is replaced by a newer one"),
            Self::PeopleHeard(monitor) => format!("people hear of it from `{monitor}`"),
            Self::WatchIsNotDown(monitor) => format!("`{monitor}` does not say DOWN"),
            Self::FalseUp(monitor) => format!("`{monitor}` says UP though home is dead"),
            Self::NoFalseUp(monitor) => format!("`{monitor}` does not say UP while home is dead"),
            Self::NoWriteToTheDead => {
                "nothing is written toward a site that does not serve".to_owned()
            }
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

    /// Whether it is so; else what is.
    fn holds(&self, stage: &Stage<'_>) -> Result<(), String> {
        let facts = &stage.facts;
        let count = |found: usize, wanted: usize| {
            if found == wanted {
                Ok(())
            } else {
                Err(found.to_string())
            }
        };
        let yes =
            |holds: bool, found: &dyn Fn() -> String| if holds { Ok(()) } else { Err(found()) };
        match self {
            Self::VisitorsAt(site) => yes(facts.visitors() == Some(*site), &|| {
                stage.why_not_there(*site)
            }),
            Self::RecordsAt(site) => stage.records_at(*site),
            Self::Idle => yes(facts.open_runs() == 0, &|| {
                format!("{} runs", facts.open_runs())
            }),
            Self::ExecutorRuns => yes(
                facts
                    .runs
                    .values()
                    .any(|run| run.started.is_some() && run.ended.is_none()),
                &|| "none".to_owned(),
            ),
            Self::Runs(wanted) => count(
                facts
                    .runs
                    .values()
                    .filter(|run| run.begun.is_some())
                    .count(),
                *wanted,
            ),
            Self::Accepted(wanted) => count(
                facts
                    .posted
                    .iter()
                    .filter(|posted| posted.http == Some(204))
                    .count(),
                *wanted,
            ),
            Self::Answer(wanted) => stage.last_answer(*wanted),
            Self::LastStatus(wanted) => {
                let last = facts
                    .runs
                    .values()
                    .filter_map(|run| run.ended.zip(run.status()))
                    .max();
                let found = last.map(|(_, status)| status);
                yes(found == Some(*wanted), &|| {
                    found.map_or("no run".to_owned(), |it| format!("status {it}"))
                })
            }
            Self::Evicted(wanted) => {
                let found = stage.world.github.with(|github| {
                    let runs = github.runs().iter();
                    runs.filter(|run| run.state == RunState::Cancelled).count()
                });
                yes(found >= *wanted, &|| found.to_string())
            }
            Self::PeopleHeard(monitor) => {
                yes(facts.people.iter().any(|(_, by)| by == monitor), &|| {
                    "they do not".to_owned()
                })
            }
            Self::WatchIsNotDown(monitor) => {
                yes(stage.kuma.health(monitor) != Some(Health::Down), &|| {
                    "it is DOWN".to_owned()
                })
            }
            Self::FalseUp(monitor) => {
                yes(stage.says_up_falsely(monitor), &|| "it does not".to_owned())
            }
            Self::NoFalseUp(monitor) => {
                yes(!stage.says_up_falsely(monitor), &|| "it does".to_owned())
            }
            Self::NoWriteToTheDead => stage.writes_to_the_living(),
            Self::Batches(wanted) => count(stage.accepted, *wanted),
            Self::HostsAsTheSpecSays(site) => stage.hosts_as_told(*site),
            Self::GotThrough(code) => stage.got_through(code),
            Self::DetectedAfter(least) => stage.detected_after(*least),
        }
    }
}

impl Stage<'_> {
    /// Plays a script; says whether it came to its end.
    ///
    /// # Errors
    /// When the program is ended.
    pub(super) fn perform(&mut self, script: Vec<Act>) -> Result<bool, Cancelled> {
        for act in script {
            match act {
                Act::Wait(time) => {
                    let until = self.now() + time;
                    self.until(until)?;
                }
                Act::Do(deed) => self.deed(deed),
                Act::Until(condition, within) => {
                    if !self.comes_about(&condition, within)? {
                        return Ok(false);
                    }
                }
                Act::See(condition) => {
                    let held = condition.holds(self);
                    self.expect(&condition, held);
                }
            }
        }
        Ok(true)
    }

    fn comes_about(&mut self, condition: &Condition, within: Duration) -> Result<bool, Cancelled> {
        let deadline = self.now() + within;
        loop {
            let held = condition.holds(self);
            let over = self.now() >= deadline;
            if held.is_ok() || over || self.is_hopeless(condition) {
                let met = held.is_ok();
                self.expect(condition, held);
                return Ok(met);
            }
            self.step(deadline)?;
        }
    }

    fn expect(&mut self, condition: &Condition, held: Result<(), String>) {
        let expectation = Expectation {
            at: self.now(),
            what: condition.words(self),
            met: held.is_ok(),
            found: held.err().unwrap_or_default(),
        };
        self.facts.expected.push(expectation);
    }

    fn deed(&mut self, deed: Deed) {
        let told = self.done(deed);
        self.tell("script", told);
    }

    fn done(&mut self, deed: Deed) -> String {
        let now = self.now();
        match deed {
            Deed::Kill(site, dying) => {
                self.world.turn(site, Some(dying));
                self.facts.turned.push((now, site, false));
                format!("{} dies: {}", self.site_name(site), dying.word())
            }
            Deed::Revive(site) => {
                self.world.turn(site, None);
                self.facts.turned.push((now, site, true));
                format!("{} serves again", self.site_name(site))
            }
            Deed::ByHand => {
                let branch = self.spec.github.branch.clone();
                self.world
                    .github
                    .with(|github| github.start_by_hand(&branch, now));
                self.github_moved();
                "a person starts the workflow".to_owned()
            }
            Deed::Token(right, until) => {
                let token = DispatchToken { right, until };
                self.world
                    .github
                    .with(|github| github.tokens.insert(TOKEN.to_owned(), token));
                match (right, until) {
                    (TokenRight::Write, None) => "the dispatch token is good".to_owned(),
                    (TokenRight::Write, Some(_)) => "the dispatch token has run out".to_owned(),
                    (TokenRight::Read, _) => "the dispatch token may only read".to_owned(),
                    (TokenRight::None, _) => {
                        "the dispatch token does not reach the repository".to_owned()
                    }
                }
            }
            Deed::Disabled(disabled) => {
                self.world
                    .github
                    .with(|github| github.workflow.disabled = disabled);
                let word = if disabled { "disabled" } else { "enabled" };
                format!("the workflow is {word}")
            }
            Deed::Renamed => {
                let name = format!("{}-renamed", self.spec.repository());
                self.world.github.with(|github| github.rename(&name));
                format!("the repository is renamed to {name}")
            }
            Deed::BranchRenamed => {
                self.world
                    .github
                    .with(|github| github.keep_branches(["trunk".to_owned()]));
                format!("the branch {} is renamed to trunk", self.spec.github.branch)
            }
            other => self.done_to_services(other),
        }
    }

    fn done_to_services(&mut self, deed: Deed) -> String {
        match deed {
            Deed::Messages(trouble) => {
                self.world.github.with(|github| github.trouble = trouble);
                match trouble {
                    None => "GitHub's API answers".to_owned(),
                    Some(MessageTrouble::Down) => "GitHub's API is down".to_owned(),
                    Some(MessageTrouble::Lost(count)) => {
                        format!("the next {count} message to GitHub will be lost")
                    }
                }
            }
            Deed::Hangs(count) => {
                self.kuma.hangs = count;
                "the next call to GitHub will hang".to_owned()
            }
            Deed::Kuma(alive) => {
                self.kuma.alive = alive;
                format!("Uptime Kuma is {}", if alive { "alive" } else { "dead" })
            }
            Deed::Aws(trouble) => {
                let told = format!("AWS: {} fails", trouble.op);
                self.world.cloud.with(|cloud| cloud.trouble(trouble));
                told
            }
            Deed::Calm => {
                self.world.cloud.with(|cloud| cloud.calm());
                "AWS: all is well again".to_owned()
            }
            Deed::NeverInSync => {
                self.pace.sync = None;
                self.world.cloud.with(|cloud| cloud.sync(Sync::Never));
                "AWS: changes stay pending".to_owned()
            }
            Deed::Protect => {
                let name = self.spec.records.names.last().cloned();
                let kind = self.spec.records.types.first().copied();
                if let Some((name, kind)) = name.zip(kind) {
                    let word = super::world::word(kind);
                    self.world
                        .cloud
                        .with(|cloud| cloud.zone_mut().protect(name, word));
                }
                "AWS: a record is protected".to_owned()
            }
            Deed::Pin(pin) => {
                let variable = &self.spec.github.variable;
                let told = match &pin {
                    Some(site) => format!("{variable} is {site}"),
                    None => format!("{variable} is taken away"),
                };
                self.jobs.pin = pin;
                told
            }
            Deed::Kill(..)
            | Deed::Revive(_)
            | Deed::ByHand
            | Deed::Token(..)
            | Deed::Disabled(_)
            | Deed::Renamed
            | Deed::BranchRenamed => String::new(),
        }
    }

    fn site_name(&self, place: usize) -> String {
        let site = self.world.sites.get(place);
        site.map_or("nowhere", |site| site.name.as_str()).to_owned()
    }

    /// Whether it cannot come about any more: a run that had to move visitors has failed, for a reason that stays.
    fn is_hopeless(&self, condition: &Condition) -> bool {
        let moves = matches!(condition, Condition::VisitorsAt(_));
        moves
            && self.gives_up
            && self
                .facts
                .runs
                .values()
                .any(|run| run.ended.is_some() && !run.cancelled && run.status() != Some(0))
    }

    fn why_not_there(&self, site: usize) -> String {
        match self.facts.visitors() {
            Some(other) if other != site => format!("they are at {}", self.site_name(other)),
            Some(_) | None => "some are elsewhere".to_owned(),
        }
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

    fn hosts_as_told(&self, place: usize) -> Result<(), String> {
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
