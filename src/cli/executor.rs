//! `pointsman failover run` and `failover plan`: the executor, with what can be typed about it.

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;

use crate::adapters::{Runtime, World};
use crate::app::{AppError, Exit, SpecChoice};
use crate::diag::Severity;
use crate::execution::report::PlanReport;
use crate::model::spec::FILE;
use crate::report::Format;
use crate::switch::executor::{Hindrance, Journal, Request, perform, runtime};
use crate::switch::{self, Form, Inputs};

use super::args::{PlanArgs, RunArgs};
use super::format;

/// What signals come to from the first line of the program on, where a run or a plan is typed.
pub(super) struct Start {
    runtime: Option<io::Result<Runtime>>,
}

impl Start {
    /// Takes the signals, if these arguments ask for what takes them.
    pub(super) fn of(arguments: impl Iterator<Item = OsString>) -> Self {
        Self {
            runtime: is_switch(arguments).then(runtime),
        }
    }

    fn runtime(self) -> io::Result<Runtime> {
        self.runtime.unwrap_or_else(runtime)
    }
}

/// Whether the first two words that are no options ask for a run or a plan. Reading the arguments in full takes longer than
/// a signal may.
fn is_switch(arguments: impl Iterator<Item = OsString>) -> bool {
    let mut words = Vec::new();
    let mut arguments = arguments;
    while let Some(argument) = arguments.next()
        && words.len() < 2
    {
        let text = argument.to_string_lossy().into_owned();
        if text == "--spec" {
            arguments.next();
        } else if !text.starts_with('-') {
            words.push(text);
        }
    }
    matches!(words.as_slice(), [first, second] if first == "failover" && matches!(second.as_str(), "run" | "plan"))
}

pub(super) fn run(args: RunArgs, spec: SpecChoice, start: Start) -> Result<Exit, AppError> {
    let request = Request {
        spec: path(spec),
        dry_run: args.dry_run,
        plan: false,
        journal: args.journal.map_or(Journal::Usual, Journal::At),
        usual_credentials: true,
    };
    let form = match format(args.format, Severity::Error) {
        Format::Json => Form::Json,
        Format::GitHub => Form::GitHub,
        Format::Human { .. } | Format::Sarif | Format::JUnit { .. } => Form::Human,
    };
    let inputs = Inputs::of_process();
    let status = switch::run(&request, form, &inputs, &world()?, start.runtime());
    Ok(exit(status))
}

pub(super) fn plan(args: &PlanArgs, spec: SpecChoice, start: Start) -> Result<Exit, AppError> {
    let named = matches!(spec, SpecChoice::At(_));
    let request = Request {
        spec: path(spec),
        dry_run: true,
        plan: true,
        journal: Journal::None,
        usual_credentials: true,
    };
    let performed = perform(&request, &Inputs::of_process(), &world()?, start.runtime());
    let (plan, exit) = match performed {
        Ok(it) => {
            let plan = PlanReport::of(&it.spec, &it.topology, &it.story, &it.outcome);
            let exit = planned(it.outcome.status());
            (plan.seeing(&it.topology, &it.seen), exit)
        }
        Err(hindered) => {
            let exit = match hindered.why {
                Hindrance::Wrong => Exit::Usage,
                Hindrance::Unreadable if !named => Exit::Usage,
                Hindrance::Unreadable | Hindrance::Cancelled => Exit::Failed,
            };
            (PlanReport::unconfigured(hindered.report), exit)
        }
    };
    let mut out = Vec::new();
    match format(args.format, Severity::Error) {
        Format::Json => plan.json(&mut out),
        Format::Human { .. } | Format::GitHub | Format::Sarif | Format::JUnit { .. } => {
            plan.human(&mut out)
        }
    }?;
    switch::give(out).taken()?;
    Ok(exit)
}

/// How a plan ends whose run would end with `status`: 5 and 6 are a run's alone.
fn planned(status: u8) -> Exit {
    match status {
        0 => Exit::Clean,
        5 => Exit::Findings,
        _ => Exit::Failed,
    }
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
pub(super) fn world() -> Result<World, AppError> {
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
pub(super) fn world() -> Result<World, AppError> {
    Ok(World::default())
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;
    use proptest::prelude::*;

    use super::super::args::{Args, Command, FailoverCommand};
    use super::*;

    fn asks(words: &[String]) -> bool {
        is_switch(words.iter().map(OsString::from))
    }

    proptest! {
        #[test]
        fn what_is_seen_at_a_glance_is_what_the_arguments_say(
            words in proptest::collection::vec(
                prop::sample::select(vec![
                    "failover", "run", "plan", "scenarios", "replay", "validate", "--spec", "--spec=x", "x", "--dry-run",
                    "--format", "json", "--journal", "--",
                ]).prop_map(str::to_owned),
                0..6,
            )
        ) {
            let typed = std::iter::once("pointsman".to_owned()).chain(words.clone());
            if let Ok(args) = Args::try_parse_from(typed) {
                let meant = matches!(
                    args.command,
                    Command::Failover(FailoverCommand::Run(_) | FailoverCommand::Plan(_))
                );
                prop_assert_eq!(asks(&words), meant);
            }
        }
    }

    #[test]
    fn a_run_is_seen_behind_the_options_that_may_stand_before_it() {
        let asks = |text: &str| asks(&text.split(' ').map(str::to_owned).collect::<Vec<_>>());
        assert!(asks("failover run --dry-run") && asks("--spec x failover --spec=y plan"));
        assert!(!asks("validate failover run") && !asks("failover scenarios run"));
        assert!(!asks("--spec failover run") && !asks("failover"));
    }
}
