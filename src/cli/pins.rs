//! `pointsman pins`: what can be typed, and what becomes of it.

use std::io::Write;

use clap::{Args as ClapArgs, Subcommand};

use crate::adapters::{BareClones, DiskFiles, today};
use crate::app::pins::{import, list, update, verify};
use crate::app::{AppError, Exit, SpecChoice};
use crate::diag::Severity;
use crate::ports::UpstreamRepositories;
use crate::report::Format;

use super::args::{FormatArg, words};

#[derive(Debug, Subcommand)]
pub(super) enum PinsCommand {
    /// Take facts about refs into pins.lock
    Import(PinsImportArgs),
    /// List every pin with what the lock says of it
    List(PinsListArgs),
    /// Check that every pin is a commit of its repository
    Verify(PinsVerifyArgs),
    /// Raise pins to newer versions, and renew the lock
    Update(PinsUpdateArgs),
}

#[derive(Debug, ClapArgs)]
pub(super) struct PinsImportArgs {
    /// JSON with `repos`, or another lock
    pub(super) file: String,
    /// The form of the output
    #[arg(long, value_parser = words(&["human", "json"]))]
    pub(super) format: Option<FormatArg>,
}

#[derive(Debug, ClapArgs)]
pub(super) struct PinsListArgs {
    /// The form of the output
    #[arg(long, value_parser = words(&["human", "json"]))]
    pub(super) format: Option<FormatArg>,
}

#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Exit status: 0 all good, 1 a pin that is no commit of its repository, or whose tag has moved, 3 a file or clone that \
cannot be read, 4 a pin of which nothing is known")]
pub(super) struct PinsVerifyArgs {
    /// A folder of bare clones, OWNER/NAME.git, to look at beside the lock
    #[arg(long, value_name = "FOLDER")]
    pub(super) from: Option<String>,
    /// The form of the output
    #[arg(long, value_parser = words(&["human", "json"]))]
    pub(super) format: Option<FormatArg>,
}

#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Exit status: 0 done, 1 a pin that is no commit of its repository, 2 a wrong spec, 3 a file or clone that cannot be read \
or written, 4 a pin whose repository or version is not known")]
pub(super) struct PinsUpdateArgs {
    /// A folder of bare clones, OWNER/NAME.git
    #[arg(long, value_name = "FOLDER")]
    pub(super) from: String,
    /// How old a version must be, in days, by the dates that its repository gives
    #[arg(long, value_name = "DAYS", default_value_t = 7)]
    pub(super) min_age: u16,
    /// Only the pins of this repository
    #[arg(long, value_name = "OWNER/NAME")]
    pub(super) repo: Option<String>,
    /// Write nothing
    #[arg(long)]
    pub(super) dry_run: bool,
    /// The form of the output
    #[arg(long, value_parser = words(&["human", "json"]))]
    pub(super) format: Option<FormatArg>,
}

fn format(given: Option<FormatArg>) -> Format {
    super::format(given, Severity::Error)
}

/// Runs one of the commands.
pub(super) fn run(
    command: PinsCommand,
    spec: SpecChoice,
    files: &DiskFiles,
    out: &mut dyn Write,
) -> Result<Exit, AppError> {
    match command {
        PinsCommand::Import(args) => {
            let request = import::Request {
                path: args.file,
                format: format(args.format),
            };
            import::run(&request, files, out)
        }
        PinsCommand::List(args) => list::run(format(args.format), files, out),
        PinsCommand::Verify(args) => {
            let clones = args.from.map(BareClones::new);
            let upstream = clones
                .as_ref()
                .map(|clones| clones as &dyn UpstreamRepositories);
            verify::run(format(args.format), files, upstream, out)
        }
        PinsCommand::Update(args) => {
            let request = update::Request {
                min_age: i64::from(args.min_age),
                today: today(),
                repository: args.repo,
                dry_run: args.dry_run,
                spec,
                format: format(args.format),
            };
            update::run(&request, files, &BareClones::new(args.from), out)
        }
    }
}
