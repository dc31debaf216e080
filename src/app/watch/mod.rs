//! `pointsman watch`: a record's new value, followed at its authoritative servers and at resolvers.

mod find;
mod follow;
mod journal;
mod progress;

use std::io::Write;
use std::net::SocketAddr;
use std::time::Duration;

use crate::failover::Moment;
use crate::model::dns::{RecordName, RecordType};
use crate::model::spec::Spec;
use crate::ports::{Clock, Files, NameServers};
use crate::propagation::{Outcome, Role, Rule};
use crate::report::{Format, JournalSeen, Propagation, SiteNames, render_propagation};

use super::exit::{AppError, Exit};
use super::spec::{Found, SpecChoice, find as find_spec};

pub(super) use find::{Place, authoritative, resolvers};
pub(super) use follow::Follow;
pub(super) use journal::journal_of;
pub use progress::Progress;

/// What is asked for.
#[derive(Debug, Clone)]
pub struct Request {
    /// Where the spec is.
    pub spec: SpecChoice,
    /// The record's name; without it, the first that the spec switches.
    pub name: Option<String>,
    /// The record's type.
    pub kind: RecordType,
    /// Resolvers; without them, and without `servers`, the system's.
    pub resolvers: Vec<SocketAddr>,
    /// Authoritative servers; without them they are looked for.
    pub servers: Vec<SocketAddr>,
    /// The values that are waited for: addresses, or names of sites.
    pub expect: Vec<String>,
    /// How long to wait.
    pub until: Duration,
    /// The journal of the run that makes the change, read when the watch is over.
    pub journal: Option<String>,
    /// The form of the output.
    pub format: Format,
}

/// How often each server is asked.
const EVERY: Duration = Duration::from_secs(1);

/// Follows the record, and writes what came of it to `out`.
///
/// # Errors
/// When nobody can be asked, what is expected makes no sense, or `out` cannot be written to.
pub fn run(
    request: &Request,
    files: &dyn Files,
    clock: &mut dyn Clock,
    servers: &mut dyn NameServers,
    out: &mut dyn Write,
    progress: &mut Progress<'_>,
) -> Result<Exit, AppError> {
    let spec = match find_spec(&request.spec, files, request.format, out)? {
        Found::Read(spec, _) => Some(*spec),
        Found::Settings(..) | Found::Absent => None,
        Found::Wrong => return Ok(Exit::Usage),
    };
    let name = name(request.name.as_deref(), spec.as_ref())?;
    // A spec says nothing about a name outside its zone.
    let spec = spec.filter(|spec| name.is_within(&spec.zone.name));
    let sites = SiteNames::of(spec.as_ref(), request.kind);
    let rule = rule(request, &sites)?;
    let places = places(request, &name, spec.as_ref(), clock, servers)?;
    let began = clock.now();
    let wall = clock.wall_millis();
    let mut follow = Follow::new(rule, &name, request.kind, places, began);
    progress.begins(&name, request.kind, follow.servers());
    let interrupted = follow_on(request.until, &mut follow, &sites, clock, servers, progress)?;
    let measured = follow.measured();
    progress.ends();
    let run = request.journal.as_ref().map(|path| kept(path, files));
    let exit = match measured.outcome {
        // What was named and cannot be read was not done.
        _ if matches!(run, Some(Err(_))) => Exit::Failed,
        Outcome::All => Exit::Clean,
        Outcome::NotAll => Exit::Findings,
        Outcome::Nobody => Exit::Failed,
    };
    let told = Propagation {
        name: name.dns(),
        kind: request.kind,
        began_millis: wall,
        lasted: clock.now().since(began),
        interrupted,
        sites,
        measured,
        run,
    };
    render_propagation(request.format, &told, out)?;
    Ok(exit)
}

/// The journal in a file.
fn kept(path: &str, files: &dyn Files) -> Result<JournalSeen, String> {
    let told = |why: String| format!("`{path}`: {why}");
    let bytes = files.read(path).map_err(|fault| told(fault.to_string()))?;
    let text = String::from_utf8(bytes).map_err(|error| told(error.to_string()))?;
    let journal = journal_of(&text).map_err(told)?;
    Ok(JournalSeen {
        path: Some(path.to_owned()),
        ..journal
    })
}

