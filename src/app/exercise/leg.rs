//! One way of an exercise: what to set is said, then records, runs and hosts are watched until all show the site.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::app::exit::AppError;
use crate::app::watch::{Follow, Place, Progress, journal_of};
use crate::failover::Moment;
use crate::failover::journal::from_log;
use crate::model::dns::RecordType;
use crate::model::spec::{Site, Spec};
use crate::ports::{Cancelled, NameServers, WorkflowRun};
use crate::propagation::{Measured, Observation, Outcome, Rule};
use crate::report::{JournalSeen, Leg, RecordMeasured, RunSeen, SiteNames};

use super::Outside;
use super::sites::Sites;

/// How often records are asked for.
const EVERY: Duration = Duration::from_secs(1);
/// Of so many rounds one also asks hosts and runs.
const ROUNDS: u64 = 5;
/// How often the log of a run that is over is asked for.
const LOGS: u32 = 4;

/// What is to happen.
#[derive(Clone, Copy)]
pub(super) struct Asked<'a> {
    pub(super) spec: &'a Spec,
    /// Where the records go.
    pub(super) site: &'a Site,
    /// Where they come from.
    pub(super) other: &'a Site,
    pub(super) places: &'a [Place],
    pub(super) until: Duration,
}

/// Every record that the switch moves, at every server.
pub(super) struct Records {
    follows: Vec<(String, RecordType, Follow)>,
}

impl Records {
    pub(super) fn new(spec: &Spec, site: &Site, places: &[Place], began: Moment) -> Self {
        let mut follows = Vec::new();
        for name in spec.record_names() {
            for kind in &spec.records.types {
                let address = site.address(*kind).map(|address| vec![address.to_string()]);
                let rule = Rule {
                    expected: address,
                    candidates: Vec::new(),
                };
                let follow = Follow::new(rule, name, *kind, places.to_vec(), began);
                let follow = follow.numbered_from(follows.len() * places.len());
                follows.push((name.dns(), *kind, follow));
            }
        }
        Self { follows }
    }

    /// Asks for all of them; gives changes with the record that they are of.
    pub(super) fn ask(
        &mut self,
        servers: &mut dyn NameServers,
        until: Moment,
    ) -> Result<Vec<(usize, Observation)>, Cancelled> {
        let questions = self.follows.iter().flat_map(|(_, _, it)| it.questions());
        let questions: Vec<_> = questions.cloned().collect();
        let mut changes = Vec::new();
        for told in servers.ask(&questions, until)? {
            for (index, (_, _, follow)) in self.follows.iter_mut().enumerate() {
                changes.extend(follow.hears(&told).map(|change| (index, change)));
            }
        }
        Ok(changes)
    }

    /// Whether no server has answered anything.
    pub(super) fn nobody(&self) -> bool {
        let mut all = self.follows.iter();
        all.all(|(_, _, it)| it.measured().outcome == Outcome::Nobody)
    }

    fn all(&self) -> bool {
        let mut all = self.follows.iter();
        all.all(|(_, _, it)| it.measured().outcome == Outcome::All)
    }

    /// Servers that show something else, and what.
    pub(super) fn behind(&self) -> Vec<String> {
        let mut behind = Vec::new();
        for (name, kind, follow) in &self.follows {
            let Measured { servers, new, .. } = follow.measured();
            for it in servers {
                let last = it.last.map(|(_, answer)| answer);
                let values = last.as_ref().and_then(|answer| answer.values());
                if values != new.as_deref() {
                    let what = last.map_or("no answer".to_owned(), |answer| answer.to_string());
                    let (server, kind) = (it.server.name, kind.word());
                    behind.push(format!("{server} has {what} for {name} {kind}"));
                }
            }
        }
        behind
    }

    fn measured(&self) -> Vec<RecordMeasured> {
        let measured = |(name, kind, follow): &(String, RecordType, Follow)| RecordMeasured {
            name: name.clone(),
            kind: *kind,
            measured: follow.measured(),
        };
        self.follows.iter().map(measured).collect()
    }
}

/// Says what to set, and watches until all show it.
///
/// # Errors
/// When the result of a look cannot be had at all; what is late or wrong is told in the leg.
pub(super) fn travel(
    asked: &Asked<'_>,
    outside: &mut Outside<'_>,
    progress: &mut Progress<'_>,
) -> Result<Leg, AppError> {
    let began = outside.clock.now();
    let mut watch = Watching {
        asked: *asked,
        began,
        records: Records::new(asked.spec, asked.site, asked.places, began),
        sites: Sites::default(),
        runs: Runs::default(),
    };
    if watch.runs.begin(outside).is_err() {
        return Ok(watch.broken_off());
    }
    for line in instructions(asked) {
        progress.line(&line);
    }
    let watched = watch.watch(outside, progress);
    progress.ends();
    Ok(match watched {
        Ok(None) => watch.arrived(),
        Ok(Some(why)) => watch.ends(&why),
        Err(Cancelled) => watch.broken_off(),
    })
}

