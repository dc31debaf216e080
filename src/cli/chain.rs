//! `pointsman chain`: what can be typed, and what becomes of it.

use std::io::Write;

use clap::Args as ClapArgs;

use crate::adapters::DiskFiles;
use crate::app::chain::{self, Request};
use crate::app::{AppError, Exit, SpecChoice};
use crate::diag::Severity;

use super::args::{FormatArg, words};

#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Exit status: 0 no link is broken, 1 a broken link, 2 wrong usage or spec, 3 a file that is not there, 4 a link that is \
undecided. A link for which no files were given is no fault")]
pub(super) struct ChainArgs {
    /// Files and folders [default: the spec's artefacts]
    #[arg(value_name = "PATH")]
    pub(super) paths: Vec<String>,
    /// What every single failure does: who notices, what switches, how long, how many messages, what a person must do
    #[arg(long)]
    pub(super) survival: bool,
    /// Draw the chain as a Mermaid flow chart
    #[arg(long, conflicts_with_all = ["survival", "format"])]
    pub(super) mermaid: bool,
    /// The form of the output
    #[arg(long, value_parser = words(&["human", "json"]))]
    pub(super) format: Option<FormatArg>,
}

pub(super) fn run(
    args: ChainArgs,
    spec: SpecChoice,
    files: &DiskFiles,
    out: &mut dyn Write,
) -> Result<Exit, AppError> {
    let request = Request {
        spec,
        here: super::here()?,
        paths: args.paths,
        survival: args.survival,
        mermaid: args.mermaid,
        format: super::format(args.format, Severity::Error),
    };
    chain::run(&request, files, out)
}
