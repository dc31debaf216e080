//! The links from the heartbeat to the visitors, each by what was really seen of it: it did what it is for, it did not, or
//! nobody asked anything of it.

use crate::drill::RunState;
use crate::execution::report::RunReport;
use crate::model::policy::route53;
use crate::report::drill::{LinkRow, LinkState, counted};

use super::cast::Cast;
use super::facts::{Posted, RunFact};
use super::stage::Stage;
use super::watch::Notice;

/// A monitor sees that home is dead.
pub(super) const HEARTBEAT: &str = "heartbeat";
/// The workflow is started.
pub(super) const MESSAGE: &str = "message";
/// Its job comes to the executor.
pub(super) const WORKFLOW: &str = "workflow";
/// The role is borrowed.
pub(super) const ROLE: &str = "role";
/// The executor asks records and sites, and decides.
pub(super) const SITES: &str = "sites";
/// The change is sent.
pub(super) const RECORDS: &str = "records";
/// The change is seen at the name servers.
pub(super) const CONFIRMATION: &str = "confirmation";
/// Visitors are where the records point.
pub(super) const VISITORS: &str = "visitors";

/// The link that a call to AWS belongs to.
#[must_use]
pub(super) fn link_of(action: &str) -> &'static str {
    match action {
        route53::LIST_RECORDS => SITES,
        route53::CHANGE_RECORDS => RECORDS,
        route53::GET_CHANGE => CONFIRMATION,
        _ => ROLE,
    }
}