/// What a person has to do.
fn instructions(asked: &Asked<'_>) -> Vec<String> {
    let Asked {
        spec, site, other, ..
    } = asked;
    let (repository, variable) = (spec.repository(), &spec.github.variable);
    let home = spec.home().is_some_and(|home| home.name == site.name);
    let set = if home {
        format!("unset the pin: gh variable delete {variable} --repo {repository}")
    } else {
        format!(
            "pin `{0}`:     gh variable set {variable} --body {0} --repo {repository}",
            site.name
        )
    };
    let mut lines = vec![
        format!("\nfrom `{}` to `{}`, by you:", other.name, site.name),
        format!("  1. {set}"),
        format!(
            "  2. start the run: gh workflow run {} --ref {} --repo {repository}",
            spec.github.workflow, spec.github.branch
        ),
    ];
    if home {
        let failback = spec.failback_seconds();
        lines.push(format!(
            "     it returns when `{}` has answered for about {failback} s in a row",
            site.name
        ));
    }
    lines
}

struct Watching<'a> {
    asked: Asked<'a>,
    began: Moment,
    records: Records,
    sites: Sites,
    runs: Runs,
}

impl Watching<'_> {
    /// Watches until all show the site, or the time is over; gives what failed.
    fn watch(
        &mut self,
        outside: &mut Outside<'_>,
        progress: &mut Progress<'_>,
    ) -> Result<Option<String>, Cancelled> {
        let end = self.began.after(self.asked.until);
        let (mut round, mut looked) = (0, false);
        loop {
            let next = outside.clock.now().after(EVERY).min(end);
            let changes = self.records.ask(outside.servers, next)?;
            self.tell(&changes, progress);
            let arrived = self.records.all();
            if arrived && !looked || round % ROUNDS == 0 {
                self.look(outside, progress)?;
                looked = arrived;
            }
            let done = arrived && looked && self.runs.settled();
            // A log that is missing is waited for a little, and is no failure.
            let over = outside.clock.now() >= end;
            if done && (over || self.runs.has_logs()) {
                return Ok(self.unwell());
            }
            if over {
                return Ok(Some(self.late()));
            }
            if let Some((_, _, first)) = self.records.follows.first() {
                let since = outside.clock.now().since(self.began);
                progress.stands(since, &first.measured());
            }
            outside.clock.wait(next)?;
            round += 1;
        }
    }

    /// Asks the hosts of both sites, and GitHub.
    fn look(
        &mut self,
        outside: &mut Outside<'_>,
        progress: &mut Progress<'_>,
    ) -> Result<(), Cancelled> {
        let Asked {
            spec, site, other, ..
        } = self.asked;
        self.sites.ask(spec, [site, other], outside.prober)?;
        let at = outside.clock.now().since(self.began);
        for line in self.runs.look(at, outside)? {
            progress.line(&format!("{:>8.1} s  {line}", at.as_secs_f64()));
        }
        Ok(())
    }

    fn tell(&self, changes: &[(usize, Observation)], progress: &mut Progress<'_>) {
        for (index, change) in changes {
            let Some((name, kind, follow)) = self.records.follows.get(*index) else {
                continue;
            };
            let sites = SiteNames::of(Some(self.asked.spec), *kind);
            progress.sees_of(name, change, follow.servers(), &sites);
        }
    }

    /// What is wrong though the records have arrived.
    fn unwell(&self) -> Option<String> {
        let silent = self.sites.silent(&self.asked.site.name);
        let failed = self.runs.failed();
        if let Some(run) = failed {
            Some(format!("the run {} ended as `{}`", run.0, run.1))
        } else if silent.is_empty() {
            None
        } else {
            let name = &self.asked.site.name;
            Some(format!("`{name}` does not serve {}", silent.join(", ")))
        }
    }

    fn late(&self) -> String {
        let behind = self.records.behind();
        let seconds = self.asked.until.as_secs();
        match behind.as_slice() {
            [] => format!("the run was not over within {seconds} s"),
            [first] => format!("not everywhere within {seconds} s: {first}"),
            [first, ..] => format!(
                "not everywhere within {seconds} s: {first}; and {} more",
                behind.len() - 1
            ),
        }
    }

    fn ends(self, why: &str) -> Leg {
        Leg {
            failed: Some(format!("on the way to `{}`: {why}", self.asked.site.name)),
            ..self.arrived()
        }
    }

    fn broken_off(self) -> Leg {
        Leg {
            by_hand: true,
            ..self.ends("it was ended by hand")
        }
    }

    fn arrived(self) -> Leg {
        Leg {
            site: self.asked.site.name.clone(),
            home: self.asked.spec.home() == Some(self.asked.site),
            records: self.records.measured(),
            runs: self.runs.seen,
            runs_unknown: self.runs.unknown,
            hosts: self.sites.seen(),
            failed: None,
            by_hand: false,
        }
    }
}

