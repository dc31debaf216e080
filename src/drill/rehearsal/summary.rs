//! What came of a rehearsal: the links one by one, the phases of each move beside their forecast, and everything that was
//! seen, as data for the report.

use std::time::Duration;

use crate::drill::RunState;
use crate::forecast::{Column, PHASES};
use crate::report::drill::{LinkRow, LinkState, MoveTimes, PhaseTime, RunRow};
use crate::report::run::RunReport;

use super::cast::Cast;
use super::facts::RunFact;
use super::stage::Stage;
use super::watch::Notice;

impl Stage<'_> {
    /// The moves away from home and back, as far as they were made.
    pub(super) fn moves(&self, column: &Column) -> Vec<MoveTimes> {
        let mut moves = Vec::new();
        for (at, site, alive) in &self.facts.turned {
            if *site != 0 {
                continue;
            }
            let direction = usize::from(*alive);
            moves.extend(self.move_from(*at, *alive, direction, column));
        }
        moves
    }

    /// The first run that moved the records after `began`, toward home or away from it.
    fn mover(&self, began: Duration, home: bool) -> Option<(&RunFact, &RunReport)> {
        let name = self.world.sites.first().map(|site| site.name.as_str());
        let runs = self
            .facts
            .runs
            .values()
            .filter(|run| run.ended.is_some_and(|ended| ended > began));
        let mut reports = runs.filter_map(|run| run.report.as_ref().map(|report| (run, report)));
        reports.find(|(_, report)| report.sent && (report.to.as_deref() == name) == home)
    }

    fn move_from(
        &self,
        began: Duration,
        home: bool,
        direction: usize,
        column: &Column,
    ) -> Option<MoveTimes> {
        let (run, report) = self.mover(began, home)?;
        let (begun, started) = (run.begun?, run.started?);
        let to = report.to.clone()?;
        let place = self.world.sites.iter().position(|site| site.name == to);
        let phase = |millis: Option<u64>| Duration::from_millis(millis.unwrap_or_default());
        let own = report.phases;
        let decided = started + phase(own.read) + phase(own.decide) + phase(own.prepare);
        let written = decided + phase(own.write);
        let synced = written + phase(own.sync);
        let gathered = self.facts.gathered.iter();
        let mut there = gathered.filter(|(at, site)| *at > written && *site == place);
        let arrived = there.next().map(|(at, _)| *at)?;
        let asked = run.asked.max(began);
        // A message that is repeated is not the one that started this run.
        let mut posted = self
            .facts
            .posted
            .iter()
            .filter(|posted| posted.at >= began && posted.at <= asked + Duration::from_secs(1));
        let sent = posted
            .next_back()
            .map_or(asked, |posted| posted.at.min(asked));
        let moments = [
            began,
            sent.max(began),
            asked,
            begun.max(asked),
            started,
            decided,
            written,
            synced,
            arrived.max(synced),
        ];
        let forecast = column.directions.get(direction);
        let phases = moments
            .windows(2)
            .zip(PHASES)
            .enumerate()
            .map(|(index, (pair, name))| {
                let lasted = match pair {
                    [from, to] => to.saturating_sub(*from),
                    _ => Duration::ZERO,
                };
                let drawn = forecast
                    .and_then(|it| it.phases.get(index))
                    .map(|it| it.drawn);
                PhaseTime {
                    name,
                    lasted,
                    forecast: drawn.and_then(|drawn| drawn.p50.zip(drawn.p95)),
                }
            });
        let whole = forecast.map(|it| it.whole.drawn);
        Some(MoveTimes {
            from: report.from.clone().unwrap_or_default(),
            to,
            began,
            phases: phases.collect(),
            forecast: whole.and_then(|drawn| drawn.p50.zip(drawn.p95)),
        })
    }

    /// Runs of the workflow.
    pub(super) fn run_rows(&self) -> Vec<RunRow> {
        let runs = self.facts.runs.iter();
        let row = |(number, run): (&usize, &RunFact)| RunRow {
            number: *number,
            asked: run.asked,
            begun: run.begun,
            started: run.started,
            ended: run.ended,
            cancelled: run.cancelled,
            status: run.status(),
            end: run.end.clone(),
        };
        runs.map(row).collect()
    }

    /// The links, from the heartbeat to the visitors.
    pub(super) fn links(&self, cast: &Cast) -> Vec<LinkRow> {
        let mut links = vec![
            self.heartbeat(cast),
            self.message(cast),
            self.workflow(),
            self.role(),
        ];
        links.push(self.sites_asked());
        links.push(self.records());
        links.push(self.confirmation());
        links.push(self.visitors_moved());
        // What comes after a broken link was not asked for anything.
        let broken = links
            .iter()
            .position(|link| link.state == LinkState::Broken);
        for (place, link) in links.iter_mut().enumerate() {
            let after = broken.is_some_and(|broken| place > broken);
            if after && link.state == LinkState::Broken {
                link.state = LinkState::NotReached;
                link.told = String::new();
            }
        }
        links
    }

    fn heartbeat(&self, cast: &Cast) -> LinkRow {
        let Some(watch) = &cast.watch else {
            return not_given(
                "heartbeat",
                "no declared monitor watches home and starts the workflow: the link is skipped, a person starts the run",
            );
        };
        let down = self
            .facts
            .told
            .iter()
            .find(|told| told.monitor == *watch && told.notice == Notice::Down);
        let died = self
            .facts
            .turned
            .iter()
            .find(|(_, site, alive)| *site == 0 && !alive);
        let early = down.is_some_and(|down| died.is_none_or(|(died, ..)| down.at < *died));
        if early {
            return broken(
                "heartbeat",
                format!("`{watch}` says DOWN though home serves"),
            );
        }
        if self.says_up_falsely(watch) {
            let origin = &self.spec.origin.name;
            let told = format!(
                "`{watch}` says UP while home is dead: `{origin}` does not lead to home alone; it needs a record of its own"
            );
            return broken("heartbeat", told);
        }
        match down.zip(died) {
            Some((down, (died, ..))) => {
                let after = down.at.saturating_sub(*died).as_secs_f64();
                held(
                    "heartbeat",
                    format!("`{watch}` says DOWN after {after:.0} s"),
                )
            }
            None => broken("heartbeat", format!("`{watch}` never says DOWN")),
        }
    }

    fn message(&self, cast: &Cast) -> LinkRow {
        if cast.watch.is_none() {
            return not_given("message", "nobody sends one: the link is skipped");
        }
        let taken = self
            .facts
            .posted
            .iter()
            .find(|posted| posted.http == Some(204));
        match (taken, self.facts.posted.first()) {
            (Some(_), _) => {
                let count = self.facts.posted.len();
                let taken = self
                    .facts
                    .posted
                    .iter()
                    .filter(|posted| posted.http == Some(204))
                    .count();
                held(
                    "message",
                    format!("GitHub takes {taken} of {count} messages"),
                )
            }
            (None, Some(first)) => {
                let http = first
                    .http
                    .map_or("no answer".to_owned(), |http| http.to_string());
                broken(
                    "message",
                    format!("GitHub answers {http}: {}", first.answer),
                )
            }
            (None, None) => broken("message", "none is sent".to_owned()),
        }
    }

    fn workflow(&self) -> LinkRow {
        let started = self
            .facts
            .runs
            .values()
            .filter(|run| run.report.is_some())
            .count();
        let first = self
            .facts
            .runs
            .values()
            .find(|run| run.ended.is_some() && !run.cancelled);
        match first {
            _ if started > 0 => {
                let states = self.world.github.with(|github| {
                    let cancelled = github
                        .runs()
                        .iter()
                        .filter(|run| run.state == RunState::Cancelled);
                    cancelled.count()
                });
                held(
                    "workflow",
                    format!("{started} runs of the executor, {states} cancelled"),
                )
            }
            Some(run) => broken("workflow", run.end.clone()),
            None => broken("workflow", "no run begins".to_owned()),
        }
    }

    /// The first run whose status is not 0, with the words of its end.
    fn failed(&self) -> Option<(u8, String)> {
        let runs = self
            .facts
            .runs
            .values()
            .filter_map(|run| run.report.as_ref());
        let mut failed = runs.filter(|report| report.status != 0);
        failed
            .next()
            .map(|report| (report.status, report.why.clone()))
    }

    /// The reasons of the first refusal of this action.
    fn denied(&self, action: &str) -> Option<String> {
        let decisions = self.facts.decisions.iter();
        let mut own = decisions.filter(|row| !row.allowed && row.action.ends_with(action));
        own.next().map(|row| row.why.join("; "))
    }

    fn role(&self) -> LinkRow {
        let asked = self
            .facts
            .decisions
            .iter()
            .find(|row| row.action.ends_with("WithWebIdentity"));
        match (self.denied("WithWebIdentity"), asked) {
            (Some(why), _) => broken("role", why),
            (None, Some(row)) => held("role", format!("it is borrowed by `{}`", row.who)),
            (None, None) if self.rules.token == Some(false) => broken(
                "role",
                "the job may not ask for a token: `id-token: write` is missing".to_owned(),
            ),
            (None, None) => broken(
                "role",
                self.failed()
                    .map_or("nobody borrows it".to_owned(), |(_, why)| why),
            ),
        }
    }

    fn sites_asked(&self) -> LinkRow {
        if let Some(why) = self.denied("ListResourceRecordSets") {
            return broken("sites", why);
        }
        let runs = self
            .facts
            .runs
            .values()
            .filter_map(|run| run.report.as_ref());
        let mut decided = runs.filter(|report| report.to.is_some());
        match (decided.next(), self.failed()) {
            (Some(report), _) => held(
                "sites",
                format!(
                    "the executor decides for {}: {}",
                    report.to.as_deref().unwrap_or_default(),
                    report
                        .reason
                        .map_or(String::new(), |why| why.describe().to_owned())
                ),
            ),
            (None, Some((status, why))) => broken("sites", format!("status {status}: {why}")),
            (None, None) => broken("sites", "no run decides for a move".to_owned()),
        }
    }

    fn records(&self) -> LinkRow {
        if let Some(why) = self.denied("ChangeResourceRecordSets") {
            return broken("records", why);
        }
        match (self.accepted, self.failed()) {
            (0, Some((status, why))) => broken("records", format!("status {status}: {why}")),
            (0, None) => broken("records", "no change is accepted".to_owned()),
            (count, _) => held(
                "records",
                format!("{count} changes, each of all records at once"),
            ),
        }
    }

    fn confirmation(&self) -> LinkRow {
        if let Some(why) = self.denied("GetChange") {
            return broken("confirmation", why);
        }
        match self.failed() {
            Some((status, why)) => broken("confirmation", format!("status {status}: {why}")),
            None => held(
                "confirmation",
                "every change is in sync and at the name servers".to_owned(),
            ),
        }
    }

    fn visitors_moved(&self) -> LinkRow {
        let missed = self.facts.expected.iter().find(|expected| !expected.met);
        match missed {
            None => held(
                "visitors",
                "they moved, and every host is as the spec says".to_owned(),
            ),
            Some(missed) => broken("visitors", format!("{}: {}", missed.what, missed.found)),
        }
    }
}

fn held(name: &'static str, told: String) -> LinkRow {
    LinkRow {
        name,
        state: LinkState::Held,
        told,
    }
}

fn broken(name: &'static str, told: String) -> LinkRow {
    LinkRow {
        name,
        state: LinkState::Broken,
        told,
    }
}

fn not_given(name: &'static str, told: &str) -> LinkRow {
    LinkRow {
        name,
        state: LinkState::NotGiven,
        told: told.to_owned(),
    }
}
