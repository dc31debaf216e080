//! `pointsman failover run` and `failover plan`: the executor, with what can be typed about it.

use std::io::{self, Write as _};
use std::path::PathBuf;

use crate::adapters::World;
use crate::app::{AppError, Exit, SpecChoice};
use crate::diag::Severity;
use crate::model::spec::FILE;
use crate::report::Format;
use crate::report::run::PlanReport;
use crate::switch::executor::{Journal, Request, perform, runtime};
use crate::switch::{self, Form, Inputs};

use super::args::{PlanArgs, RunArgs};
use super::format;

/// Standard output, without a buffer that could fail after the run has ended: its status is the run's, whoever reads it.
fn stdout() -> io::StdoutLock<'static> {
    io::stdout().lock()
}

pub(super) fn run(args: RunArgs, spec: SpecChoice) -> Result<Exit, AppError> {
    let runtime = runtime();
    let request = Request {
        spec: path(spec),
        dry_run: args.dry_run,
        journal: args.journal.map_or(Journal::Usual, Journal::At),
        usual_credentials: true,
    };
    let form = match format(args.format, Severity::Error) {
        Format::Json => Form::Json,
        Format::GitHub => Form::GitHub,
        Format::Human { .. } | Format::Sarif | Format::JUnit { .. } => Form::Human,
    };
    let inputs = Inputs::of_process();
    let status = switch::run(&request, form, &inputs, &world()?, &mut stdout(), runtime);
    Ok(exit(status))
}

pub(super) fn plan(args: &PlanArgs, spec: SpecChoice) -> Result<Exit, AppError> {
    let request = Request {
        spec: path(spec),
        dry_run: true,
        journal: Journal::None,
        usual_credentials: true,
    };
    let plan = match perform(&request, &Inputs::of_process(), &world()?, runtime()) {
        Ok(it) => PlanReport::of(&it.spec, &it.topology, &it.story, &it.outcome),
        Err(refused) => PlanReport::unconfigured(*refused),
    };
    let mut out = stdout();
    let written = match format(args.format, Severity::Error) {
        Format::Json => plan.json(&mut out),
        Format::Human { .. } | Format::GitHub | Format::Sarif | Format::JUnit { .. } => {
            plan.human(&mut out)
        }
    };
    written.and_then(|()| out.flush())?;
    Ok(exit(plan.status()))
}

fn path(spec: SpecChoice) -> PathBuf {
    match spec {
        SpecChoice::Usual => PathBuf::from(FILE),
        SpecChoice::At(path) => PathBuf::from(path),
    }
}

fn exit(status: u8) -> Exit {
    match status {
        0 => Exit::Clean,
        5 => Exit::Refused,
        6 => Exit::Unconfirmed,
        _ => Exit::Failed,
    }
}

/// The world of a rehearsal, in a build for rehearsals.
#[cfg(feature = "detour")]
fn world() -> Result<World, AppError> {
    let variable = switch::VARIABLE;
    switch::world().map_err(|reason| {
        AppError::usage(
            format!("{variable} names no world: {reason}"),
            format!("unset {variable} for the real one"),
        )
    })
}

/// The real world; this build has no other.
#[cfg(not(feature = "detour"))]
#[expect(
    clippy::unnecessary_wraps,
    reason = "a build for rehearsals can fail here"
)]
fn world() -> Result<World, AppError> {
    Ok(World::default())
}