/// Runs that began on this way.
#[derive(Default)]
struct Runs {
    before: Vec<u64>,
    seen: Vec<RunSeen>,
    /// How often the log of a run was asked for.
    tries: BTreeMap<u64, u32>,
    /// Why they are not known.
    unknown: Option<String>,
}

impl Runs {
    /// Notes those that are older.
    fn begin(&mut self, outside: &mut Outside<'_>) -> Result<(), Cancelled> {
        let Some(runs) = &mut outside.runs else {
            self.unknown = Some("no token is given to read them with".to_owned());
            return Ok(());
        };
        match runs.latest()? {
            Ok(runs) => self.before = runs.iter().map(|run| run.id).collect(),
            Err(why) => self.unknown = Some(why),
        }
        Ok(())
    }

    /// Looks again; gives what is new.
    fn look(&mut self, at: Duration, outside: &mut Outside<'_>) -> Result<Vec<String>, Cancelled> {
        let mut lines = Vec::new();
        let Some(runs) = outside.runs.as_mut().filter(|_| self.unknown.is_none()) else {
            return Ok(lines);
        };
        // A look that fails once is made up for by the next.
        let mut runs = runs.latest()?.unwrap_or_default();
        runs.retain(|run| !self.before.contains(&run.id));
        for run in runs {
            let how = run.conclusion.as_deref().unwrap_or(&run.status);
            let line = format!("run {}: {how}", run.id);
            if self.note(run, at) {
                lines.push(line);
            }
        }
        lines.extend(self.read_journals(outside)?);
        Ok(lines)
    }

    /// The journals of runs that are over; a log may be there a little later than the end of its run.
    fn read_journals(&mut self, outside: &mut Outside<'_>) -> Result<Vec<String>, Cancelled> {
        let mut lines = Vec::new();
        let Some(runs) = outside.runs.as_mut() else {
            return Ok(lines);
        };
        for seen in &mut self.seen {
            let wanted = seen.over.is_some() && !matches!(seen.journal, Some(Ok(_)));
            let tries = self.tries.entry(seen.id).or_default();
            if !wanted || *tries >= LOGS {
                continue;
            }
            *tries += 1;
            let found = runs.log(seen.id)?.and_then(|log| journal_in(&log));
            if found.is_ok() {
                lines.push(format!("run {}: its journal is read", seen.id));
            }
            seen.journal = Some(found);
        }
        Ok(lines)
    }

    /// Takes a run in; gives whether there is something new about it.
    fn note(&mut self, run: WorkflowRun, at: Duration) -> bool {
        let over = run.is_over().then_some(at);
        let WorkflowRun {
            id,
            status,
            conclusion,
            url,
        } = run;
        if let Some(seen) = self.seen.iter_mut().find(|seen| seen.id == id) {
            let news = seen.status != status || seen.conclusion != conclusion;
            seen.over = seen.over.or(over);
            (seen.status, seen.conclusion) = (status, conclusion);
            return news;
        }
        self.seen.push(RunSeen {
            id,
            status,
            conclusion,
            url,
            seen: at,
            over,
            journal: None,
        });
        self.seen.sort_by_key(|seen| seen.id);
        true
    }

    /// Whether none of them is still on its way; a run may be over later than the records have moved.
    fn settled(&self) -> bool {
        self.seen.iter().all(|seen| seen.over.is_some())
    }

    /// Whether every log was read, or asked for often enough.
    fn has_logs(&self) -> bool {
        let tries = |seen: &RunSeen| self.tries.get(&seen.id).copied().unwrap_or_default();
        let done = |seen: &RunSeen| matches!(seen.journal, Some(Ok(_))) || tries(seen) >= LOGS;
        self.seen.iter().all(done)
    }

    fn failed(&self) -> Option<(u64, &str)> {
        // An earlier run may have been evicted; the last one counts.
        let last = self.seen.last()?;
        let conclusion = last.conclusion.as_deref()?;
        (conclusion != "success").then_some((last.id, conclusion))
    }
}

/// The journal in the log of a run.
fn journal_in(log: &str) -> Result<JournalSeen, String> {
    journal_of(&from_log(log).ok_or("the log of its job has none")?)
}
