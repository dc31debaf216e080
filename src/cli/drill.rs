//! `pointsman drill`: what can be typed, and what becomes of it.

use std::io::{self, IsTerminal as _, Write};
use std::sync::Arc;

use clap::{Args as ClapArgs, ValueEnum};

use crate::adapters::{DiskFiles, now_millis};
use crate::app::drill::{self, Hands, Request};
use crate::app::{AppError, Exit, SpecChoice};
use crate::diag::Severity;
use crate::drill::rehearsal::Dying;
use crate::report::drill::{EventRow, clock};
use crate::switch::{RehearsedExecutor, rehearsal_world};

use super::args::{FormatArg, words};
use super::live::{self, LiveArgs};

#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Without --live, everything runs on 127.0.0.1 and in this process: sites, monitors, GitHub, AWS with your policies, name \
servers, visitors, and the executor itself. With it, pointsman changes nothing: it says what to set, and looks at records, \
sites and, with a token in GH_TOKEN or GITHUB_TOKEN that may read Actions, at runs; the evidence goes into `rehearsals/`.

Exit status: 0 everything was as it must be, 1 something was not, 2 wrong usage or spec, 3 no port to be had, broken off, or \
nobody could be asked, 4 a file of the deployment that could not be read")]
pub(super) struct DrillArgs {
    /// Play this fault; it must end as is promised for it
    #[arg(long, value_name = "NAME", conflicts_with = "list")]
    pub(super) fault: Option<String>,
    /// List the faults, each with what is promised
    #[arg(long)]
    pub(super) list: bool,
    /// How home dies
    #[arg(long, value_enum, default_value_t = DyingArg::BlackHole)]
    pub(super) death: DyingArg,
    /// By how much waits are shortened
    #[arg(long, value_name = "N", default_value_t = 300.0, value_parser = speed)]
    pub(super) speed: f64,
    /// Shorten nothing
    #[arg(long, conflicts_with = "speed")]
    pub(super) real_time: bool,
    /// Write the evidence into `rehearsals/`, which `validate` holds against age and artefacts
    #[arg(long, conflicts_with_all = ["fault", "list", "live"])]
    pub(super) ledger: bool,
    /// Tell nothing while it goes on
    #[arg(long)]
    pub(super) quiet: bool,
    /// Write a page with the time line, what visitors saw, and every decision with its reason there, too
    #[arg(long, value_name = "FILE")]
    pub(super) html: Option<String>,
    /// Write the time line as a picture there, too
    #[arg(long, value_name = "FILE")]
    pub(super) svg: Option<String>,
    /// Write the phases as a Gantt chart of Mermaid there, too
    #[arg(long, value_name = "FILE")]
    pub(super) mermaid: Option<String>,
    /// The form of the output
    #[arg(long, value_parser = words(&["human", "json"]))]
    pub(super) format: Option<FormatArg>,
    /// Guide and measure a real exercise by the pin, there and back
    #[arg(long, conflicts_with_all = ["fault", "list", "death", "speed", "real_time", "quiet", "html", "svg", "mermaid"])]
    pub(super) live: bool,
    #[command(flatten)]
    pub(super) exercise: LiveArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum DyingArg {
    /// The machine refuses the connection
    Refused,
    /// It answers with a server error
    #[value(name = "5xx")]
    ServerError,
    /// Nothing answers: power or line are gone
    BlackHole,
    /// Its certificate has run out
    Tls,
}

fn speed(text: &str) -> Result<f64, String> {
    let number: Option<f64> = text.parse().ok();
    let fits = number.filter(|number| (1.0..=1e6).contains(number));
    fits.ok_or_else(|| "a number from 1 to 1000000 is expected".to_owned())
}

pub(super) fn run(
    args: DrillArgs,
    spec: SpecChoice,
    files: &DiskFiles,
    out: &mut dyn Write,
) -> Result<Exit, AppError> {
    if args.live {
        let world = super::executor::world()?;
        return live::run(args.exercise, args.format, spec, &world, files, out);
    }
    let format = super::format(args.format, Severity::Error);
    if args.list {
        return drill::list(format, out);
    }
    let request = Request {
        spec,
        here: super::here()?,
        fault: args.fault,
        dying: match args.death {
            DyingArg::Refused => Dying::Refused,
            DyingArg::ServerError => Dying::ServerError,
            DyingArg::BlackHole => Dying::BlackHole,
            DyingArg::Tls => Dying::Certificate,
        },
        speed: if args.real_time { 1.0 } else { args.speed },
        html: args.html,
        svg: args.svg,
        mermaid: args.mermaid,
        ledger: args.ledger.then(now_millis),
        format,
    };
    let live = !args.quiet && io::stderr().is_terminal();
    let mut onlooker = |row: &EventRow| {
        if live {
            // Whoever does not look on is no fault.
            drop(writeln!(
                io::stderr(),
                "{:>8}  {:<13} {}",
                clock(row.at),
                row.who,
                row.what
            ));
        }
    };
    let hands = Hands {
        executor: Arc::new(RehearsedExecutor),
        world: rehearsal_world,
        onlooker: &mut onlooker,
    };
    drill::run(&request, hands, files, out)
}
