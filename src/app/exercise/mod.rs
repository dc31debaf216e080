//! `pointsman drill --live`: a real exercise by the pin, guided and measured. It changes nothing: its ports can only look, and a
//! person sets the pin and starts the workflow.

mod begin;
mod leg;
mod sites;

use std::io::Write;
use std::net::SocketAddr;
use std::time::Duration;

use crate::model::rehearsal::{Evidence, Kind, journal_beside};
use crate::model::spec::{Site, Spec};
use crate::ports::{Clock, Files, NameServers, Prober, WorkflowRuns};
use crate::propagation::Role;
use crate::report::{Exercised, Format, Leg, render_exercise};

use super::exit::{AppError, Exit};
use super::rehearsals;
use super::spec::{SpecChoice, require};
use super::watch::{Place, Progress, authoritative, resolvers};

/// What is asked for.
#[derive(Debug, Clone)]
pub struct Request {
    /// Where the spec is.
    pub spec: SpecChoice,
    /// The working directory as an absolute path.
    pub here: String,
    /// The site to go to; the first standby without it.
    pub to: Option<String>,
    /// Resolvers; without them, and without `servers`, the system's.
    pub resolvers: Vec<SocketAddr>,
    /// Authoritative servers; without them they are looked for.
    pub servers: Vec<SocketAddr>,
    /// How long each of the two ways may take.
    pub until: Duration,
    /// The form of the output.
    pub format: Format,
}

/// The outside, which is only looked at.
#[expect(
    missing_debug_implementations,
    reason = "it borrows ports, which need not show themselves"
)]
pub struct Outside<'a> {
    /// The time.
    pub clock: &'a mut dyn Clock,
    /// Name servers.
    pub servers: &'a mut dyn NameServers,
    /// The sites.
    pub prober: &'a mut dyn Prober,
    /// The runs of the workflow, if a token is there to read them.
    pub runs: Option<Box<dyn WorkflowRuns>>,
}

/// Guides and measures one exercise, there and back, and writes its evidence into the ledger. `runs` gives the way to the runs of
/// the spec's workflow.
///
/// # Errors
/// When there is no spec, nobody can be asked, or something cannot be written.
pub fn run(
    request: &Request,
    files: &dyn Files,
    runs: impl FnOnce(&Spec) -> Option<Box<dyn WorkflowRuns>>,
    outside: &mut Outside<'_>,
    out: &mut dyn Write,
    progress: &mut Progress<'_>,
) -> Result<Exit, AppError> {
    let Some(spec) = require(&request.spec, files, request.format, out)? else {
        return Ok(Exit::Usage);
    };
    outside.runs = runs(&spec);
    let (home, target) = ways(&spec, request.to.as_deref())?;
    // What is rehearsed is what is there at the beginning.
    let sums = rehearsals::sums(&request.spec, &request.here, files)?.unwrap_or_default();
    let places = places(request, &spec, outside)?;
    let started_millis = outside.clock.wall_millis();
    begin::ready(&spec, (home, target), &places, outside, progress)?;
    let mut legs = Vec::new();
    for (site, other) in [(target, home), (home, target)] {
        let asked = leg::Asked {
            spec: &spec,
            site,
            other,
            places: &places,
            until: request.until,
        };
        let leg = leg::travel(&asked, outside, progress)?;
        let failed = leg.failed.is_some();
        legs.push(leg);
        if failed {
            break;
        }
    }
    let failed = legs.iter().find_map(|leg: &Leg| leg.failed.clone());
    let finished_millis = outside.clock.wall_millis();
    let evidence = Evidence {
        but: Vec::new(),
        kind: Kind::Exercise,
        started_millis,
        finished_millis,
        failed: failed.clone(),
        phases: legs.iter().flat_map(Leg::phases).collect(),
        artefacts: sums,
    };
    let path = kept(&evidence, &mut legs, &request.spec.folder(), files)?;
    let exit = if failed.is_none() {
        Exit::Clean
    } else {
        Exit::Findings
    };
    let told = Exercised {
        legs,
        failed,
        evidence: path,
    };
    render_exercise(request.format, &told, out)?;
    Ok(exit)
}

/// Writes the evidence and, beside it, the journals that were read, each under its run's id; gives the path of the evidence.
/// Nothing is written of an exercise that was ended before anything had happened.
fn kept(
    evidence: &Evidence,
    legs: &mut [Leg],
    folder: &str,
    files: &dyn Files,
) -> Result<Option<String>, AppError> {
    if legs.iter().all(|leg| leg.by_hand && !leg.has_moved()) {
        return Ok(None);
    }
    let path = rehearsals::write(evidence, folder, files)?;
    for run in legs.iter_mut().flat_map(|leg| &mut leg.runs) {
        if let Some(Ok(journal)) = &mut run.journal {
            let path = journal_beside(&path, run.id);
            files.write_atomically(&path, journal.text.as_bytes())?;
            journal.path = Some(path);
        }
    }
    Ok(Some(path))
}

/// From where, and to where.
fn ways<'a>(spec: &'a Spec, to: Option<&str>) -> Result<(&'a Site, &'a Site), AppError> {
    let standbys = spec.standbys();
    let target = match to {
        Some(name) => standbys.iter().find(|site| site.name == name),
        None => standbys.first(),
    };
    spec.home().zip(target).ok_or_else(|| {
        let names: Vec<&str> = standbys.iter().map(|site| site.name.as_str()).collect();
        AppError::usage(
            format!("`--to {}` is no standby site", to.unwrap_or_default()),
            format!("the spec has `{}`", names.join("`, `")),
        )
    })
}

/// Whom to ask for records.
fn places(
    request: &Request,
    spec: &Spec,
    outside: &mut Outside<'_>,
) -> Result<Vec<Place>, AppError> {
    let at = |role| move |socket: &SocketAddr| Place::at(*socket, role);
    let mut places: Vec<Place> = request
        .servers
        .iter()
        .map(at(Role::Authoritative))
        .collect();
    let mut asked = request.resolvers.clone();
    if places.is_empty() {
        asked = resolvers(&request.resolvers, outside.servers)?;
        let zone = &spec.zone.name;
        places = authoritative(zone, Some(zone), &asked, outside.clock, outside.servers)?;
    }
    places.extend(asked.iter().map(at(Role::Resolver)));
    Ok(places)
}
