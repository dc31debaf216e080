//! `pointsman pins`: what can be typed, and what becomes of it.

use std::io::Write;

use clap::{Args as ClapArgs, Subcommand};

#[cfg(feature = "online")]
use crate::adapters::GitHubApi;
use crate::adapters::{BareClones, DiskFiles, today};
use crate::app::pins::{import, list, update, verify};
use crate::app::{AppError, Exit, SpecChoice};
use crate::diag::Severity;
use crate::ports::{FileFault, FileKind, Files as _, UpstreamRepositories};
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
Exit status: 0 all good, 1 a pin that is no commit of its repository, or whose tag has moved, 3 a file, clone or \
GitHub that cannot be read, 4 a pin of which nothing is known")]
pub(super) struct PinsVerifyArgs {
    #[command(flatten)]
    pub(super) upstream: UpstreamArgs,
    /// The form of the output
    #[arg(long, value_parser = words(&["human", "json"]))]
    pub(super) format: Option<FormatArg>,
}

#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Exit status: 0 done, 1 a pin that is no commit of its repository, 2 a wrong spec, 3 a file, clone or GitHub that cannot be \
read or written, 4 a pin whose repository or version is not known")]
pub(super) struct PinsUpdateArgs {
    #[command(flatten)]
    pub(super) upstream: UpstreamArgs,
    /// How old a version must be, in days, by the latest date of its release, its tag and its commits, and by the lock's last
    /// look without it. Releases are dated by GitHub (`--online`), tags and commits by whoever makes them
    #[arg(long, value_name = "DAYS", default_value_t = 7)]
    pub(super) min_age: u16,
    /// Take new major versions too: they may break what uses them
    #[arg(long)]
    pub(super) major: bool,
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

/// Where upstream repositories are looked at.
#[derive(Debug, ClapArgs)]
pub(super) struct UpstreamArgs {
    /// A folder of bare clones, OWNER/NAME.git
    #[arg(long, value_name = "FOLDER")]
    from: Option<String>,
    /// Ask GitHub, with the token in `GITHUB_TOKEN` where there is one; no proxy is used
    #[cfg(feature = "online")]
    #[arg(long, conflicts_with = "from")]
    online: bool,
    /// Where GitHub's API is, `https://HOST/api/v3` for GitHub Enterprise Server [default: that of
    /// `GITHUB_API_URL`, which a runner sets, else `https://api.github.com`]
    #[cfg(feature = "online")]
    #[arg(long, value_name = "URL", requires = "online")]
    api_url: Option<String>,
}

impl UpstreamArgs {
    /// What is asked; `None` when nothing was said.
    fn open(&self, files: &DiskFiles) -> Result<Option<Box<dyn UpstreamRepositories>>, AppError> {
        #[cfg(feature = "online")]
        if self.online {
            let token = std::env::var("GITHUB_TOKEN").ok();
            let of_runner = std::env::var("GITHUB_API_URL").ok();
            let of_runner = of_runner.filter(|url| !url.is_empty());
            let url = self.api_url.clone().or(of_runner);
            let url = url.as_deref().unwrap_or("https://api.github.com");
            let api = GitHubApi::new(url, token.as_deref()).map_err(|message| {
                AppError::usage(
                    message,
                    "give `--api-url https://api.github.com`, or `https://HOST/api/v3`",
                )
            })?;
            return Ok(Some(Box::new(api)));
        }
        let Some(folder) = &self.from else {
            return Ok(None);
        };
        clones_at(folder, files)?;
        Ok(Some(Box::new(BareClones::new(folder))))
    }
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
            let upstream = args.upstream.open(files)?;
            verify::run(format(args.format), files, upstream.as_deref(), out)
        }
        PinsCommand::Update(args) => {
            let Some(upstream) = args.upstream.open(files)? else {
                let hint = if cfg!(feature = "online") {
                    "give `--online` to ask GitHub, or `--from FOLDER` for clones"
                } else {
                    "give `--from FOLDER` for clones"
                };
                return Err(AppError::usage(
                    "nobody said where newer versions are looked for",
                    hint,
                ));
            };
            let request = update::Request {
                min_age: i64::from(args.min_age),
                major: args.major,
                today: today(),
                repository: args.repo,
                dry_run: args.dry_run,
                spec,
                format: format(args.format),
            };
            update::run(&request, files, upstream.as_ref(), out)
        }
    }
}

/// That a folder of clones which is not there holds no clone of anything would be told of each repository, as if it had been
/// looked at.
fn clones_at(folder: &str, files: &DiskFiles) -> Result<(), AppError> {
    if files.kind(folder) == Some(FileKind::Folder) {
        return Ok(());
    }
    Err(AppError::Files(FileFault {
        path: folder.to_owned(),
        reason: "there is no such folder of clones".to_owned(),
        missing: true,
    }))
}
