//! `pointsman forecast`: what can be typed, and what becomes of it.

use std::io::Write;

use clap::{Args as ClapArgs, ValueEnum};

use crate::adapters::DiskFiles;
use crate::app::forecast::{self, Request};
use crate::app::{AppError, Exit, SpecChoice};
use crate::diag::Severity;
use crate::forecast::{Death, SEED};

use super::args::{FormatArg, words};

#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Exit status: 0 forecast, 1 an outage that never ends with these settings, 2 wrong usage or spec, or an absurd setting, \
3 a file that cannot be read or written")]
pub(super) struct ForecastArgs {
    /// Forecast a second time with this setting, such as ttl=60 or monitor.edge.timeout=10
    #[arg(long, value_name = "NAME=VALUE")]
    pub(super) set: Vec<String>,
    /// How home dies
    #[arg(long, value_enum, default_value_t = DeathArg::BlackHole)]
    pub(super) death: DeathArg,
    /// Your own runs: JSON of `gh run view ID --json createdAt,jobs` or `gh run list --json createdAt,startedAt`
    #[arg(long, value_name = "FILE")]
    pub(super) runs: Option<String>,
    /// How many outages are drawn
    #[arg(long, value_name = "N", default_value_t = 200_000)]
    pub(super) outages: u32,
    /// The seed of the draw
    #[arg(long, value_name = "N", default_value_t = SEED)]
    pub(super) seed: u64,
    /// Write a picture there, too
    #[arg(long, value_name = "FILE")]
    pub(super) svg: Option<String>,
    /// Write a page with picture and tables there, too
    #[arg(long, value_name = "FILE")]
    pub(super) html: Option<String>,
    /// The form of the output
    #[arg(long, value_parser = words(&["human", "json"]))]
    pub(super) format: Option<FormatArg>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum DeathArg {
    /// The machine refuses the connection
    Refused,
    /// It answers with a server error
    #[value(name = "5xx")]
    ServerError,
    /// Nothing answers: power or line are gone
    BlackHole,
}

pub(super) fn run(
    args: ForecastArgs,
    spec: SpecChoice,
    files: &DiskFiles,
    out: &mut dyn Write,
) -> Result<Exit, AppError> {
    let request = Request {
        spec,
        here: super::here()?,
        set: args.set,
        death: match args.death {
            DeathArg::Refused => Death::Refused,
            DeathArg::ServerError => Death::ServerError,
            DeathArg::BlackHole => Death::BlackHole,
        },
        runs: args.runs,
        outages: args.outages,
        seed: args.seed,
        svg: args.svg,
        html: args.html,
        format: super::format(args.format, Severity::Error),
    };
    forecast::run(&request, files, out)
}
