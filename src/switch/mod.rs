//! Floor 7: the executor as a program, `pointsman-switch`, and the composition root that it shares with `pointsman`. Nothing is
//! decided here.

mod args;
mod caught;
#[cfg(feature = "detour")]
mod detour;
pub mod executor;
mod inputs;
mod outside;
mod progress;
#[cfg(feature = "drill")]
mod rehearsed;
mod tell;

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use crate::adapters::{Runtime, World};
use crate::model::spec::FILE;
use crate::report::run::RunReport;

use args::Asked;
use caught::caught;
use executor::{Journal, Request};

#[cfg(feature = "detour")]
pub use detour::{VARIABLE, drill_main, world};
pub use inputs::{Inputs, VARIABLES};
#[cfg(feature = "drill")]
pub use rehearsed::{RehearsedExecutor, on_loopback};
pub use tell::Form;

/// The exit status of wrong usage.
const USAGE: u8 = 2;

/// The exit status of a run that could not be made.
const UNDONE: u8 = 3;

/// Runs `pointsman-switch` in the real world, with the arguments and the environment of the process.
#[must_use]
pub fn main() -> ExitCode {
    main_in(&World::default())
}

fn main_in(world: &World) -> ExitCode {
    let runtime = executor::runtime();
    let inputs = Inputs::of_process();
    let mut out = io::stdout().lock();
    let asked = args::read(std::env::args_os().skip(1));
    // Nobody who reads standard output is no fault: what matters is done, and the status says it.
    let status = match asked {
        Ok(Asked::Run { dry }) => switch(dry, &inputs, world, &mut out, runtime),
        Ok(Asked::Help) => {
            drop(write!(out, "{}", args::HELP));
            0
        }
        Ok(Asked::Version) => {
            drop(writeln!(
                out,
                "pointsman-switch {}",
                env!("CARGO_PKG_VERSION")
            ));
            0
        }
        Err(wrong) => {
            progress::say(&format!("error: {wrong}"));
            if inputs.in_job() {
                drop(writeln!(
                    out,
                    "::error title=failover::nothing was done: wrong usage"
                ));
            }
            USAGE
        }
    };
    progress::told();
    ExitCode::from(status)
}

fn switch(
    dry_run: bool,
    inputs: &Inputs,
    world: &World,
    out: &mut dyn Write,
    runtime: io::Result<Runtime>,
) -> u8 {
    let request = Request {
        spec: PathBuf::from(FILE),
        dry_run,
        journal: Journal::Usual,
        usual_credentials: false,
    };
    let form = if inputs.in_job() {
        Form::GitHub
    } else {
        Form::Human
    };
    run(&request, form, inputs, world, out, runtime)
}

/// One run from its spec to everything that is told of it; gives its exit status.
#[must_use]
pub fn run(
    request: &Request,
    form: Form,
    inputs: &Inputs,
    world: &World,
    out: &mut dyn Write,
    runtime: io::Result<Runtime>,
) -> u8 {
    let reported = caught(
        || match executor::perform(request, inputs, world, runtime) {
            Ok(performed) => performed.report(),
            Err(refused) => *refused,
        },
    );
    let report = reported.unwrap_or_else(|fault| RunReport {
        status: UNDONE,
        ..RunReport::unconfigured(&[fault.describe()], request.dry_run)
    });
    if let Err(fault) = caught(|| tell::tell(&report, form, inputs, out)) {
        progress::say(&format!(
            "error: the result is not told: {}",
            fault.describe()
        ));
    }
    progress::told();
    report.status
}