/// Asks every second until all show the new value, the time is over, or somebody ends it; gives whether that was so.
fn follow_on(
    limit: Duration,
    follow: &mut Follow,
    sites: &SiteNames,
    clock: &mut dyn Clock,
    servers: &mut dyn NameServers,
    progress: &mut Progress<'_>,
) -> Result<bool, AppError> {
    let began = clock.now();
    let end = began.after(limit);
    let mut checked = false;
    loop {
        let next = next(began, clock.now()).min(end);
        let Ok(changes) = follow.ask(servers, next) else {
            return Ok(true);
        };
        for change in &changes {
            progress.sees(change, follow.servers(), sites);
        }
        if !checked && follow.heard_all() {
            checked = true;
            agreed(follow, sites)?;
            for (server, values) in follow.strays() {
                let (name, values) = (&server.name, sites.told(values));
                progress.line(&format!(
                    "note: {name} had {values} from the start, unlike the authoritative servers; \
                     `--expect` waits for what they have"
                ));
            }
        }
        let measured = follow.measured();
        if measured.outcome == Outcome::All || clock.now() >= end {
            return Ok(false);
        }
        progress.stands(clock.now().since(began), &measured);
        if clock.wait(next).is_err() {
            return Ok(true);
        }
    }
}

/// The next whole second since the beginning; seconds that were slept through are not made up for.
fn next(began: Moment, now: Moment) -> Moment {
    let every = u64::try_from(EVERY.as_millis()).unwrap_or(u64::MAX);
    let passed = u64::try_from(now.since(began).as_millis()).unwrap_or(u64::MAX);
    began.after(Duration::from_millis((passed / every + 1) * every))
}

/// Nobody can tell which value is new when the authorities have several at the start.
fn agreed(follow: &Follow, sites: &SiteNames) -> Result<(), AppError> {
    let Some(firsts) = follow.disagreement() else {
        return Ok(());
    };
    let told: Vec<String> = firsts
        .iter()
        .map(|values| format!("`{}`", sites.told(values)))
        .collect();
    Err(AppError::usage(
        format!(
            "the servers disagree already: {}; which of them is the new value is not known",
            told.join(", ")
        ),
        "give it, as `--expect 203.0.113.20`",
    ))
}

/// The name as it was typed, or the first that the spec switches.
fn name(typed: Option<&str>, spec: Option<&Spec>) -> Result<RecordName, AppError> {
    match (typed, spec) {
        (Some(typed), _) => RecordName::parse(typed).map_err(|error| {
            AppError::usage(
                error.to_string(),
                "for example `pointsman watch www.example.com`",
            )
        }),
        (None, Some(spec)) => spec.record_names().first().cloned().ok_or_else(nameless),
        (None, None) => Err(nameless()),
    }
}

fn nameless() -> AppError {
    AppError::usage(
        "there is no name, and no spec that has one",
        "for example `pointsman watch www.example.com`",
    )
}

/// What counts as new: what was asked for, else any site's addresses, else anything.
fn rule(request: &Request, sites: &SiteNames) -> Result<Rule, AppError> {
    let mut expected = Vec::new();
    for word in &request.expect {
        expected.push(sites.address(word, request.kind).ok_or_else(|| {
            let known = sites.names().join("`, `");
            let or = if known.is_empty() {
                String::new()
            } else {
                format!(", nor one of the sites `{known}`")
            };
            AppError::usage(
                format!(
                    "`{word}` is no address of an {} record{or}",
                    request.kind.word()
                ),
                "for example `--expect 203.0.113.20`",
            )
        })?);
    }
    expected.sort();
    expected.dedup();
    Ok(Rule {
        expected: (!expected.is_empty()).then_some(expected),
        candidates: sites.addresses(),
    })
}

/// Whom to ask.
fn places(
    request: &Request,
    name: &RecordName,
    spec: Option<&Spec>,
    clock: &mut dyn Clock,
    servers: &mut dyn NameServers,
) -> Result<Vec<Place>, AppError> {
    let at = |role| move |socket: &SocketAddr| Place::at(*socket, role);
    let given = request.servers.iter().map(at(Role::Authoritative));
    let mut places: Vec<Place> = given.collect();
    if places.is_empty() {
        let asked = resolvers(&request.resolvers, servers)?;
        let zone = spec.map(|spec| &spec.zone.name);
        places = authoritative(name, zone, &asked, clock, servers)?;
        places.extend(asked.iter().map(at(Role::Resolver)));
    } else {
        places.extend(request.resolvers.iter().map(at(Role::Resolver)));
    }
    Ok(places)
}