impl Stage<'_> {
    /// The links, from the heartbeat to the visitors.
    pub(super) fn links(&self, cast: &Cast) -> Vec<LinkRow> {
        vec![
            self.heartbeat(cast),
            self.message(cast),
            self.workflow(),
            self.role(),
            self.sites_asked(),
            self.records(),
            self.confirmation(),
            self.visitors_moved(),
        ]
    }

    fn heartbeat(&self, cast: &Cast) -> LinkRow {
        let Some(watch) = &cast.watch else {
            let told = "no monitor is declared: the link is skipped, a person starts the run";
            return row(HEARTBEAT, LinkState::NotGiven, told.to_owned());
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
        // What is wrong with the origin's own record is why, and not the monitor that looks at it.
        let origin = &self.spec.origin.name;
        let odd = self.start.odd.iter().find(|(name, _)| name == origin);
        let odd = odd.map_or(String::new(), |(_, told)| format!(": {told}"));
        if early {
            return broken(
                HEARTBEAT,
                format!("`{watch}` says DOWN though home serves{odd}"),
            );
        }
        if self.says_up_falsely(watch) {
            let told = format!(
                "`{watch}` says UP while home is dead{odd}: `{origin}` does not lead to home alone; it needs a record of its own"
            );
            return broken(HEARTBEAT, told);
        }
        match down.zip(died) {
            Some((down, (died, ..))) => {
                let after = down.at.saturating_sub(*died).as_secs_f64();
                held(HEARTBEAT, format!("`{watch}` says DOWN after {after:.0} s"))
            }
            None => broken(HEARTBEAT, format!("`{watch}` never says DOWN{odd}")),
        }
    }

    fn message(&self, cast: &Cast) -> LinkRow {
        let Some(watch) = &cast.watch else {
            let told = "nobody sends one: the link is skipped";
            return row(MESSAGE, LinkState::NotGiven, told.to_owned());
        };
        let all = &self.facts.posted;
        let is_taken = |posted: &&Posted| posted.http == Some(204);
        let taken = all.iter().filter(is_taken).count();
        if self.facts.hung > 0 {
            let told =
                "the call to GitHub gets no answer and no end, and the monitor hangs with it";
            return broken(MESSAGE, told.to_owned());
        }
        if let Some(refused) = all.iter().find(|posted| posted.http != Some(204)) {
            let answer = match refused.http {
                Some(http) => format!("GitHub answers {http}: {}", refused.answer),
                None => "GitHub gives no answer".to_owned(),
            };
            let later = match taken {
                0 => String::new(),
                taken => format!("; it takes {taken} of {}", counted(all.len(), "message")),
            };
            return broken(MESSAGE, format!("{answer}{later}"));
        }
        if taken > 0 {
            return held(
                MESSAGE,
                format!("GitHub takes {}", all_of(taken, "message")),
            );
        }
        if let Some(link) = self.message_astray() {
            return link;
        }
        let called = self.facts.told.iter();
        let mut called = called.filter(|told| told.monitor == *watch);
        match called.next() {
            Some(_) => broken(MESSAGE, format!("`{watch}` sends none")),
            None => not_reached(MESSAGE),
        }
    }

    /// A message that went elsewhere than to GitHub's API.
    fn message_astray(&self) -> Option<LinkRow> {
        let (hook, url) = self.facts.astray.first()?;
        let api = self.spec.api_url();
        Some(if self.is_at_github(url) {
            let told = format!(
                "`{hook}` posts to `{url}`, which is not below `{api}/`: nothing there starts the workflow"
            );
            broken(MESSAGE, told)
        } else {
            let told = format!("not rehearsed: what `{url}` makes of a message of `{hook}`");
            row(MESSAGE, LinkState::NotDecided, told)
        })
    }

    fn workflow(&self) -> LinkRow {
        let runs = self.facts.runs.values();
        let at_role = |run: &RunFact| run.failed_at == Some(ROLE);
        let ended = |run: &&RunFact| {
            run.ended.is_some() && run.report.is_none() && !run.cancelled && !at_role(run)
        };
        let started = runs.clone().filter(|run| run.report.is_some()).count();
        if let Some(failed) = runs.clone().find(ended) {
            return broken(WORKFLOW, failed.end.clone() + &later(started > 0));
        }
        let cut = runs.clone().find(|run| run.failed_at == Some(WORKFLOW));
        if let Some(why) = cut.and_then(|run| run.cut.as_ref()) {
            let told = format!("a run is ended while it works: {why}");
            let past = runs.clone().any(|run| run.status() == Some(0));
            return broken(WORKFLOW, told + &later(past));
        }
        if started > 0 {
            let cancelled = self.world.github.with(|github| {
                let all = github.runs().iter();
                all.filter(|run| run.state == RunState::Cancelled).count()
            });
            let told = format!("{} of the executor", counted(started, "run"));
            let more = match cancelled {
                0 => String::new(),
                count => format!(", {count} cancelled"),
            };
            return held(WORKFLOW, told + &more);
        }
        let borrows = runs.clone().filter(|run| at_role(run)).count();
        if borrows > 0 {
            let told = format!("{} that comes to the role", counted(borrows, "run"));
            return held(WORKFLOW, told);
        }
        let taken = |posted: &Posted| posted.http == Some(204);
        if self.facts.posted.iter().any(taken) || !self.facts.runs.is_empty() {
            return broken(WORKFLOW, "no run begins".to_owned());
        }
        not_reached(WORKFLOW)
    }

    /// Reports of the executor.
    fn reports(&self) -> impl Iterator<Item = (&RunFact, &RunReport)> {
        let runs = self.facts.runs.values();
        runs.filter_map(|run| run.report.as_ref().map(|report| (run, report)))
    }

    /// Why this link broke: the words of AWS's first refusal, also where a run got on without, else those of the first run
    /// that failed here.
    fn failure(&self, link: &str, action: &str) -> Option<String> {
        let decisions = self.facts.decisions.iter();
        let mut denied = decisions.filter(|row| !row.allowed && row.action.ends_with(action));
        let denied = denied.next().map(|row| row.why.join("; "));
        denied.or_else(|| {
            let mut failed = self.facts.runs.values();
            let failed = failed.find(|run| run.failed_at == Some(link))?;
            Some(match &failed.report {
                Some(report) => format!("status {}: {}", report.status, report.why),
                None => failed.end.clone(),
            })
        })
    }

    fn role(&self) -> LinkRow {
        let decisions = self.facts.decisions.iter();
        let mut borrowed =
            decisions.filter(|row| row.allowed && row.action.ends_with("WithWebIdentity"));
        let borrowed = borrowed.next();
        if let Some(why) = self.failure(ROLE, "WithWebIdentity") {
            let why = if self.rules.token == Some(false) {
                "the job may not ask for a token: `id-token: write` is missing".to_owned()
            } else {
                why
            };
            let why = self.other_environment().unwrap_or_default() + &why;
            return broken(ROLE, why + &later(borrowed.is_some()));
        }
        match borrowed {
            Some(row) => held(ROLE, format!("it is borrowed by `{}`", row.who)),
            None => not_reached(ROLE),
        }
    }

    /// That the job's environment, which is in its subject, is another than the spec's.
    fn other_environment(&self) -> Option<String> {
        let (own, wanted) = (&self.rules.environment, &self.spec.github.environment);
        let named = |name: &Option<String>| match name {
            Some(name) => format!("`{name}`"),
            None => "none".to_owned(),
        };
        (own != wanted).then(|| {
            format!(
                "the `environment` of the job is {}, and the spec says {}, so that its subject is another: ",
                named(own),
                named(wanted)
            )
        })
    }

    fn sites_asked(&self) -> LinkRow {
        let mut decided = self.reports().filter(|(_, report)| report.to.is_some());
        let decided = decided.next().map(|(_, report)| report);
        if let Some(why) = self.failure(SITES, "ListResourceRecordSets") {
            return broken(SITES, why + &later(decided.is_some()));
        }
        match decided {
            Some(report) => {
                let why = report.reason.map_or("", |why| why.describe());
                let to = report.to.as_deref().unwrap_or_default();
                held(SITES, format!("the executor decides for {to}: {why}"))
            }
            None if self.reports().any(|(_, report)| report.status == 0) => {
                held(SITES, "the executor asks them, and stays".to_owned())
            }
            None => not_reached(SITES),
        }
    }

    fn records(&self) -> LinkRow {
        if let Some(why) = self.failure(RECORDS, "ChangeResourceRecordSets") {
            return broken(RECORDS, why + &later(self.accepted > 0));
        }
        match self.accepted {
            0 => not_reached(RECORDS),
            1 => held(RECORDS, "1 change, of all records at once".to_owned()),
            count => held(
                RECORDS,
                format!("{count} changes, each of all records at once"),
            ),
        }
    }

    fn confirmation(&self) -> LinkRow {
        let sent = |report: &RunReport| report.sent && report.status == 0;
        let confirmed = self.reports().filter(|(_, report)| sent(report)).count();
        if let Some(why) = self.failure(CONFIRMATION, "GetChange") {
            let decisions = self.facts.decisions.iter();
            let mut asked = decisions.filter(|row| row.action.ends_with("GetChange"));
            let never = !asked.any(|row| row.allowed);
            let more = if never && confirmed > 0 {
                "; the run goes by the name servers alone".to_owned()
            } else {
                later(confirmed > 0)
            };
            return broken(CONFIRMATION, why + &more);
        }
        match confirmed {
            0 => not_reached(CONFIRMATION),
            1 => held(
                CONFIRMATION,
                "the change is in sync and at the name servers".to_owned(),
            ),
            _ => held(
                CONFIRMATION,
                "every change is in sync and at the name servers".to_owned(),
            ),
        }
    }

    /// What visitors saw.
    fn visitors_moved(&self) -> LinkRow {
        let mut ways: Vec<usize> = Vec::new();
        for site in self.facts.gathered.iter().filter_map(|(_, site)| *site) {
            if ways.last() != Some(&site) {
                ways.push(site);
            }
        }
        let moved = ways.get(1..).unwrap_or_default();
        let Some(last) = moved.last() else {
            return not_reached(VISITORS);
        };
        if let Err(found) = self.hosts_as_told(*last) {
            return broken(VISITORS, found);
        }
        let names: Vec<String> = moved.iter().map(|site| self.site_name(*site)).collect();
        let told = format!(
            "all move to {}, and every host is as the spec says",
            names.join(", then to ")
        );
        held(VISITORS, told)
    }
}

/// All of so many, in words.
fn all_of(count: usize, noun: &str) -> String {
    match count {
        1 => format!("the one {noun}"),
        count => format!("all {count} {noun}s"),
    }
}

fn later(better: bool) -> String {
    let told = if better {
        "; another run got past it"
    } else {
        ""
    };
    told.to_owned()
}

fn held(name: &'static str, told: String) -> LinkRow {
    row(name, LinkState::Held, told)
}

fn broken(name: &'static str, told: String) -> LinkRow {
    row(name, LinkState::Broken, told)
}

fn not_reached(name: &'static str) -> LinkRow {
    row(name, LinkState::NotReached, String::new())
}

fn row(name: &'static str, state: LinkState, told: String) -> LinkRow {
    LinkRow {
        name,
        state,
        told,
        at: None,
        as_fault: false,
    }
}
