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
mod voice;

use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

use crate::adapters::{Runtime, World};
use crate::execution::report::RunReport;
use crate::model::spec::FILE;

use args::Asked;
use caught::caught;
use executor::{Journal, Request};
use voice::say;

#[cfg(feature = "detour")]
pub use detour::{VARIABLE, drill_main, world};
pub use inputs::{Inputs, VARIABLES};
#[cfg(feature = "drill")]
pub use rehearsed::{RehearsedExecutor, rehearsal_world};
pub use tell::Form;
pub use voice::{Given, give};

/// The exit status of wrong usage.
const USAGE: u8 = 2;

/// The exit status of a run that could not be made.
const UNDONE: u8 = 3;

/// Runs `pointsman-switch` in the real world, with the arguments and the environment of the process.
#[must_use]
pub fn main() -> ExitCode {
    main_in(&World::default(), executor::runtime())
}

fn main_in(world: &World, runtime: io::Result<Runtime>) -> ExitCode {
    let inputs = Inputs::of_process();
    let status = match args::read(std::env::args_os().skip(1)) {
        Ok(Asked::Run { dry }) => switch(dry, &inputs, world, runtime),
        Ok(Asked::Help) => shown(args::HELP.to_owned()),
        Ok(Asked::Version) => shown(format!("pointsman-switch {}\n", env!("CARGO_PKG_VERSION"))),
        Err(wrong) => {
            say(&format!("error: {wrong}"));
            if inputs.in_job() {
                shown("::error title=failover::nothing was done: wrong usage\n".to_owned());
            }
            USAGE
        }
    };
    voice::told();
    ExitCode::from(status)
}

/// Shows a text. Nobody who reads standard output is no fault: what matters is done, and the status says it.
fn shown(text: String) -> u8 {
    drop(give(text.into_bytes()).taken());
    0
}

fn switch(dry_run: bool, inputs: &Inputs, world: &World, runtime: io::Result<Runtime>) -> u8 {
    let request = Request {
        spec: PathBuf::from(FILE),
        dry_run,
        plan: false,
        journal: Journal::Usual,
        usual_credentials: false,
    };
    let form = if inputs.in_job() {
        Form::GitHub
    } else {
        Form::Human
    };
    run(&request, form, inputs, world, runtime)
}

/// One run from its spec to everything that is told of it; gives its exit status.
#[must_use]
pub fn run(
    request: &Request,
    form: Form,
    inputs: &Inputs,
    world: &World,
    runtime: io::Result<Runtime>,
) -> u8 {
    let reported = caught(
        || match executor::perform(request, inputs, world, runtime) {
            Ok(performed) => performed.report(),
            Err(hindered) => hindered.report,
        },
    );
    let report = reported.unwrap_or_else(|fault| RunReport {
        status: UNDONE,
        ..RunReport::unconfigured(&[fault.describe()], request.dry_run)
    });
    if let Err(fault) = caught(|| tell::tell(&report, form, inputs)) {
        say(&format!(
            "error: the result is not told: {}",
            fault.describe()
        ));
    }
    voice::told();
    report.status
}
